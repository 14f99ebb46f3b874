package record

import "time"

// ReceiptWait is how long the agent has to take an answer before the cards say that
// nobody has.
const ReceiptWait = 10 * time.Minute

// Receipt is whether the agent has taken what a person decided.
type Receipt struct {
	// TakenAt is when it has; zero while it has not.
	TakenAt time.Time
	// Missing tells that nobody had taken it after [ReceiptWait].
	Missing bool
}

// Awaited reports whether the agent has still to take what a person decided.
func (r *Record) Awaited() bool {
	return r.Receipt != nil && !r.Open() && r.Outcome.By.ID != "" && r.Receipt.TakenAt.IsZero()
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
	r.Receipt = &Receipt{TakenAt: now.UTC().Truncate(time.Microsecond)}
	r.Revision++
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
