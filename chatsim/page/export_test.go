package page

import (
	"maps"
	"slices"
)

// Operations lists the operations of the control API.
func Operations() []string { return slices.Sorted(maps.Keys((&handler{}).operations())) }
