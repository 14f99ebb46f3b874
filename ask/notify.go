package ask

import (
	"fmt"
	"slices"
)

// Special entries of [Request.Notify].
const (
	// Requester is the person on whose behalf the agent asks.
	Requester = "requester"
	// Nobody as the only entry means an empty list. Use it where the syntax cannot express one: on a
	// command line or in a query string.
	Nobody = "nobody"
)

// MaxNotify is the maximum number of entries in a notification list.
const MaxNotify = 20

// CheckNotify validates the form of a notification list: people such as "slack:U0000001",
// groups such as "slack-group:S0000001", and the entries [Requester] and [Nobody]. An empty
// list is valid and notifies no one.
func CheckNotify(path string, list []string) []Problem {
	var c checker
	if len(list) > MaxNotify {
		c.add(path, ErrNotify, "has %d entries; at most %d are notified", len(list), MaxNotify)
	}
	for i, who := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		e, ok := ParseEntry(who)
		switch {
		case who == Requester:
		case who == Nobody && len(list) > 1:
			c.add(at, ErrNotify, "%q must be the only entry", Nobody)
		case who == Nobody:
		case e.Word != "":
			c.add(at, ErrNotify, "%q cannot be notified; name people and groups", who)
		case !ok, len(who) > MaxName:
			c.add(at, ErrNotify, "%q is neither %q nor \"<platform>:<id>\" such as \"slack:U0000001\"", shorten(who), Requester)
		}
	}
	return c.problems
}

// NormalNotify returns the canonical form of a notification list: [Nobody] becomes an empty
// list, and duplicates are removed. Nil stays nil.
func NormalNotify(list []string) []string {
	if list == nil {
		return nil
	}
	normal := make([]string, 0, len(list))
	if len(list) == 1 && list[0] == Nobody {
		return normal
	}
	for _, who := range list {
		if !slices.Contains(normal, who) {
			normal = append(normal, who)
		}
	}
	return normal
}
