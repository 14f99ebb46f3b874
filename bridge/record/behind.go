package record

import (
	"slices"
	"time"
)

// Lease is how long whoever changed a record has to bring the outside world up
// to date before another replica takes over.
const Lease = 10 * time.Second

// EndLease is the same for a record that has ended and whose cards all stand. They
// still show buttons, and what is left to do may be done twice without harm, so
// another replica does not wait for long. Calls that take longer extend it.
const EndLease = 2 * time.Second

// lease is how long the deliveries of a record are left to whoever changed it.
func (r *Record) lease() time.Duration {
	if r.Open() || slices.ContainsFunc(r.Copies, unposted) {
		return Lease
	}
	return EndLease
}

// HeldBriefly reports whether deliveries of the record are left to whoever changed
// it for no longer than [EndLease].
func (r *Record) HeldBriefly() bool { return r.lease() == EndLease }

// unposted reports whether the card does not stand yet, as far as anybody has noted.
func unposted(c Copy) bool {
	return c.Ref == (MessageRef{}) && (c.State == Pending || c.State == Delayed)
}

// Unposted reports whether the card of the open request does not stand yet. While it is
// pending, one process posts it: the one that stored the request, that took the card (see
// [Record.Acquire]), or that has claimed the record since. All others leave it alone.
func (r *Record) Unposted(c Copy) bool { return r.Open() && unposted(c) }

// Pending returns which cards of the open request somebody is posting, or has died over.
func (r *Record) Pending() []int {
	var all []int
	for n, c := range r.Copies {
		if r.pending(c) {
			all = append(all, n)
		}
	}
	return all
}

func (r *Record) pending(c Copy) bool { return r.Unposted(c) && c.State == Pending }

// posting reports whether somebody is posting a card of the open request.
func (r *Record) posting() bool { return slices.ContainsFunc(r.Copies, r.pending) }

// Free reports whether a card of the open request is put off to no later than a moment, so
// that whoever comes first can take it.
func (r *Record) Free(until time.Time) bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool { return r.free(c, until) })
}

func (r *Record) free(c Copy, until time.Time) bool {
	return r.Unposted(c) && c.State == Delayed && !c.RetryAt.After(until)
}

// Acquire takes note that the caller posts the cards that are free, and returns which. It
// returns [ErrUnchanged] where there is none: another replica may have taken them.
func (r *Record) Acquire(until, now time.Time) (taken []int, err error) {
	for n := range r.Copies {
		if c := &r.Copies[n]; r.free(*c, until) {
			c.State, c.Queue, c.RetryAt = Pending, 0, time.Time{}
			taken = append(taken, n)
		}
	}
	if taken == nil {
		return nil, ErrUnchanged
	}
	r.DeliveryDue = now.Add(Lease)
	return taken, nil
}

// lag leaves the cards that are behind to whoever changed the record, for a time. Where
// somebody is posting one, whoever takes over from them brings up all: people who act again
// and again must not keep that away.
func (r *Record) lag(now time.Time) {
	if r.Behind() && (r.DeliveryDue.IsZero() || !r.posting()) {
		r.DeliveryDue = now.Add(r.lease())
	}
}

// Extend keeps the deliveries with whoever has them for another [Lease].
func (r *Record) Extend(now time.Time) error {
	if r.DeliveryDue.IsZero() || r.DeliveryDue.After(now.Add(Lease/2)) {
		return ErrUnchanged
	}
	r.DeliveryDue = now.Add(Lease)
	return nil
}

// Wants reports whether a copy needs a call to its platform.
func (r *Record) Wants(c Copy) bool {
	switch c.State {
	case Pending, Delayed:
		return c.Ref == (MessageRef{}) || c.Rendered < r.Revision
	case Posted:
		return c.Rendered < r.Revision || r.doubts(c) || r.WantsWork(c, false)
	}
	return false
}

// doubts reports whether another card may stand beside this one, unknown to us,
// and has to be looked for: once the request has ended, all have to be closed.
func (r *Record) doubts(c Copy) bool { return c.Ambiguous && !r.Open() }

// WantsCall reports whether the agent has to be called: about the end, or about what a
// person asked.
func (r *Record) WantsCall() bool {
	return !r.Open() && r.Webhook != nil && r.Webhook.State == Due || r.News() > 0
}

// Behind reports whether a copy or the agent needs a call that nothing puts off, and that
// nobody makes as far as is known.
func (r *Record) Behind() bool {
	if r.WantsCall() && r.Webhook.RetryAt.IsZero() {
		return true
	}
	for _, c := range r.Copies {
		if r.Wants(c) && c.RetryAt.IsZero() && !r.pending(c) {
			return true
		}
	}
	return false
}

// NextAttempt returns the earliest time to which a call has been put off, and
// whether any has.
func (r *Record) NextAttempt() (next time.Time, putOff bool) {
	if r.WantsCall() && !r.Webhook.RetryAt.IsZero() {
		next, putOff = r.Webhook.RetryAt, true
	}
	for _, c := range r.Copies {
		if r.Wants(c) && !c.RetryAt.IsZero() && (!putOff || c.RetryAt.Before(next)) {
			next, putOff = c.RetryAt, true
		}
	}
	return next, putOff
}

// troubled reports whether a call was put off because one failed.
func (r *Record) troubled() bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool { return r.Wants(c) && c.Problem != "" })
}

// undeliverable returns the reasons when no copy stands or ever will, with all that is asked
// about.
func (r *Record) undeliverable() string {
	why := ""
	for _, c := range r.Copies {
		switch {
		case c.Adopted && len(r.Files) > 0:
			continue // Files are uploaded below the card beside it.
		case c.State != Undeliverable && c.Filing != Unfilable:
			return ""
		}
		if why != "" {
			why += "; "
		}
		why += c.Target.String() + ": " + c.Problem
	}
	return why
}
