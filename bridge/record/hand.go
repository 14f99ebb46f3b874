package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// HandOn notes that the answer of a request was handed on to an equal one that came later,
// and reports whether it was: where one person has answered it on its card, within so long.
// What several people decide, what may be done, what was revised since, what the agent did
// not go by, and an answer of which a text was erased, is asked anew.
func (r *Record) HandOn(within time.Duration, now time.Time) bool {
	switch o := &r.Outcome; {
	case o.State != ask.Answered, o.Via != "", r.Voting != nil, r.Permit != nil, r.Revised > 0,
		r.Receipt != nil && r.Receipt.Instead != "", lacksText(o), now.After(r.EndedAt.Add(within)):
		return false
	}
	r.Handed++
	r.HandedAt = now
	r.Revision++
	r.DeliveryDue = now.Add(r.lease())
	return true
}

// Join notes that an equal request shares this one, which is open, so that people know how
// many they decide about. It returns [ErrUnchanged] where it has ended, or has been decided
// and can still be undone: nobody decided about what came after that.
func (r *Record) Join(now time.Time) error {
	if r.CatchUp(now) == nil {
		return nil
	}
	if !r.Open() || r.Held != nil {
		return ErrUnchanged
	}
	r.Joined++
	r.anew(now)
	r.DeliveryDue = now.Add(r.lease())
	return nil
}
