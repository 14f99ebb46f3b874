package record

import (
	"slices"
	"time"
)

// Lease is how long the replica that changed a record has to update its cards and webhook before
// another replica takes over.
const Lease = 10 * time.Second

// EndLease is the lease for a record that has ended and whose cards and reminders are all posted. They still show
// buttons, and the remaining calls may be made twice without harm, so other replicas do not wait
// for long. Calls that take longer extend the lease.
const EndLease = 2 * time.Second

func leaseOf(r *Record) time.Duration {
	if r.Open() || slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.unposted() || c.Saying != c.Said }) {
		return Lease
	}
	return EndLease
}

// HasEndLease reports whether the record's deliveries are leased for [EndLease] only.
func HasEndLease(r *Record) bool { return leaseOf(r) == EndLease }

// lease leaves the deliveries of a record to the replica that changes it now.
func lease(r *Record, now time.Time) { r.DeliveryDue = now.Add(leaseOf(r)) }

// leaseIfBehind is lease for a record with stale cards. While a process is posting a card, its lease
// is not extended, so that a replica can take over from it: people who keep acting must not prevent
// that.
func leaseIfBehind(r *Record, now time.Time) {
	if Behind(r) && (r.DeliveryDue.IsZero() || !posting(r)) {
		lease(r, now)
	}
}

// Unposted reports whether a card of the open request is not posted yet. While it is pending, one
// process posts it: the one that stored the request, that acquired the card (see [Record.Acquire]),
// or that has claimed the record since. All others leave it alone.
func Unposted(r *Record, c Copy) bool { return r.Open() && c.unposted() }

// PendingCopies returns which cards of the open request a process is posting, or crashed while posting.
func PendingCopies(r *Record) []int {
	var all []int
	for n, c := range r.Copies {
		if pending(r, c) {
			all = append(all, n)
		}
	}
	return all
}

func pending(r *Record, c Copy) bool { return Unposted(r, c) && c.State == Pending }

// posting reports whether a process is posting a card of the open request.
func posting(r *Record) bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool { return pending(r, c) })
}

// HasFree reports whether a card of the open request is due to be posted by a moment and no process
// has acquired it.
func HasFree(r *Record, until time.Time) bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool { return free(r, c, until) })
}

func free(r *Record, c Copy, until time.Time) bool {
	return Unposted(r, c) && c.State == Delayed && !c.RetryAt.After(until)
}

// Acquire gives the caller the cards that are free to be posted, and returns which. It returns
// [ErrUnchanged] if there are none: another replica may have acquired them.
func (r *Record) Acquire(until, now time.Time) (taken []int, err error) {
	for n := range r.Copies {
		if c := &r.Copies[n]; free(r, *c, until) {
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

// ExtendLease keeps the deliveries with the current replica for another [Lease].
func (r *Record) ExtendLease(now time.Time) error {
	if r.DeliveryDue.IsZero() || r.DeliveryDue.After(now.Add(Lease/2)) {
		return ErrUnchanged
	}
	r.DeliveryDue = now.Add(Lease)
	return nil
}

// NeedsCall reports whether a copy needs a call to its platform.
func NeedsCall(r *Record, c Copy) bool {
	switch c.State {
	case Pending, Delayed:
		return c.Ref == (MessageRef{}) || c.Rendered < r.Revision
	case Posted:
		return c.Rendered < r.Revision || needsSearch(r, c) || NeedsWork(r, c, false)
	}
	return false
}

// needsSearch reports whether an unknown second card has to be searched for: once the request has
// ended, every card must be closed.
func needsSearch(r *Record, c Copy) bool { return c.Ambiguous && !r.Open() }

// NeedsWebhook reports whether the agent has to be called: about the end, or about a question from a
// person.
func NeedsWebhook(r *Record) bool {
	return !r.Open() && r.Webhook != nil && r.Webhook.State == Due || r.UnreportedQuestion() > 0
}

// Behind reports whether a copy, a reminder or the webhook needs a call that is not postponed, and that no process
// is known to be making.
func Behind(r *Record) bool {
	if NeedsWebhook(r) && r.Webhook.RetryAt.IsZero() ||
		slices.ContainsFunc(OutdatedReminders(r), func(m Reminder) bool { return m.RetryAt.IsZero() }) {
		return true
	}
	for _, c := range r.Copies {
		if NeedsCall(r, c) && c.RetryAt.IsZero() && !pending(r, c) {
			return true
		}
	}
	return false
}

// NextAttempt returns the earliest time of a postponed call, and whether there is one.
func NextAttempt(r *Record) (next time.Time, postponed bool) {
	retry := func(at time.Time) {
		if !at.IsZero() && (!postponed || at.Before(next)) {
			next, postponed = at, true
		}
	}
	if NeedsWebhook(r) {
		retry(r.Webhook.RetryAt)
	}
	for _, m := range OutdatedReminders(r) {
		retry(m.RetryAt)
	}
	for _, c := range r.Copies {
		if NeedsCall(r, c) {
			retry(c.RetryAt)
		}
	}
	return next, postponed
}

// hasFailed reports whether a call was postponed because one failed.
func hasFailed(r *Record) bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool { return NeedsCall(r, c) && c.Problem != "" })
}

// undeliverable returns the reasons if no copy, with the files of the request, is or can be posted.
func undeliverable(r *Record) string {
	why := ""
	for _, c := range r.Copies {
		switch {
		case c.Adopted && len(r.Files) > 0:
			continue // Files are uploaded below the other card.
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

// Resend makes all stale cards and the webhook due again, even postponed ones. It retries a copy that
// could not be posted while the request is open, redraws a posted card and reposts a deleted one, and
// calls a webhook that is waiting or dead. It returns [ErrUnchanged] if there is nothing to do.
func (r *Record) Resend(now time.Time) error {
	changed := false
	for n := range r.Copies {
		changed = resend(r, &r.Copies[n]) || changed
	}
	if w := r.Webhook; w != nil && !r.Open() && (w.State == Dead || w.State == Due && !w.RetryAt.IsZero()) {
		r.Webhook = &Webhook{Address: w.Address, State: Due}
		changed = true
	}
	if !changed {
		return ErrUnchanged
	}
	r.Attempts = 0
	leaseIfBehind(r, now)
	return nil
}

// resend is Resend for one copy.
func resend(r *Record, c *Copy) (changed bool) {
	switch placed := c.Ref != (MessageRef{}); {
	case placed && c.State != Undeliverable:
		c.State, c.Rendered, c.Reposted, c.Problem, c.RetryAt = Posted, 0, false, "", time.Time{}
		if c.Filing == Unfilable && r.Open() {
			c.Filing = Unfiled
		}
	case c.State == Undeliverable && r.Open():
		ambiguous := c.Ambiguous
		*c = c.requeued()
		c.Ambiguous = ambiguous
	case c.State == Delayed && !c.RetryAt.IsZero():
		c.Problem, c.Queue, c.RetryAt = "", 0, time.Time{}
	default:
		return false
	}
	return true
}

// UnreportedQuestion is the number of the last question that the webhook was not called for; zero if
// there is none.
func (r *Record) UnreportedQuestion() int {
	if n := len(r.AskedBack); r.Open() && r.Webhook != nil && r.Webhook.Asked < n {
		return n
	}
	return 0
}
