package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Begin sets the times of a record before it is stored for the first time. The request expires after
// expiresIn, unless that is [ask.Never].
func (r *Record) Begin(expiresIn time.Duration, now time.Time) {
	r.Created = now
	if expiresIn != ask.Never {
		r.Deadline = now.Add(expiresIn)
	}
	r.Schedule = r.Schedule.begun(now, r.Deadline)
	r.Due = nextDue(r)
	r.DeliveryDue = now.Add(Lease)
}

// catchUp ends a request that is overdue: the held decision becomes final, or the deadline ends it.
// Every other transition of an open record begins with it, so that no outcome depends on when a
// replica ran. It returns [ErrUnchanged] if the request is not overdue.
func catchUp(r *Record, now time.Time) error {
	switch h := r.Held; {
	case !isOverdue(r, now):
		return ErrUnchanged
	case h != nil:
		end(r, h.Outcome, now)
		r.Winner, r.WonAt = h.Winner, h.WonAt
	default:
		end(r, outcomeAtDeadline(r), now)
	}
	return nil
}

// outcomeAtDeadline is the outcome of a request whose time is up.
func outcomeAtDeadline(r *Record) ask.Outcome {
	if r.Voting != nil {
		return countOf(r).atDeadline()
	}
	return ask.Outcome{State: ask.Expired, Reason: unanswered}
}

// end ends the request.
func end(r *Record, o ask.Outcome, now time.Time) {
	if o.At.IsZero() {
		o.At = now
	}
	if v := r.Voting; v != nil {
		c := countOf(r)
		o.Votes, o.Tally = c.votes(), c.tally()
		v.Ballots = nil // The votes replace them, and no more acts count.
	}
	r.Outcome, r.Held = o, nil
	r.EndedAt = now
	r.Due = time.Time{}
	r.Drafts, r.Recent = nil, nil
	resetBackoff(r)
	r.Attempts = 0
	if r.Webhook != nil && r.Webhook.State == Due {
		r.Webhook = &Webhook{Address: r.Webhook.Address, State: Due, Asked: r.Webhook.Asked}
	}
	r.Revision++
	lease(r, now)
}

// fail ends the request because it cannot be delivered.
func fail(r *Record, why string, now time.Time) {
	end(r, ask.Outcome{State: ask.Failed, Reason: why}, now)
}

// Withdraw ends an open request on behalf of the agent.
func (r *Record) Withdraw(state ask.State, reason string, now time.Time) error {
	return endUnanswered(r, ask.Outcome{State: state, Reason: reason}, now)
}

func endUnanswered(r *Record, o ask.Outcome, now time.Time) error {
	if catchUp(r, now) == nil {
		return nil
	}
	if !r.Open() {
		return ErrUnchanged
	}
	end(r, o, now)
	return nil
}

// ResolveFromGrant ends a new request that an existing grant covers. It is never posted.
func (r *Record) ResolveFromGrant(o ask.Outcome, now time.Time) {
	r.Copies = nil
	end(r, o, now)
}

// Replaceable reports whether a request of this tenant and session, with this ID, may replace the
// record.
func Replaceable(r *Record, tenant, session, id string) bool {
	return r.Tenant == tenant && r.Session == session && r.ID != id
}

// viaRequest starts [ask.Outcome.Via] of a superseded request; the ID of its replacement follows.
const viaRequest = "request:"

// Supersede ends an open request that next replaces.
func (r *Record) Supersede(next *Record, now time.Time) error {
	if !Replaceable(r, next.Tenant, next.Session, next.ID) {
		return ErrUnchanged
	}
	return endUnanswered(r, ask.Outcome{State: ask.Superseded, Reason: "replaced by a newer request", Via: viaRequest + next.ID}, now)
}
