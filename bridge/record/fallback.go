package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Fallback is where an open request is asked if its origin, the first copy, cannot be posted to.
type Fallback struct {
	Places []ask.Place
	// Language replaces [Record.Language] there.
	Language string
}

// fallBack adds the places of the fallback once the origin is undeliverable. The copy of the origin
// stays, with the reason.
func fallBack(r *Record, now time.Time) {
	if r.Fallback == nil || !r.Open() || r.Held != nil || r.Copies[0].State != Undeliverable {
		return
	}
	done := announcements(r)
	for _, place := range r.Fallback.Places {
		if !slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Target == place }) {
			r.Copies = append(r.Copies, Copy{Target: place, State: Delayed, Said: done, Saying: done})
		}
	}
	r.Language, r.Fallback = r.Fallback.Language, nil
	redrawAll(r, now)
}
