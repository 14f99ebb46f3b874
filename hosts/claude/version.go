package claude

import (
	"cmp"
	"strconv"
	"strings"
)

// FailClosedSince is the first version of Claude Code that can block an action whose hook fails.
const FailClosedSince = "2.1.295"

// CanFailClosed reports whether a version of Claude Code, such as 2.1.332, can block an action whose hook fails. Known is
// false for text that is no version.
func CanFailClosed(version string) (can, known bool) {
	have, ok := numbers(version)
	since, _ := numbers(FailClosedSince)
	if !ok {
		return false, false
	}
	order := cmp.Or(cmp.Compare(have[0], since[0]), cmp.Compare(have[1], since[1]), cmp.Compare(have[2], since[2]))
	return order >= 0, true
}

// numbers parses the three numbers of a version.
func numbers(version string) (all [3]int, ok bool) {
	parts := strings.Split(version, ".")
	if len(parts) != len(all) {
		return all, false
	}
	for n, part := range parts {
		number, err := strconv.Atoi(part)
		if err != nil || number < 0 {
			return all, false
		}
		all[n] = number
	}
	return all, true
}
