// Package wait lets time pass: so long, as long as a backoff says, or a moment longer than a context lives.
package wait

import (
	"context"
	"time"
)

// For waits so long. It returns nil, or why ctx ended before.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// mostDoublings keeps a pause of hours from growing past what a duration holds.
const mostDoublings = 20

// Backoff is the pause after so many failures in a row, beside the one that led to it: first, doubled with each, and never
// more than most. Chance is the caller's to add: a pause that is stored must not depend on it.
func Backoff(first, most time.Duration, failures int) time.Duration {
	return min(first<<min(max(failures, 0), mostDoublings), most)
}

// Grace is a context with the values of ctx that lives so much longer: what has just been begun can be ended in order.
func Grace(ctx context.Context, more time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if For(longer, more) == nil {
			cancel()
		}
	})
	return longer, func() {
		stop()
		cancel()
	}
}
