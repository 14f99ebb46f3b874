// Package wait has helpers for waiting: timers with contexts, backoff and grace periods.
package wait

import (
	"context"
	"time"
)

// For waits for a duration. It returns nil, or the cause if ctx ends first.
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

// mostDoublings prevents overflow.
const mostDoublings = 20

// Backoff is the pause after a number of earlier failures: first, doubled for each, and at most most.
// The caller adds jitter, since a stored pause must not depend on chance.
func Backoff(first, most time.Duration, failures int) time.Duration {
	return min(first<<min(max(failures, 0), mostDoublings), most)
}

// Grace returns a context with the values of ctx that ends later, so that work in progress can be
// completed.
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
