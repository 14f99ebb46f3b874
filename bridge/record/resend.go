package record

import "time"

// Resend has everything outside brought up to date that is not, whatever was put off. A
// copy that could not be posted is tried again while the request is open, a card is drawn
// anew where it stands and put back where it was deleted, and an agent whose webhook waits
// or was given up is called again. It returns [ErrUnchanged] when there is nothing to do.
func (r *Record) Resend(now time.Time) error {
	changed := false
	for n := range r.Copies {
		changed = r.resend(&r.Copies[n]) || changed
	}
	if w := r.Webhook; w != nil && !r.Open() && (w.State == Dead || w.State == Due && !w.RetryAt.IsZero()) {
		r.Webhook = &Webhook{Address: w.Address, State: Due}
		changed = true
	}
	if !changed {
		return ErrUnchanged
	}
	r.Attempts = 0
	r.lag(now)
	return nil
}

// resend is Resend for one copy.
func (r *Record) resend(c *Copy) (changed bool) {
	switch stood := c.Ref != (MessageRef{}); {
	case stood && c.State != Undeliverable:
		c.State, c.Rendered, c.Reposted, c.Problem, c.RetryAt = Posted, 0, false, "", time.Time{}
		if c.Filing == Unfilable && r.Open() {
			c.Filing = Unfiled
		}
	case c.State == Undeliverable && r.Open():
		*c = Copy{Target: c.Target, State: Delayed, Ambiguous: c.Ambiguous, Reposted: c.Reposted, Quiet: c.Quiet, Missed: c.Missed, Step: c.Step, Said: c.Said, Saying: c.Saying}
	case c.State == Delayed && !c.RetryAt.IsZero():
		c.Problem, c.Queue, c.RetryAt = "", 0, time.Time{}
	default:
		return false
	}
	return true
}
