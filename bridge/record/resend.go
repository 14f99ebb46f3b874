package record

import "time"

// Resend has everything outside brought up to date that is not. A copy that could not
// be posted is tried again while the request is open, a card is drawn anew where it
// stands and put back where it was deleted, and an agent whose webhook waits or was
// given up is called again.
//
// A post that was put off is made now where mine tells that the caller is the one who
// waits for its time, or where that time is further away than rest, for which
// another replica may wait. It returns [ErrUnchanged] when there is nothing to do, and
// leaves DeliveryDue alone when somebody else may be posting a card just now: whoever
// does comes back to the record.
func (r *Record) Resend(mine bool, rest time.Duration, now time.Time) error {
	posting := !mine && r.beingPosted(now)
	changed := false
	for n := range r.Copies {
		c := &r.Copies[n]
		waits := c.RetryAt.After(now) && (mine || c.RetryAt.After(now.Add(rest)))
		changed = r.resend(c, waits) || changed
	}
	if w := r.Webhook; w != nil && !r.Open() && (w.State == Dead || w.State == Due && !w.RetryAt.IsZero()) {
		r.Webhook = &Webhook{Address: w.Address, State: Due}
		changed = true
	}
	if !changed {
		return ErrUnchanged
	}
	r.Attempts = 0
	if !posting {
		r.DeliveryDue = now.Add(r.lease())
	}
	return nil
}

// resend is Resend for one copy, whose time to be posted may be waited for.
func (r *Record) resend(c *Copy, waits bool) (changed bool) {
	switch stood := c.Ref != (MessageRef{}); {
	case stood && c.State != Undeliverable:
		c.State, c.Rendered, c.Reposted, c.Problem, c.RetryAt = Posted, 0, false, "", time.Time{}
	case c.State == Undeliverable && r.Open():
		*c = Copy{Target: c.Target, State: Pending, Ambiguous: c.Ambiguous, Reposted: c.Reposted, Quiet: c.Quiet, Missed: c.Missed, Step: c.Step, Said: c.Said, Saying: c.Saying}
	case unposted(*c) && waits:
		c.Problem, c.RetryAt = "", time.Time{}
	default:
		return false
	}
	return true
}

// beingPosted reports whether somebody may be posting a card of the record just now.
func (r *Record) beingPosted(now time.Time) bool {
	for _, c := range r.Copies {
		if unposted(c) && !c.RetryAt.After(now) {
			return r.DeliveryDue.After(now)
		}
	}
	return false
}
