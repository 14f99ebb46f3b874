package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// ReceiptWait is how long the agent has to take an answer before the cards say that
// nobody has.
const ReceiptWait = 10 * time.Minute

// Receipt is whether the agent has taken what a person decided.
type Receipt struct {
	// TakenAt is when it has; zero while it has not.
	TakenAt time.Time
	// Missing tells that nobody had taken it after [ReceiptWait].
	Missing bool
	// Instead is what the agent went by in place of the answer, in its own words: its host
	// asked elsewhere too, and took what was said there. Empty where it went by the answer.
	Instead string
}

// Awaited reports whether the agent has still to take what a person decided.
func (r *Record) Awaited() bool {
	return r.Receipt != nil && r.ByPeople() && r.Receipt.TakenAt.IsZero()
}

// ByPeople reports whether the request has ended by what people decided: one of them, or
// their votes.
func (r *Record) ByPeople() bool {
	return !r.Open() && (r.Outcome.By.ID != "" || r.Outcome.State == ask.Answered && len(r.Outcome.Votes) > 0)
}

// Take takes note that the agent has what a person decided. It returns [ErrUnchanged]
// where it had that before, or nobody asked for receipts.
func (r *Record) Take(now time.Time) error {
	if !r.Awaited() {
		return ErrUnchanged
	}
	r.take(now)
	r.DeliveryDue = now.Add(r.lease())
	return nil
}

func (r *Record) take(now time.Time) {
	r.Receipt = &Receipt{TakenAt: asStored(now)}
	r.Revision++
}

// Overrule takes note that the agent went by something else than what people answered,
// which it says in words. The answer stays as it was given. It returns [ErrUnchanged] where
// nobody has answered, and where it has said so before.
func (r *Record) Overrule(instead string, now time.Time) error {
	if r.Outcome.State != ask.Answered || !r.ByPeople() || r.Receipt != nil && r.Receipt.Instead != "" {
		return ErrUnchanged
	}
	r.take(now)
	r.Receipt.Instead = instead
	r.DeliveryDue = now.Add(r.lease())
	return nil
}

// Missing takes note that nobody has taken what a person decided, once it has been there
// for [ReceiptWait]. It returns [ErrUnchanged] before, and where it says so already.
func (r *Record) Missing(now time.Time) error {
	if !r.Awaited() || r.Receipt.Missing || now.Before(r.EndedAt.Add(ReceiptWait)) {
		return ErrUnchanged
	}
	r.Receipt = &Receipt{Missing: true}
	r.Revision++
	r.DeliveryDue = now.Add(r.lease())
	return nil
}

// receiptDue is when somebody has to look whether the agent has taken it; zero for never.
func (r *Record) receiptDue() time.Time {
	if !r.Awaited() || r.Receipt.Missing {
		return time.Time{}
	}
	return r.EndedAt.Add(ReceiptWait)
}
