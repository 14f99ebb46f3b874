package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Begin sets the moments of a record that is about to be stored for the first
// time. The request lives for so long, or for ever with [ask.Never].
func (r *Record) Begin(expiresIn time.Duration, now time.Time) {
	r.Created = now
	r.Due = Forever
	if expiresIn != ask.Never {
		r.Deadline = now.Add(expiresIn)
		r.Due = r.Deadline
	}
	r.DeliveryDue = now.Add(Lease)
}

// Overdue reports whether the request is open and its deadline has passed.
func (r *Record) Overdue(now time.Time) bool {
	return r.Open() && !r.Deadline.IsZero() && !now.Before(r.Deadline)
}

// Expire ends an open request whose deadline has passed by the store's clock.
func (r *Record) Expire(now time.Time) error {
	if !r.Overdue(now) {
		return ErrUnchanged
	}
	r.end(r.timeUp(), now)
	return nil
}

// timeUp is how the request ends at its deadline.
func (r *Record) timeUp() ask.Outcome {
	if r.Voting != nil {
		return r.unresolved()
	}
	return ask.Outcome{State: ask.Expired, Reason: "nobody answered in time"}
}

// Withdraw ends an open request on the agent's word.
func (r *Record) Withdraw(state ask.State, reason string, now time.Time) error {
	if r.Expire(now) == nil {
		return nil
	}
	if !r.Open() {
		return ErrUnchanged
	}
	r.end(ask.Outcome{State: state, Reason: reason}, now)
	return nil
}

// decided ends the request by a person's act.
func (r *Record) decided(o ask.Outcome, a Act, now time.Time) {
	r.end(o, now)
	r.Winner, r.WonAt = a.ID, a.Message
}

func (r *Record) end(o ask.Outcome, now time.Time) {
	o.At = now
	if v := r.Voting; v != nil {
		o.Votes, o.Tally = r.votes(), r.tally()
		v.Ballots = nil // The votes say it all, and nobody acts any more.
	}
	r.Outcome = o
	r.EndedAt = now
	r.Due = time.Time{}
	r.Drafts, r.Recent = nil, nil
	r.Attempts = 0
	r.Revision++
	r.DeliveryDue = now.Add(r.lease())
}

// ReplacedBy reports whether a request of this tenant and session, with this id,
// may take the record's place.
func (r *Record) ReplacedBy(tenant, session, id string) bool {
	return r.Tenant == tenant && r.Session == session && r.ID != id
}

// Supersede ends an open request in whose place next comes.
func (r *Record) Supersede(next *Record, now time.Time) error {
	if !r.ReplacedBy(next.Tenant, next.Session, next.ID) {
		return ErrUnchanged
	}
	return r.Withdraw(ask.Superseded, "replaced by a newer request", now)
}
