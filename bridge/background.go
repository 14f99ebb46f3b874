package bridge

import (
	"context"
	"sync"
)

// background is what a bridge does besides answering its callers. Once it has ended
// nothing more begins.
type background struct {
	ctx  context.Context //nolint:containedctx // It is the bridge's own life, ended by stop.
	stop context.CancelCauseFunc

	mu    sync.Mutex
	ended bool
	all   sync.WaitGroup
}

func newBackground() *background {
	b := &background{}
	b.ctx, b.stop = context.WithCancelCause(context.Background())
	return b
}

// stopped reports whether the bridge is on its way to its end.
func (b *background) stopped() bool { return b.ctx.Err() != nil }

// stopping is closed when it sets out.
func (b *background) stopping() <-chan struct{} { return b.ctx.Done() }

// start runs f in a goroutine that [Bridge.Run] waits for. It reports whether it
// did: after the end of Run nothing is started.
func (b *background) start(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.all.Go(f)
	return true
}

// end waits for everything that was started.
func (b *background) end() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	b.all.Wait()
}
