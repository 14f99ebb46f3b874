package ask

import (
	"fmt"
	"slices"
)

// The entries of [Request.Notify] that name no one person or group.
const (
	// Requester is the person on whose behalf the agent asks.
	Requester = "requester"
	// Nobody stands alone and says what an empty list does, where a list cannot be
	// empty: on a command line, or in a query.
	Nobody = "nobody"
)

// MaxNotify is how many entries a list of who is told may have.
const MaxNotify = 20

// CheckNotify returns what is wrong with the form of a list of who is told: people such
// as "slack:U0000001", groups such as "slack-group:S0000001", and the words [Requester]
// and [Nobody]. An empty list is right, and tells nobody.
func CheckNotify(path string, list []string) []Problem {
	var c checker
	if len(list) > MaxNotify {
		c.add(path, ErrNotify, "has %d entries; at most %d are told", len(list), MaxNotify)
	}
	for i, who := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		e, ok := ParseEntry(who)
		switch {
		case who == Requester:
		case who == Nobody && len(list) > 1:
			c.add(at, ErrNotify, "%q stands alone", Nobody)
		case who == Nobody:
		case e.Word != "":
			c.add(at, ErrNotify, "%q is nobody who can be told; name people and groups", who)
		case !ok, len(who) > MaxName:
			c.add(at, ErrNotify, "%q is neither %q nor \"<platform>:<id>\" such as \"slack:U0000001\"", shorten(who), Requester)
		}
	}
	return c.problems
}

// NormalNotify returns a list of who is told in the form in which two lists that mean the
// same are the same: nobody is an empty list, and nobody is named twice. Nil stays nil.
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
