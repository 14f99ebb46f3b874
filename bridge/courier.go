package bridge

import (
	"context"
	"errors"
	"sync"
	"time"
)

// couriers keeps at most one delivery of a record under way in this process.
type couriers struct {
	mu   sync.Mutex
	busy map[string]*errand
}

// errand is one delivery under way. Done is closed when all has been done that
// can be done now, with first set to the record as it was stored then. The
// errand may stay on after that, until the time to which a call was put off.
type errand struct {
	done  chan struct{}
	first *Record

	last *Record // the errand's own
	// next is the newest record that it was asked to bring the world up to date
	// with meanwhile, nil for none, and nudge wakes an errand that stays on.
	next  *Record
	nudge chan struct{}
}

// deliver brings the world up to date with r in the background and returns a
// channel that is closed when the attempt is over. Claimed tells that somebody
// else may have begun and died.
func (b *Bridge) deliver(r *Record, claimed bool) *errand {
	b.couriers.mu.Lock()
	defer b.couriers.mu.Unlock()
	if e := b.couriers.busy[r.ID]; e != nil {
		e.next = newer(e.next, r)
		select {
		case e.nudge <- struct{}{}:
		default:
		}
		return e
	}
	e := &errand{done: make(chan struct{}), last: r, nudge: make(chan struct{}, 1)}
	if b.couriers.busy == nil {
		b.couriers.busy = map[string]*errand{}
	}
	if !b.work.start(func() { b.run(e, claimed) }) {
		e.report()
		return e
	}
	b.couriers.busy[r.ID] = e
	return e
}

// rounds bounds how often one errand starts over because the record changed
// under it; the reconciler takes over after that.
const rounds = 5

func (b *Bridge) run(e *errand, claimed bool) {
	id := e.last.ID
	for n := 1; ; n++ {
		ctx, cancel := context.WithTimeoutCause(context.Background(), deliveryBudget, errors.New("delivery took too long"))
		var stored bool
		e.last, stored = b.attempt(ctx, e.last, claimed)
		cancel()
		b.couriers.mu.Lock()
		more, wait := e.news() || behind(e.last), b.patience(e.last)
		// Without its result stored, another attempt could post a card again.
		over := n == rounds || !stored || b.running.Err() != nil
		if !more || over {
			e.report()
		}
		if over || !more && wait < 0 {
			delete(b.couriers.busy, id)
			b.couriers.mu.Unlock()
			return
		}
		b.couriers.mu.Unlock()
		if !more {
			b.rest(e, wait)
			n = 0
		}
		b.couriers.mu.Lock()
		e.last, e.next, claimed = newer(e.last, e.next), nil, false
		b.couriers.mu.Unlock()
	}
}

// news reports whether it was asked for something that its own record does not
// hold yet.
func (e *errand) news() bool { return newer(e.last, e.next) != e.last }

// newer returns the newer one of two records as they were stored; either may be
// nil.
func newer(a, b *Record) *Record {
	if a == nil || b != nil && b.Version > a.Version {
		return b
	}
	return a
}

// report closes done, once.
func (e *errand) report() {
	select {
	case <-e.done:
	default:
		e.first = e.last
		close(e.done)
	}
}

// longestRest is how long an errand stays on for a call that was put off; what
// takes longer is left to whoever claims the record then.
const longestRest = 5 * time.Minute

// patience is how long until a call that was put off, negative when none was or
// it is too far away to stay on for.
func (b *Bridge) patience(r *Record) time.Duration {
	next, putOff := nextAttempt(r)
	if wait := time.Until(b.clock.here(next)); putOff && wait <= longestRest {
		return max(wait, 0)
	}
	return -1
}

// rest waits for the time of a call, for news of the record or for the end of
// the bridge.
func (b *Bridge) rest(e *errand, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.nudge:
	case <-b.running.Done():
	}
}
