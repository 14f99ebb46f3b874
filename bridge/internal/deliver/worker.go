package deliver

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// workers keeps at most one delivery of a record under way in this process.
type Workers struct {
	Delivery   *Delivery
	Records    *state.Records
	Background *state.Background

	mu   sync.Mutex
	busy map[string]*job
	// backingOff is how many of them stay on for a call that was put off.
	backingOff int
}

const (
	// maxTakeovers is how many deliveries may be under way for more to be taken over from
	// others: after a long outage there may be any number.
	maxTakeovers = 256
	// maxBackingOff is how many jobs stay on for calls that were put off. What comes then is left
	// to whoever claims the record when its time has come.
	maxBackingOff = 10_000
)

// room is how many records can be taken over now.
func (w *Workers) room() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maxTakeovers - (len(w.busy) - w.backingOff)
}

// job is one delivery under way. Done is closed when all has been done that
// can be done now, with first set to the record as it was stored then. The
// job may stay on after that, until the time to which a call was put off.
type job struct {
	Done  chan struct{}
	First *record.Record

	last *record.Record // the job's own
	// mine are the cards that nobody but this job posts in its next attempt. Claimed tells
	// that whoever was to post them may have begun and died.
	mine    []int
	claimed bool
	// next is the newest record that it was asked to bring the world up to date
	// with meanwhile, nil for none, and wake wakes a job that stays on.
	next *record.Record
	wake chan struct{}
}

// part is what a job has to do with the cards of an open request that are pending.
type Role int

const (
	// follows: another process is posting them, and the job leaves them alone.
	Follows Role = iota
	// begins: the caller has just stored the request, so nobody else posts them.
	Begins
	// takesOver: the caller has claimed the record.
	takesOver
)

// deliver brings the world up to date with r in the background.
func (w *Workers) Deliver(r *record.Record, as Role) *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	var mine []int
	if as != Follows {
		mine = record.PendingCopies(r)
	}
	if e := w.busy[r.ID]; e != nil {
		e.next = newer(e.next, r)
		e.mine, e.claimed = append(e.mine, mine...), e.claimed || as == takesOver
		select {
		case e.wake <- struct{}{}:
		default:
		}
		return e
	}
	e := &job{Done: make(chan struct{}), last: r, mine: mine, claimed: as == takesOver, wake: make(chan struct{}, 1)}
	if w.busy == nil {
		w.busy = map[string]*job{}
	}
	if !w.Background.Go(func() { w.run(e) }) {
		e.report()
		return e
	}
	w.busy[r.ID] = e
	return e
}

// change changes a record, spreads the news and brings the world up to date with it.
func (w *Workers) Change(ctx context.Context, id string, f record.Transition) (*record.Record, error) {
	r, err := w.Records.Change(ctx, id, f)
	if err == nil {
		w.Records.Publish(r)
		w.Deliver(r, Follows)
	}
	return r, err
}

// rounds bounds how often one job starts over because the record changed
// under it; the reconciler takes over after that.
const rounds = 5

func (w *Workers) run(e *job) {
	backedOff := false
	for n := 1; ; n++ {
		mine, claimed, there := w.take(e, backedOff)
		if !there {
			w.leave(e)
			return
		}
		ctx, cancel := context.WithTimeoutCause(context.Background(), deliveryBudget, errors.New("delivery took too long"))
		var stored bool
		e.last, stored = w.Delivery.attempt(ctx, e.last, mine, claimed)
		cancel()
		w.mu.Lock()
		more, wait := e.news() || record.Behind(e.last), w.patience(e.last)
		// Without its result stored, another attempt could post a card again.
		over := n == rounds || !stored || w.Background.Stopped()
		if !more || over {
			e.report()
		}
		if over || !more && (wait < 0 || w.backingOff >= maxBackingOff) {
			delete(w.busy, e.last.ID)
			w.mu.Unlock()
			return
		}
		if backedOff = !more; backedOff {
			w.backingOff++
		}
		w.mu.Unlock()
		if backedOff {
			w.backOff(e, wait)
			n = 0
			w.mu.Lock()
			w.backingOff--
			w.mu.Unlock()
		}
	}
}

// leave ends a job.
func (w *Workers) leave(e *job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.busy, e.last.ID)
	e.report()
}

// take returns which cards this job alone posts now, having taken those that are free. After
// a backoff it reads the record as it is: another replica may have taken them meanwhile, or ended
// the request. It waits for a store that is away, since what came of a call could not be stored
// either, and reports whether there still is a record.
func (w *Workers) take(e *job, backedOff bool) (mine []int, claimed, there bool) {
	w.mu.Lock()
	mine, claimed, e.mine, e.claimed = e.mine, e.claimed, nil, false
	e.last, e.next = newer(e.last, e.next), nil
	w.mu.Unlock()
	soon := w.Records.Clock.Soon()
	for backedOff || record.HasFree(e.last, soon) {
		if w.Background.Stopped() {
			return nil, false, false
		}
		var taken []int
		ctx, cancel := context.WithTimeoutCause(context.Background(), deliveryBudget, errors.New("store too slow for a delivery"))
		r, err := w.Records.Change(ctx, e.last.ID, func(r *record.Record, now time.Time) (err error) {
			taken, err = r.Acquire(soon, now)
			return err
		})
		cancel()
		switch {
		case err == nil:
			w.Records.Publish(r)
			e.last = r
			return append(mine, taken...), claimed, true
		case errors.Is(err, storage.ErrUnchanged):
			e.last = newer(e.last, r)
			return mine, claimed, true
		case errors.Is(err, storage.ErrNotFound):
			return nil, false, false
		}
		w.backOff(e, time.Second)
	}
	return mine, claimed, true
}

// news reports whether it was asked for something that its own record does not
// hold yet, or for more than to follow.
func (e *job) news() bool { return newer(e.last, e.next) != e.last || len(e.mine) > 0 || e.claimed }

// newer returns the newer one of two records as they were stored; either may be
// nil.
func newer(a, b *record.Record) *record.Record {
	if a == nil || b != nil && b.Version > a.Version {
		return b
	}
	return a
}

// report closes done, once.
func (e *job) report() {
	select {
	case <-e.Done:
	default:
		e.First = e.last
		close(e.Done)
	}
}

// longestBackoff is how long a job stays on for a call that was put off; what
// takes longer is left to whoever claims the record then.
const longestBackoff = 5 * time.Minute

// patience is how long until a call that was put off, negative when none was or
// it is too far away to stay on for.
func (w *Workers) patience(r *record.Record) time.Duration {
	next, putOff := record.NextAttempt(r)
	if wait := time.Until(w.Records.Clock.Here(next)); putOff && wait <= longestBackoff {
		return max(wait, 0)
	}
	return -1
}

// backOff waits for the time of a call, for news of the record or for the end of
// the bridge.
func (w *Workers) backOff(e *job, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.wake:
	case <-w.Background.Stopping():
	}
}
