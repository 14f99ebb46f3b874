package state

import (
	"context"
	"slices"
	"sync"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Waiter owns every parked caller of one process. Callers of the same request
// share one entry; one that goes away leaves nothing behind.
type Waiter struct {
	// start runs something in the background.
	start func(func()) bool

	mu     sync.Mutex
	closed bool
	parked map[string]*parking
}

// parking is where the callers of one request wait, until the request has ended,
// with last set, or until there is nothing to wait for, with lost set: the
// request has vanished, or the bridge has stopped.
type parking struct {
	callers int
	seen    int64         // the newest version that this process knows of
	over    chan struct{} // closed at the end; nil as long as nobody looks at it
	told    []*Parked     // who waits to be called
	hears   []*Parked     // who wants to hear of more than the end
	last    *record.Record
	lost    error
}

func (p *parking) ended() bool { return p.last != nil || p.lost != nil }

func newWaiter(start func(func()) bool) *Waiter {
	return &Waiter{start: start, parked: map[string]*parking{}}
}

// park joins the callers of a request.
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

// wake hands an ended record to everybody who waits for it, and takes note of
// the version of an open one.
func (w *Waiter) Wake(r *record.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.parked[r.ID]
	switch {
	case p == nil:
	case r.Open():
		p.seen = max(p.seen, r.Version)
		for _, place := range p.hears {
			place.hear(r)
		}
	default:
		p.last = r
		w.end(r.ID, p)
	}
}

// close sends everybody away.
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
	for _, place := range p.hears {
		if place.over != nil && place.news == nil {
			close(place.over)
		}
	}
	for _, place := range p.told {
		w.start(place.tell)
	}
	p.told, p.hears = nil, nil
}

// lose sends everybody away who waits for a request that is not there any more.
func (w *Waiter) lose(id string, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.parked[id]; p != nil {
		p.lost = why
		w.end(id, p)
	}
}

// saw takes note that the store has an open request.
func (w *Waiter) Saw(id string, version int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.parked[id]; p != nil {
		p.seen = max(p.seen, version)
	}
}

// some returns a few of the requests that somebody waits for and that have been
// seen in the store, in no order.
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
	w    *Waiter
	id   string
	at   *parking
	left bool
	f    func(*record.Record, error)
	// heard is up to which number the caller knows what people asked; nil for one who
	// wants to hear of the end alone. News is the record that has more, and over is
	// closed then.
	heard *int
	news  *record.Record
	over  chan struct{}
}

// Listen has the wait end, too, when a person asks the agent something with a number above
// heard. R is the record as the caller knows it. It reports false where there is a newer
// one, which the caller has to look at first.
func (p *Parked) Listen(r *record.Record, heard int) bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.at.seen > r.Version {
		return false
	}
	if p.heard == nil {
		p.at.hears = append(p.at.hears, p)
	}
	p.heard = &heard
	return true
}

// hear ends the wait of a caller for whom an open record has news.
func (p *Parked) hear(r *record.Record) {
	if p.news != nil || !record.AwaitsReply(r, *p.heard) {
		return
	}
	p.news = r
	if p.over != nil {
		close(p.over)
	}
	if n := slices.Index(p.at.told, p); n >= 0 {
		p.at.told = slices.Delete(p.at.told, n, n+1)
		p.w.start(p.tell)
	}
}

// done reports whether the caller has a reason to go on.
func (p *Parked) done() bool { return p.at.ended() || p.news != nil }

// Wait returns the record once it has ended. When ctx ends first, or the bridge
// stops, it returns nothing but ctx's error or [ErrClosed], and [ErrNotFound]
// when the store does not have the request any more.
func (p *Parked) Wait(ctx context.Context) (*record.Record, error) {
	select {
	case <-p.Over():
		return p.Last()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Over is closed once the request has ended or the bridge has stopped.
func (p *Parked) Over() <-chan struct{} {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.heard != nil {
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

// Last returns the record as it ended, nothing while it is open, [ErrNotFound]
// when the store does not have it any more, and [ErrClosed] when the bridge has
// stopped. To a caller who listens it also returns the open record that has news.
func (p *Parked) Last() (*record.Record, error) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if !p.at.ended() && p.news != nil {
		return p.news, nil
	}
	return p.at.last, p.at.lost
}

// Notify is Wait for callers who do not keep a goroutine for every request: it
// returns at once, and what Wait would return is handed to f later, in a
// goroutine of its own which [Bridge.Run] waits for. Leave takes that back. A
// place has one f; it is an error of the caller to set another.
func (p *Parked) Notify(f func(*record.Record, error)) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.f = f; p.done() {
		p.w.start(p.tell)
		return
	}
	p.at.told = append(p.at.told, p)
}

func (p *Parked) tell() {
	p.w.mu.Lock()
	left := p.left
	p.w.mu.Unlock()
	if !left {
		p.f(p.Last())
	}
}

// Leave gives the place up. Leaving twice is fine.
func (p *Parked) Leave() {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.left {
		return
	}
	p.left = true
	if n := slices.Index(p.at.told, p); n >= 0 {
		p.at.told = slices.Delete(p.at.told, n, n+1)
	}
	if n := slices.Index(p.at.hears, p); n >= 0 {
		p.at.hears = slices.Delete(p.at.hears, n, n+1)
	}
	if p.at.callers--; p.at.callers == 0 && p.w.parked[p.id] == p.at {
		delete(p.w.parked, p.id)
	}
}

// place returns a place among the callers of a request. The caller must leave it.
func (w *Waiter) Place(id string) *Parked { return &Parked{w: w, id: id, at: w.park(id)} }

// count returns the number of parked callers.
func (w *Waiter) Count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, p := range w.parked {
		n += p.callers
	}
	return n
}
