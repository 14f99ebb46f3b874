package state

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/askbridge/askbridge/internal/wait"
)

// background is what a bridge does besides answering its callers. Once it has ended
// nothing more begins.
type Background struct {
	Ctx  context.Context //nolint:containedctx // It is the bridge's own life, ended by stop.
	Stop context.CancelCauseFunc

	mu    sync.Mutex
	ended bool
	all   sync.WaitGroup
}

func NewBackground() *Background {
	b := &Background{}
	b.Ctx, b.Stop = context.WithCancelCause(context.Background())
	return b
}

// stopped reports whether the bridge is on its way to its end.
func (b *Background) Stopped() bool { return b.Ctx.Err() != nil }

// stopping is closed when it sets out.
func (b *Background) Stopping() <-chan struct{} { return b.Ctx.Done() }

// start runs f in a goroutine that [Bridge.Run] waits for. It reports whether it
// did: after the end of Run nothing is started.
func (b *Background) Go(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.all.Go(f)
	return true
}

// end waits for everything that was started.
func (b *Background) Wait() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	b.all.Wait()
}

// retryTimeout bounds the retries of what the store could not save.
const retryTimeout = 2 * time.Minute

// again tries what the store was away for until it is done, and reports whether that was in the
// time there is for it.
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
