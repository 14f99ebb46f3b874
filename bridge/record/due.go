package record

import (
	"time"
)

// nextDue is the earliest moment at which an open record changes by itself.
func nextDue(r *Record) time.Time {
	next := closesAt(r)
	if step, ok := r.Schedule.next(); ok && r.Held == nil && step.At.Before(next) {
		next = step.At
	}
	return next
}

// stepDue reports whether a step has to happen before anything else does. It compares the time only
// with Due, as a [Transition] must.
func stepDue(r *Record, now time.Time) bool {
	return r.Open() && r.Schedule != nil && !now.Before(r.Due) && !r.Due.Equal(closesAt(r)) && !isOverdue(r, now)
}

// closesAt is when an open record ends by itself. The deadline does not end a request that was decided
// before it.
func closesAt(r *Record) time.Time {
	switch {
	case r.Held != nil:
		return r.Held.Until
	case r.Deadline.IsZero():
		return Forever
	}
	return r.Deadline
}

// isOverdue reports whether the request is open and should have ended by itself.
func isOverdue(r *Record, now time.Time) bool { return r.Open() && !now.Before(closesAt(r)) }

// tooLate is the verdict on an act that found the request ending by itself.
func tooLate(r *Record) Verdict {
	if r.Winner != "" {
		return Closed // A person had decided it.
	}
	return Late
}

// Forever is the due time of an open request without a deadline.
var Forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
