package state

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/askbridge/askbridge/internal/wait"
)

// Background runs goroutines that outlive the call that started them. After Wait it
// starts no more.
type Background struct {
	Ctx  context.Context //nolint:containedctx // It is the bridge's own life, ended by stop.
	Stop context.CancelCauseFunc

	mu    sync.Mutex
	ended bool
	all   sync.WaitGroup
}

// NewBackground returns a running background.
func NewBackground() *Background {
	b := &Background{}
	b.Ctx, b.Stop = context.WithCancelCause(context.Background())
	return b
}

// Stopped reports whether the bridge is shutting down.
func (b *Background) Stopped() bool { return b.Ctx.Err() != nil }

// Stopping is closed when the bridge begins to shut down.
func (b *Background) Stopping() <-chan struct{} { return b.Ctx.Done() }

// Go runs f in a goroutine for which Wait waits. It reports whether it did: after Wait
// it starts nothing.
func (b *Background) Go(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.all.Go(f)
	return true
}

// Wait waits for all goroutines.
func (b *Background) Wait() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	b.all.Wait()
}

// retryTimeout bounds the retries of Retry.
const retryTimeout = 2 * time.Minute

// Retry calls try with backoff until it is done, for an operation that failed because
// the store was unavailable. It reports whether try succeeded before the timeout.
func (b *Background) Retry(try func(ctx context.Context) (done bool)) bool {
	ctx, cancel := context.WithTimeoutCause(b.Ctx, retryTimeout, errors.New("store away for too long"))
	defer cancel()
	for n := 0; ; n++ {
		if wait.For(ctx, Backoff(min(n, 3))) != nil {
			return false
		}
		tight, cancel := context.WithTimeoutCause(ctx, StoreTimeout, errors.New("store too slow for a click"))
		done := try(tight)
		cancel()
		if done {
			return true
		}
	}
}
