package bridge

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// duePoll and lagPoll bound how late a record is noticed whose hint was
	// missed; usually the alarm rings on time.
	duePoll = 15 * time.Second
	lagPoll = 5 * time.Second
	// batchSize is how many records are taken at a time.
	batchSize = 100
	// sweepBudget bounds one look at the store.
	sweepBudget = 5 * time.Second
)

// alarm rings the two loops that look after records when one of them becomes
// due before their next poll.
type alarm struct{ due, lag *bell }

func newAlarm() alarm { return alarm{due: newBell(), lag: newBell()} }

// bell wakes one sleeper at the earliest time asked for.
type bell struct {
	mu    sync.Mutex
	next  time.Time
	moved chan struct{}
}

func newBell() *bell { return &bell{moved: make(chan struct{}, 1)} }

func (b *bell) at(t time.Time) {
	if t.IsZero() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.next.IsZero() && !t.Before(b.next) {
		return
	}
	b.next = t
	select {
	case b.moved <- struct{}{}:
	default:
	}
}

// sleep waits until longest has passed, the bell rings, or ctx ends.
func (b *bell) sleep(ctx context.Context, longest time.Duration) {
	end := time.Now().Add(longest)
	for {
		b.mu.Lock()
		wake := end
		if !b.next.IsZero() && b.next.Before(end) {
			wake = b.next
		}
		b.mu.Unlock()
		timer := time.NewTimer(time.Until(wake))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-b.moved:
			timer.Stop()
			continue
		case <-timer.C:
		}
		b.mu.Lock()
		b.next = time.Time{}
		b.mu.Unlock()
		return
	}
}

// clock reads the store's time from this process, so that a wrong clock here
// does no harm.
type clock struct{ ahead atomic.Int64 }

func (c *clock) set(now time.Time) { c.ahead.Store(int64(time.Until(now))) }
func (c *clock) now() time.Time    { return time.Now().Add(time.Duration(c.ahead.Load())) }

// here returns the local time at which the store's clock will show t.
func (c *clock) here(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-time.Duration(c.ahead.Load()))
}

// sweep ends requests whose deadline has passed.
func (b *Bridge) sweep(ctx context.Context) error {
	return b.loop(ctx, b.alarm.due, duePoll, func(ctx context.Context) (Batch, error) {
		return b.store.Due(ctx, batchSize)
	}, func(ctx context.Context, id string) {
		r, err := b.change(ctx, id, func(r *Record, now time.Time) error { return expire(r, now) })
		switch {
		case errors.Is(err, ErrUnchanged), errors.Is(err, ErrNotFound):
		case err != nil:
			b.log.Warn("request not expired yet", "request_id", id, "error", err)
		default:
			b.log.Info("request expired", "request_id", id)
			b.changed(r)
			b.deliver(r, false)
		}
	})
}

// reconcile brings the world up to date with records that somebody else left
// behind, and with those whose delivery was put off.
func (b *Bridge) reconcile(ctx context.Context) error {
	return b.loop(ctx, b.alarm.lag, lagPoll, func(ctx context.Context) (Batch, error) {
		return b.store.Claim(ctx, lease, batchSize)
	}, func(ctx context.Context, id string) {
		r, err := b.store.Load(ctx, id)
		if err != nil {
			b.log.Warn("lagging request not loaded", "request_id", id, "error", err)
			return
		}
		b.deliver(&r, true)
	})
}

// loop takes what is due, handles it, and sleeps until there is more.
func (b *Bridge) loop(ctx context.Context, bell *bell, poll time.Duration,
	take func(context.Context) (Batch, error), handle func(context.Context, string),
) error {
	for ctx.Err() == nil {
		wait := poll
		look, cancel := context.WithTimeoutCause(ctx, sweepBudget, errors.New("store too slow for a sweep"))
		batch, err := take(look)
		if err == nil {
			b.clock.set(batch.Now)
		}
		for _, id := range batch.IDs {
			handle(look, id)
		}
		cancel()
		switch {
		case err != nil && ctx.Err() == nil:
			b.log.Warn("store not swept", "error", err)
			wait = time.Second
		case len(batch.IDs) >= batchSize:
			continue
		case batch.Next >= 0:
			wait = min(wait, batch.Next)
		}
		bell.sleep(ctx, wait)
	}
	return nil
}
