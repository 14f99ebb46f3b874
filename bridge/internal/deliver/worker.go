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

// Workers runs at most one delivery per record in this process.
type Workers struct {
	Delivery   *Delivery
	Records    *state.Records
	Background *state.Background

	mu   sync.Mutex
	busy map[string]*Job
	// backingOff is the number of jobs that wait for a delayed call.
	backingOff int
}

const (
	// maxTakeovers bounds the running deliveries above which no more are taken over,
	// since there may be any number after a long outage.
	maxTakeovers = 256
	// maxBackingOff bounds the jobs that wait for delayed calls. More are left to the
	// reconciler.
	maxBackingOff = 10_000
)

// room returns how many records can be taken over.
func (w *Workers) room() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maxTakeovers - (len(w.busy) - w.backingOff)
}

// Job is one running delivery. Done is closed when everything possible has been done,
// with First set to the record as stored then. The job may continue to wait for a
// delayed call.
type Job struct {
	Done  chan struct{}
	First *record.Record

	last *record.Record // owned by the job
	// mine are the cards that only this job posts in its next attempt. If claimed, their
	// previous owner may have crashed after it began.
	mine    []int
	claimed bool
	// next is the newest record passed to the job meanwhile, or nil; wake ends its wait.
	next *record.Record
	wake chan struct{}
}

// Role is what a job does with pending cards.
type Role int

const (
	// Follows leaves them to another process.
	Follows Role = iota
	// Begins posts them: the caller has just stored the request.
	Begins
	// takesOver posts them: the caller has claimed the record.
	takesOver
)

// Deliver makes the calls that a record needs, in the background.
func (w *Workers) Deliver(r *record.Record, as Role) *Job {
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
	e := &Job{Done: make(chan struct{}), last: r, mine: mine, claimed: as == takesOver, wake: make(chan struct{}, 1)}
	if w.busy == nil {
		w.busy = map[string]*Job{}
	}
	if !w.Background.Go(func() { w.run(e) }) {
		e.report()
		return e
	}
	w.busy[r.ID] = e
	return e
}

// Change changes a record, publishes it and makes the calls that it needs.
func (w *Workers) Change(ctx context.Context, id string, f record.Transition) (*record.Record, error) {
	r, err := w.Records.Change(ctx, id, f)
	if err == nil {
		w.Records.Publish(r)
		w.Deliver(r, Follows)
	}
	return r, err
}

// rounds bounds how often a job restarts because the record changed. After that the
// reconciler takes over.
const rounds = 5

func (w *Workers) run(e *Job) {
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
		// Without a stored result, another attempt could post a card again.
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
func (w *Workers) leave(e *Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.busy, e.last.ID)
	e.report()
}

// take returns the cards that only this job posts, after claiming free ones. After a
// backoff it reads the record again, since another replica may have changed it. It waits
// until the store is available, because results could not be stored either. It reports
// whether the record still exists.
func (w *Workers) take(e *Job, backedOff bool) (mine []int, claimed, there bool) {
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

// news reports whether there is more to do than the job's record shows.
func (e *Job) news() bool { return newer(e.last, e.next) != e.last || len(e.mine) > 0 || e.claimed }

// newer returns the newer of two records. Either may be nil.
func newer(a, b *record.Record) *record.Record {
	if a == nil || b != nil && b.Version > a.Version {
		return b
	}
	return a
}

// report closes Done, once.
func (e *Job) report() {
	select {
	case <-e.Done:
	default:
		e.First = e.last
		close(e.Done)
	}
}

// longestBackoff is how long a job waits for a delayed call. Longer delays are left to
// the reconciler.
const longestBackoff = 5 * time.Minute

// patience returns the time until the next delayed call, or a negative time if there is
// none within longestBackoff.
func (w *Workers) patience(r *record.Record) time.Duration {
	next, putOff := record.NextAttempt(r)
	if wait := time.Until(w.Records.Clock.Here(next)); putOff && wait <= longestBackoff {
		return max(wait, 0)
	}
	return -1
}

// backOff waits for the time of a call, a newer record or the end of the bridge.
func (w *Workers) backOff(e *Job, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-e.wake:
	case <-w.Background.Stopping():
	}
}
