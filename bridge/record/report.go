package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/internal/wait"
)

const (
	// soonAttempts is how often an update is tried with the short backoff, over about a quarter of an hour.
	soonAttempts = 20
	// maxAttempts is how often it is tried in all, over about a day, before the card is given up.
	maxAttempts = 120
	// longAttempts is the same for failures that a person has to fix first.
	longAttempts = 20
)

// Report is the result of one attempt to update cards and webhook.
type Report struct {
	// Copies are the results by copy, in the order of the record when the attempt began; nil
	// where no call was made.
	Copies []Result
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
	if done.Call != nil {
		done.Call.write(r, now)
	}
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
// rate limit is not: it says nothing about the card.
func countsAsAttempt(result Result) bool {
	switch failed := result.(type) {
	case Both:
		return countsAsAttempt(failed.First) || countsAsAttempt(failed.Then)
	case Unsaid:
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

// updateBackoff is the short backoff at first, and then grows to a quarter of an hour, for a platform
// that stays down.
func updateBackoff(attempts int, spread float64) time.Duration {
	if attempts < soonAttempts {
		return Backoff(attempts, spread)
	}
	return jitter(wait.Backoff(2*time.Minute, 15*time.Minute, attempts-soonAttempts), spread)
}

// longBackoff grows from ten minutes to six hours, for failures that a person has to fix without being
// asked to. All attempts together take about four days.
func longBackoff(attempts int, spread float64) time.Duration {
	return jitter(wait.Backoff(10*time.Minute, 6*time.Hour, attempts), spread)
}

// jitter is between three quarters and five quarters of a pause.
func jitter(pause time.Duration, spread float64) time.Duration {
	return pause*3/4 + time.Duration(spread*float64(pause/2))
}

// Backoff grows from a second to a minute. Spread is a random number from 0 up to 1 that keeps many
// records from retrying at the same time.
func Backoff(attempts int, spread float64) time.Duration {
	pause := wait.Backoff(time.Second, time.Minute, attempts)
	return pause/2 + time.Duration(spread*float64(pause))
}
