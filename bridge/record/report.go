package record

import (
	"slices"
	"time"
)

// Report is the result of one attempt to update cards and webhook.
type Report struct {
	// Copies are the results by copy, in the order of the record when the attempt began; nil
	// where no call was made.
	Copies []Result
	// Reminders are the results of editing outdated reminders.
	Reminders []*ReminderEdit
	// Call is the result of calling the webhook; nil if that was not due.
	Call *CallResult
}

// ApplyReport stores the results of an attempt, schedules the next one, and ends the request as
// failed if no copy can be delivered. It reports whether it ended the request.
func (r *Record) ApplyReport(done Report, now time.Time) (ended bool, err error) {
	tried := done.Call != nil
	for n, result := range done.Copies {
		if result != nil {
			tried = true
			result.write(r, &r.Copies[n], now)
		}
	}
	for _, edit := range done.Reminders {
		if edit != nil {
			tried = true
			edit.write(r, now)
		}
	}
	if done.Call != nil {
		done.Call.write(r, now)
	}
	fallBack(r, now)
	next, postponed := NextAttempt(r)
	switch {
	case posting(r) && !r.DeliveryDue.IsZero():
		next = r.DeliveryDue // As in leaseIfBehind.
	case postponed:
		next = next.Add(leaseOf(r)) // A process that waits for it comes first.
	case Behind(r), posting(r), slices.ContainsFunc(r.Copies, func(c Copy) bool { return NeedsWork(r, c, true) }):
		next = now.Add(leaseOf(r))
	default:
		next = receiptDue(r)
	}
	if !tried && r.DeliveryDue.Equal(next) {
		return false, ErrUnchanged
	}
	switch {
	case !postponed || !hasFailed(r):
		r.Attempts = 0
	case r.Attempts < soonAttempts || slices.ContainsFunc(done.Copies, countsAsAttempt):
		r.Attempts++
	}
	r.DeliveryDue = next
	why := undeliverable(r)
	if why == "" || !r.Open() || r.Held != nil {
		return false, nil
	}
	fail(r, why, now)
	if !Behind(r) {
		r.DeliveryDue = time.Time{}
	}
	return true, nil
}

// countsAsAttempt reports whether a result is a failure after enough of which a card is given up. A
// rate limit is not: it does not depend on the card.
func countsAsAttempt(result Result) bool {
	switch failed := result.(type) {
	case Both:
		return countsAsAttempt(failed.First) || countsAsAttempt(failed.Then)
	case NotAnnounced:
		return countsAsAttempt(failed.Failure)
	case FilesFailed:
		return countsAsAttempt(failed.Failure)
	case Failure:
		return failed.Wait == 0
	case Unprepared:
		return true
	}
	return false
}
