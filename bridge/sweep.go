package bridge

import (
	"context"
	"errors"
	"log/slog"
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
	// crowded is how long a sweeper waits that cannot handle more just now.
	crowded = 100 * time.Millisecond
	// sweepBudget bounds one look at the store.
	sweepBudget = 5 * time.Second
)

// sweeper looks after what becomes due in the store.
type sweeper struct {
	name   string
	alarm  *alarm
	poll   time.Duration
	clock  *clock
	log    *slog.Logger
	take   func(ctx context.Context, limit int) (Batch, error)
	handle func(ctx context.Context, id string) error
	room   func() int // How many can be handled now; nil for any number.
	// failing are the records that could not be handled, and when each is tried
	// again. They stay due meanwhile.
	failing map[string]retry
}

// newExpirer has requests change whose moment has come, as at their deadline.
func newExpirer(rs *records, d *deadlines, log *slog.Logger) *sweeper {
	return &sweeper{
		name: "sweep", alarm: rs.alarms.due, poll: duePoll, clock: &rs.clock, log: log,
		take: rs.store.Due,
		handle: func(ctx context.Context, id string) error {
			_, err := d.catchUp(ctx, id)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			return err
		},
	}
}

// newReconciler brings the world up to date with records that somebody else left
// behind, and with those whose delivery was put off.
func newReconciler(rs *records, w *workers, log *slog.Logger) *sweeper {
	return &sweeper{
		name: "reconcile", alarm: rs.alarms.deliveryDue, poll: lagPoll, clock: &rs.clock, log: log,
		take: func(ctx context.Context, limit int) (Batch, error) { return rs.store.Claim(ctx, record.Lease, limit) },
		handle: func(ctx context.Context, id string) error {
			r, err := rs.store.Load(ctx, id)
			if err == nil {
				w.deliver(&r, takesOver)
			}
			return err
		},
		room: w.room,
	}
}

// retry is when something that has failed is tried again, and how often it has
// failed.
type retry struct {
	at    time.Time
	tries int
}

// run takes what is due, handles it, and sleeps until there is more.
func (s *sweeper) run(ctx context.Context) error {
	for ctx.Err() == nil {
		if wait := s.round(ctx); wait > 0 {
			s.alarm.sleep(ctx, wait)
		}
	}
	return nil
}

// round looks once, and returns how long nothing else is known to become due.
func (s *sweeper) round(ctx context.Context) (wait time.Duration) {
	look, cancel := context.WithTimeoutCause(ctx, sweepBudget, errors.New("store too slow for a sweep"))
	defer cancel()
	now := time.Now()
	maps.DeleteFunc(s.failing, func(_ string, r retry) bool { return now.Sub(r.at) > failureKept })
	var batch Batch
	limit := batchSize + len(s.failing)
	if s.room != nil {
		limit = min(limit, s.room())
	}
	if limit <= 0 {
		return crowded
	}
	err := protect(s.log, func() (err error) {
		batch, err = s.take(look, limit)
		return err
	})
	if err == nil {
		s.clock.set(batch.Now)
	}
	wait = s.poll
	for _, id := range batch.IDs {
		failed := s.failing[id]
		if now.Before(failed.at) {
			wait = min(wait, failed.at.Sub(now))
			continue
		}
		if err := protect(s.log, func() error { return s.handle(look, id) }); err != nil && ctx.Err() == nil {
			pause := backoff(failed.tries)
			s.log.Warn("record not swept", "loop", s.name, "request_id", id, "retry_in", pause.String(), "error", err)
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
		s.log.Warn("store not swept", "loop", s.name, "error", err)
		return time.Second
	case len(batch.IDs) >= limit:
		return 0
	case batch.Next >= 0:
		return min(wait, max(batch.Next, 0))
	}
	return wait
}
