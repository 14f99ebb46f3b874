package bridge

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

const (
	// duePoll and lagPoll bound how late a record is noticed whose notification
	// was missed; usually the alarm rings on time.
	duePoll = 15 * time.Second
	lagPoll = 5 * time.Second
	// batchSize is how many records are taken at a time.
	batchSize = 100
	// failureKept is how long a record that could not be handled is remembered
	// after its next try was due.
	failureKept = time.Minute
	// sweepBudget bounds one look at the store.
	sweepBudget = 5 * time.Second
)

// sweep ends requests whose deadline has passed.
func (b *Bridge) sweep(ctx context.Context) error {
	return b.loop(ctx, &sweeping{
		name: "sweep", alarm: b.alarms.due, poll: duePoll,
		take: b.store.Due,
		handle: func(ctx context.Context, id string) error {
			_, err := b.expireNow(ctx, id)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			return err
		},
	})
}

// expireNow ends a request if its deadline has passed by the store's clock, and
// returns the record as it stands afterwards.
func (b *Bridge) expireNow(ctx context.Context, id string) (*Record, error) {
	r, err := b.change(ctx, id, (*Record).Expire)
	switch {
	case errors.Is(err, ErrUnchanged):
		return r, nil
	case err != nil:
		return r, err
	}
	b.log.Info("request expired", "request_id", id)
	b.changed(r)
	b.deliver(r, false)
	return r, nil
}

// asOfNow returns the record as it stands at this moment: one whose deadline may
// have passed is judged by the store, so that nobody reads "open" after it.
func (b *Bridge) asOfNow(ctx context.Context, r Record) (Record, error) {
	if !r.Open() || r.Deadline.IsZero() || b.clock.before(r.Deadline) {
		return r, nil
	}
	after, err := b.expireNow(ctx, r.ID)
	return *after, err
}

// reconcile brings the world up to date with records that somebody else left
// behind, and with those whose delivery was put off.
func (b *Bridge) reconcile(ctx context.Context) error {
	return b.loop(ctx, &sweeping{
		name: "reconcile", alarm: b.alarms.deliveryDue, poll: lagPoll,
		take: func(ctx context.Context, limit int) (Batch, error) { return b.store.Claim(ctx, record.Lease, limit) },
		handle: func(ctx context.Context, id string) error {
			r, err := b.store.Load(ctx, id)
			if err == nil {
				b.deliver(&r, true)
			}
			return err
		},
	})
}

// sweeping is a loop that looks after what becomes due in the store.
type sweeping struct {
	name   string
	alarm  *alarm
	poll   time.Duration
	take   func(ctx context.Context, limit int) (Batch, error)
	handle func(ctx context.Context, id string) error
	// failing are the records that could not be handled, and when each is tried
	// again. They stay due meanwhile.
	failing map[string]retry
}

// retry is when something that has failed is tried again, and how often it has
// failed.
type retry struct {
	at    time.Time
	tries int
}

// loop takes what is due, handles it, and sleeps until there is more.
func (b *Bridge) loop(ctx context.Context, s *sweeping) error {
	for ctx.Err() == nil {
		if wait := b.round(ctx, s); wait > 0 {
			s.alarm.sleep(ctx, wait)
		}
	}
	return nil
}

// round looks once, and returns how long nothing else is known to become due.
func (b *Bridge) round(ctx context.Context, s *sweeping) (wait time.Duration) {
	look, cancel := context.WithTimeoutCause(ctx, sweepBudget, errors.New("store too slow for a sweep"))
	defer cancel()
	now := time.Now()
	maps.DeleteFunc(s.failing, func(_ string, r retry) bool { return now.Sub(r.at) > failureKept })
	var batch Batch
	limit := batchSize + len(s.failing)
	err := b.protect(func() (err error) {
		batch, err = s.take(look, limit)
		return err
	})
	if err == nil {
		b.clock.set(batch.Now)
	}
	wait = s.poll
	for _, id := range batch.IDs {
		failed := s.failing[id]
		if now.Before(failed.at) {
			wait = min(wait, failed.at.Sub(now))
			continue
		}
		if err := b.protect(func() error { return s.handle(look, id) }); err != nil && ctx.Err() == nil {
			pause := backoff(failed.tries)
			b.log.Warn("record not swept", "loop", s.name, "request_id", id, "retry_in", pause.String(), "error", err)
			if s.failing == nil {
				s.failing = map[string]retry{}
			}
			s.failing[id] = retry{at: now.Add(pause), tries: failed.tries + 1}
			wait = min(wait, pause)
			continue
		}
		delete(s.failing, id)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		b.log.Warn("store not swept", "loop", s.name, "error", err)
		return time.Second
	case len(batch.IDs) >= limit:
		return 0
	case batch.Next >= 0:
		return min(wait, max(batch.Next, 0))
	}
	return wait
}
