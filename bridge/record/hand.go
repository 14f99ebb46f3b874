package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// HandOn notes that the answer of a request was handed on to an equal one that came later,
// and reports whether it was: where one person has answered it on its card, within so long.
// What several people decide, what may be done, and what was revised since, is asked anew.
func (r *Record) HandOn(within time.Duration, now time.Time) bool {
	if r.Outcome.State != ask.Answered || r.Outcome.Via != "" || r.Voting != nil || r.Permit != nil || r.Revised > 0 || now.After(r.EndedAt.Add(within)) {
		return false
	}
	r.Handed++
	r.HandedAt = now
	r.Revision++
	r.DeliveryDue = now.Add(r.lease())
	return true
}
