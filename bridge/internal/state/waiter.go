package state

import (
	"context"
	"slices"
	"sync"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Waiter holds the parked callers of this process. Callers of the same request share an
// entry, which disappears with the last of them.
type Waiter struct {
	// start runs a function in the background.
	start func(func()) bool

	mu     sync.Mutex
	closed bool
	parked map[string]*parking
}

// parking is the shared entry of the callers of one request. It ends with last set when
// the request ends, or with lost set when the request is missing or the bridge stops.
type parking struct {
	callers   int
	seen      int64         // newest known version
	over      chan struct{} // closed at the end; created on demand
	callbacks []*Parked     // callers with a callback
	listeners []*Parked     // callers that also wait for questions
	last      *record.Record
	lost      error
}

func (p *parking) ended() bool { return p.last != nil || p.lost != nil }

func newWaiter(start func(func()) bool) *Waiter {
	return &Waiter{start: start, parked: map[string]*parking{}}
}

// park adds a caller of a request.
func (w *Waiter) park(id string) *parking {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.parked[id]
	if p == nil {
		p = &parking{}
		if w.closed {
			p.lost = storage.ErrClosed
			return p
		}
		w.parked[id] = p
	}
	p.callers++
	return p
}

// Wake passes an ended record to its callers, and notes the version of an open one.
func (w *Waiter) Wake(r *record.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.parked[r.ID]
	switch {
	case p == nil:
	case r.Open():
		p.seen = max(p.seen, r.Version)
		for _, place := range p.listeners {
			place.offer(r)
		}
	default:
		p.last = r
		w.end(r.ID, p)
	}
}

// Close ends all waits with [storage.ErrClosed].
func (w *Waiter) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for id, p := range w.parked {
		p.lost = storage.ErrClosed
		w.end(id, p)
	}
}

func (w *Waiter) end(id string, p *parking) {
	delete(w.parked, id)
	if p.over != nil {
		close(p.over)
	}
	for _, place := range p.listeners {
		if place.over != nil && place.news == nil {
			close(place.over)
		}
	}
	for _, place := range p.callbacks {
		w.start(place.callback)
	}
	p.callbacks, p.listeners = nil, nil
}

// lose ends the waits for a missing request.
func (w *Waiter) lose(id string, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.parked[id]; p != nil {
		p.lost = why
		w.end(id, p)
	}
}

// Saw notes that the store has an open request.
func (w *Waiter) Saw(id string, version int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.parked[id]; p != nil {
		p.seen = max(p.seen, version)
	}
}

// some returns up to most awaited requests that were seen in the store, in no order.
func (w *Waiter) some(most int) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for id, p := range w.parked {
		if len(ids) == most {
			break
		}
		if p.seen > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// waits reports whether a caller waits for a request whose known version is older.
// Version zero is an unknown version.
func (w *Waiter) waits(id string, version int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.parked[id]
	return p != nil && (version == 0 || p.seen < version)
}

// idle reports whether there are no callers.
func (w *Waiter) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.parked) == 0
}

// Parked is one caller's place among those who wait for a request.
type Parked struct {
	w    *Waiter
	id   string
	at   *parking
	left bool
	f    func(*record.Record, error)
	// known is the number of the last question that the caller knows; nil if it waits
	// only for the end. News is the record with a newer question; over is closed with
	// it.
	known *int
	news  *record.Record
	over  chan struct{}
}

// Listen makes the wait also end when a person asks the agent a question with a number
// above heard. R is the caller's version of the record. It returns false if a newer
// version exists, which the caller must read first.
func (p *Parked) Listen(r *record.Record, known int) bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.at.seen > r.Version {
		return false
	}
	if p.known == nil {
		p.at.listeners = append(p.at.listeners, p)
	}
	p.known = &known
	return true
}

// offer ends the wait if an open record has a newer question.
func (p *Parked) offer(r *record.Record) {
	if p.news != nil || !record.AwaitsReply(r, *p.known) {
		return
	}
	p.news = r
	if p.over != nil {
		close(p.over)
	}
	if n := slices.Index(p.at.callbacks, p); n >= 0 {
		p.at.callbacks = slices.Delete(p.at.callbacks, n, n+1)
		p.w.start(p.callback)
	}
}

// done reports whether the wait has ended.
func (p *Parked) done() bool { return p.at.ended() || p.news != nil }

// Wait returns the record once it has ended. It returns the error of ctx if that ends
// first, [storage.ErrClosed] if the bridge stops, and [storage.ErrNotFound] if the store
// no longer has the request.
func (p *Parked) Wait(ctx context.Context) (*record.Record, error) {
	select {
	case <-p.Over():
		return p.Last()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Over is closed once the wait has ended.
func (p *Parked) Over() <-chan struct{} {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.known != nil {
		if p.over == nil {
			if p.over = make(chan struct{}); p.done() {
				close(p.over)
			}
		}
		return p.over
	}
	if p.at.over == nil {
		p.at.over = make(chan struct{})
		if p.at.ended() {
			close(p.at.over)
		}
	}
	return p.at.over
}

// Last returns the ended record, nil while the request is open, or the error of
// [Parked.Wait]. After Listen it also returns the open record with a newer question.
func (p *Parked) Last() (*record.Record, error) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if !p.at.ended() && p.news != nil {
		return p.news, nil
	}
	return p.at.last, p.at.lost
}

// Notify calls f with the result of Wait later, without a goroutine that waits. f runs
// in its own goroutine, for which the bridge waits at shutdown. Leave cancels it. Notify
// may be called once.
func (p *Parked) Notify(f func(*record.Record, error)) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.f = f; p.done() {
		p.w.start(p.callback)
		return
	}
	p.at.callbacks = append(p.at.callbacks, p)
}

func (p *Parked) callback() {
	p.w.mu.Lock()
	left := p.left
	p.w.mu.Unlock()
	if !left {
		p.f(p.Last())
	}
}

// Leave gives up the place. Leaving twice is allowed.
func (p *Parked) Leave() {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.left {
		return
	}
	p.left = true
	if n := slices.Index(p.at.callbacks, p); n >= 0 {
		p.at.callbacks = slices.Delete(p.at.callbacks, n, n+1)
	}
	if n := slices.Index(p.at.listeners, p); n >= 0 {
		p.at.listeners = slices.Delete(p.at.listeners, n, n+1)
	}
	if p.at.callers--; p.at.callers == 0 && p.w.parked[p.id] == p.at {
		delete(p.w.parked, p.id)
	}
}

// Place returns a place among the callers of a request. The caller must leave it.
func (w *Waiter) Place(id string) *Parked { return &Parked{w: w, id: id, at: w.park(id)} }

// Count returns the number of parked callers.
func (w *Waiter) Count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, p := range w.parked {
		n += p.callers
	}
	return n
}
