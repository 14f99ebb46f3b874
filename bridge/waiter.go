package bridge

import (
	"context"
	"sync"
)

// Waiter owns every parked caller of one process. Callers of the same request
// share one entry; one that goes away leaves nothing behind.
type Waiter struct {
	mu     sync.Mutex
	parked map[string]*parking
}

// parking is where the callers of one request wait. Over is closed with last
// set when the request has ended.
type parking struct {
	callers int
	seen    int64 // the newest version that this process knows of
	over    chan struct{}
	last    *Record
}

func newWaiter() *Waiter { return &Waiter{parked: map[string]*parking{}} }

// park joins the callers of a request.
func (w *Waiter) park(id string) *parking {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.parked[id]
	if p == nil {
		p = &parking{over: make(chan struct{})}
		w.parked[id] = p
	}
	p.callers++
	return p
}

// leave undoes park.
func (w *Waiter) leave(id string, p *parking) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.callers--; p.callers == 0 && w.parked[id] == p {
		delete(w.parked, id)
	}
}

// wake hands an ended record to everybody who waits for it, and takes note of
// the version of an open one.
func (w *Waiter) wake(r *Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.parked[r.ID]
	switch {
	case p == nil:
	case r.Open():
		p.seen = max(p.seen, r.Version)
	default:
		p.last = r
		close(p.over)
		delete(w.parked, r.ID)
	}
}

// waits reports whether anybody waits for the request and a version of it would
// be news; version zero is an unknown one.
func (w *Waiter) waits(id string, version int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.parked[id]
	return p != nil && (version == 0 || p.seen < version)
}

// idle reports whether nobody waits for anything.
func (w *Waiter) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.parked) == 0
}

// Parked is one caller's place among those who wait for a request.
type Parked struct {
	b     *Bridge
	id    string
	at    *parking
	leave func()
}

// Park makes a place for a caller who is about to load a request and to wait for
// its end if it is still open, so that no news in between is missed. The caller
// must leave it.
func (b *Bridge) Park(id string) *Parked {
	at := b.waiter.park(id)
	return &Parked{b: b, id: id, at: at, leave: sync.OnceFunc(func() { b.waiter.leave(id, at) })}
}

// Wait returns the record once it has ended. When ctx ends first, or the bridge
// stops, it returns nothing but ctx's error or [ErrClosed].
func (p *Parked) Wait(ctx context.Context) (*Record, error) {
	select {
	case <-p.at.over:
		return p.at.last, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.b.running.Done():
		return nil, ErrClosed
	}
}

// Leave gives the place up. Leaving twice is fine.
func (p *Parked) Leave() { p.leave() }
