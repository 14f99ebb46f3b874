package bridge

import (
	"context"
	"errors"
	"sync"
	"time"
)

// workers keeps at most one delivery of a record under way in this process.
type workers struct {
	delivery   *delivery
	records    *records
	background *background

	mu   sync.Mutex
	busy map[string]*job
}

// job is one delivery under way. Done is closed when all has been done that
// can be done now, with first set to the record as it was stored then. The
// job may stay on after that, until the time to which a call was put off.
type job struct {
	done  chan struct{}
	first *Record

	last *Record // the job's own
	// next is the newest record that it was asked to bring the world up to date
	// with meanwhile, nil for none, and wake wakes a job that stays on.
	next *Record
	wake chan struct{}
}

// deliver brings the world up to date with r in the background and returns a
// channel that is closed when the attempt is over. Claimed tells that somebody
// else may have begun and died.
func (w *workers) deliver(r *Record, claimed bool) *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.busy[r.ID]; e != nil {
		e.next = newer(e.next, r)
		select {
		case e.wake <- struct{}{}:
		default:
		}
		return e
	}
	e := &job{done: make(chan struct{}), last: r, wake: make(chan struct{}, 1)}
	if w.busy == nil {
		w.busy = map[string]*job{}
	}
	if !w.background.start(func() { w.run(e, claimed) }) {
		e.report()
		return e
	}
	w.busy[r.ID] = e
	return e
}

// change changes a record, spreads the news and brings the world up to date with it.
func (w *workers) change(ctx context.Context, id string, f Transition) (*Record, error) {
	r, err := w.records.change(ctx, id, f)
	if err == nil {
		w.records.changed(r)
		w.deliver(r, false)
	}
	return r, err
}

// rounds bounds how often one job starts over because the record changed
// under it; the reconciler takes over after that.
const rounds = 5

func (w *workers) run(e *job, claimed bool) {
	id := e.last.ID
	for n := 1; ; n++ {
		ctx, cancel := context.WithTimeoutCause(context.Background(), deliveryBudget, errors.New("delivery took too long"))
		var stored bool
		e.last, stored = w.delivery.attempt(ctx, e.last, claimed)
		cancel()
		w.mu.Lock()
		more, wait := e.news() || e.last.Behind(), w.patience(e.last)
		// Without its result stored, another attempt could post a card again.
		over := n == rounds || !stored || w.background.stopped()
		if !more || over {
			e.report()
		}
		if over || !more && wait < 0 {
			delete(w.busy, id)
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		there := true
		if !more {
			w.backOff(e, wait)
			there, n = w.lookAgain(e), 0
		}
		w.mu.Lock()
		if !there {
			delete(w.busy, id)
			w.mu.Unlock()
			return
		}
		e.last, e.next, claimed = newer(e.last, e.next), nil, false
		w.mu.Unlock()
	}
}

// lookAgain reads the record as it is after a rest: another replica may have posted its cards
// meanwhile, or ended the request, whose cards are not posted any more. It waits for a store
// that is away, since what came of a call could not be stored either, and reports whether there
// still is a record.
func (w *workers) lookAgain(e *job) bool {
	for !w.background.stopped() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), deliveryBudget, errors.New("store too slow for a delivery"))
		r, err := w.records.store.Load(ctx, e.last.ID)
		cancel()
		switch {
		case err == nil:
			e.last = newer(e.last, &r)
			return true
		case errors.Is(err, ErrNotFound):
			return false
		}
		w.backOff(e, time.Second)
	}
	return false
}

// news reports whether it was asked for something that its own record does not
// hold yet.
func (e *job) news() bool { return newer(e.last, e.next) != e.last }

// newer returns the newer one of two records as they were stored; either may be
// nil.
func newer(a, b *Record) *Record {
	if a == nil || b != nil && b.Version > a.Version {
		return b
	}
	return a
}

// report closes done, once.
func (e *job) report() {
	select {
	case <-e.done:
	default:
		e.first = e.last
		close(e.done)
	}
}

// longestRest is how long a job stays on for a call that was put off; what
// takes longer is left to whoever claims the record then.
const longestRest = 5 * time.Minute

// patience is how long until a call that was put off, negative when none was or
// it is too far away to stay on for.
func (w *workers) patience(r *Record) time.Duration {
	next, putOff := r.NextAttempt()
	if wait := time.Until(w.records.clock.here(next)); putOff && wait <= longestRest {
		return max(wait, 0)
	}
	return -1
}

// rest waits for the time of a call, for news of the record or for the end of
// the bridge.
func (w *workers) backOff(e *job, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.wake:
	case <-w.background.stopping():
	}
}
