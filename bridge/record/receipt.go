package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// ReceiptWait is how long the agent has to acknowledge an answer before the cards show that it has not.
const ReceiptWait = 10 * time.Minute

// AwaitsReceipt reports whether the agent has yet to acknowledge what people decided.
func (r *Record) AwaitsReceipt() bool {
	return r.Receipt != nil && DecidedByPeople(r) && r.Receipt.TakenAt.IsZero()
}

// DecidedByPeople reports whether the request ended by what a person did, or by votes.
func DecidedByPeople(r *Record) bool {
	return !r.Open() && (r.Outcome.By.ID != "" || r.Outcome.State == ask.Answered && len(r.Outcome.Votes) > 0)
}

// Acknowledge records that the agent has received the decision. It returns [ErrUnchanged] if that is
// known already, or receipts are off.
func (r *Record) Acknowledge(now time.Time) error {
	if !r.AwaitsReceipt() {
		return ErrUnchanged
	}
	acknowledge(r, now)
	lease(r, now)
	return nil
}

func acknowledge(r *Record, now time.Time) {
	r.Receipt = &Receipt{TakenAt: asStored(now)}
	r.Revision++
}

// Overrule records that the agent used something other than the answer, described by instead. The
// answer does not change. It returns [ErrUnchanged] if there is no answer by a person, or it was
// overruled before.
func (r *Record) Overrule(instead string, now time.Time) error {
	if r.Outcome.State != ask.Answered || !DecidedByPeople(r) || r.Receipt != nil && r.Receipt.Instead != "" {
		return ErrUnchanged
	}
	acknowledge(r, now)
	r.Receipt.Instead = instead
	lease(r, now)
	return nil
}

// MarkUnacknowledged records that the agent did not acknowledge the decision within [ReceiptWait]. It
// returns [ErrUnchanged] before that time, and if it is recorded already.
func (r *Record) MarkUnacknowledged(now time.Time) error {
	if !r.AwaitsReceipt() || r.Receipt.Missing || now.Before(r.EndedAt.Add(ReceiptWait)) {
		return ErrUnchanged
	}
	r.Receipt = &Receipt{Missing: true}
	r.Revision++
	lease(r, now)
	return nil
}

// receiptDue is when to check for a receipt; zero for never.
func receiptDue(r *Record) time.Time {
	if !r.AwaitsReceipt() || r.Receipt.Missing {
		return time.Time{}
	}
	return r.EndedAt.Add(ReceiptWait)
}
