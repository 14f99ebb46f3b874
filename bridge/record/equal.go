package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// HandOn counts that the answer is reused for a later equal request, and reports whether it may be:
// one person must have answered on a card, no longer than within ago. Votes, permissions, revised
// requests, overruled answers and answers with erased texts are asked again.
func (r *Record) HandOn(within time.Duration, now time.Time) bool {
	switch o := &r.Outcome; {
	case o.State != ask.Answered, o.Via != "", r.Voting != nil, r.Permit != nil, r.Revised > 0,
		r.Receipt != nil && r.Receipt.Instead != "", lacksText(o), now.After(r.EndedAt.Add(within)):
		return false
	}
	r.Handed++
	r.HandedAt = now
	r.Revision++
	lease(r, now)
	return true
}

// Join counts that an equal request shares this open one, so that cards show how many requests the
// decision covers. It returns [ErrUnchanged] if the request has ended, or is decided and can still be
// undone: that decision did not cover the new request.
func (r *Record) Join(now time.Time) error {
	if catchUp(r, now) == nil {
		return nil
	}
	if !r.Open() || r.Held != nil {
		return ErrUnchanged
	}
	r.Joined++
	redrawAll(r, now)
	lease(r, now)
	return nil
}
