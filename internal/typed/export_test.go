package typed

import (
	"maps"
	"slices"
)

// Languages returns the codes of all languages that have words.
func Languages() []string { return slices.Sorted(maps.Keys(tables)) }
