package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Begin sets the moments of a record that is about to be stored for the first
// time. The request lives for so long, or for ever with [ask.Never].
func (r *Record) Begin(expiresIn time.Duration, now time.Time) {
	r.Created = now
	if expiresIn != ask.Never {
		r.Deadline = now.Add(expiresIn)
	}
	r.begin(now)
	r.Due = r.nextDue()
	r.DeliveryDue = now.Add(Lease)
}

// moment is when an open record changes by itself next. What is decided before the
// deadline is not ended by it.
func (r *Record) moment() time.Time {
	switch {
	case r.Held != nil:
		return r.Held.Until
	case r.Deadline.IsZero():
		return Forever
	}
	return r.Deadline
}

// Overdue reports whether the request is open and a moment at which it changes by
// itself has passed.
func (r *Record) Overdue(now time.Time) bool { return r.Open() && !now.Before(r.moment()) }

// CatchUp applies what became due by the store's clock, one moment at a time: what is
// held becomes final, or the deadline ends the request. Every other transition of an
// open record begins with it, so that no outcome depends on when somebody looked.
func (r *Record) CatchUp(now time.Time) error {
	switch {
	case !r.Overdue(now):
		return ErrUnchanged
	case r.Held != nil:
		r.release(now)
	default:
		r.end(r.timeUp(), now)
	}
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
	return r.endUnanswered(ask.Outcome{State: state, Reason: reason}, now)
}

func (r *Record) endUnanswered(o ask.Outcome, now time.Time) error {
	if r.CatchUp(now) == nil {
		return nil
	}
	if !r.Open() {
		return ErrUnchanged
	}
	r.end(o, now)
	return nil
}

// decided ends the request by a person's act, at once or when it cannot be undone any
// more.
func (r *Record) decided(o ask.Outcome, a Act, m DraftMode, now time.Time) Decision {
	if r.Permit != nil {
		r.Token = a.Token
	}
	if r.Hold > 0 {
		r.hold(o, a, m, now)
		return Decision{Verdict: Tentative}
	}
	r.end(o, now)
	r.Winner, r.WonAt = a.ID, a.Message
	return Decision{Verdict: Completed}
}

func (r *Record) end(o ask.Outcome, now time.Time) {
	if o.At.IsZero() {
		o.At = now
	}
	if v := r.Voting; v != nil {
		o.Votes, o.Tally = r.votes(), r.tally()
		v.Ballots = nil // The votes say it all, and nobody acts any more.
	}
	r.Outcome, r.Held = o, nil
	r.EndedAt = now
	r.Due = time.Time{}
	r.Drafts, r.Recent = nil, nil
	r.afresh()
	r.Attempts = 0
	if r.Webhook != nil && r.Webhook.State == Due {
		r.Webhook = &Webhook{Address: r.Webhook.Address, State: Due, Asked: r.Webhook.Asked}
	}
	r.Revision++
	r.DeliveryDue = now.Add(r.lease())
}

// Meet ends a request as it is made, where what people have decided before meets it.
// It is shown to nobody.
func (r *Record) Meet(o ask.Outcome, now time.Time) {
	r.Copies = nil
	r.end(o, now)
}

// ReplacedBy reports whether a request of this tenant and session, with this id,
// may take the record's place.
func (r *Record) ReplacedBy(tenant, session, id string) bool {
	return r.Tenant == tenant && r.Session == session && r.ID != id
}

// viaRequest starts [ask.Outcome.Via] of a superseded request; the id of its replacement follows.
const viaRequest = "request:"

// Supersede ends an open request that next replaces.
func (r *Record) Supersede(next *Record, now time.Time) error {
	if !r.ReplacedBy(next.Tenant, next.Session, next.ID) {
		return ErrUnchanged
	}
	return r.endUnanswered(ask.Outcome{State: ask.Superseded, Reason: "replaced by a newer request", Via: viaRequest + next.ID}, now)
}
