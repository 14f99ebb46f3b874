package deliver

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

const (
	// failureKept is how long a failed record is remembered after its retry was due.
	failureKept = time.Minute
	// crowded is the pause while no more records can be handled.
	crowded = 100 * time.Millisecond
)

// Sweeper processes due records.
type Sweeper struct {
	name   string
	alarm  *state.Alarm
	poll   time.Duration
	clock  *state.Clock
	log    *slog.Logger
	take   func(ctx context.Context, limit int) (storage.Batch, error)
	handle func(ctx context.Context, id string) error
	room   func() int // Free capacity; nil is unlimited.
	// failing holds records that could not be handled, with their retry times. They stay
	// due.
	failing map[string]retry
}

// NewExpirer returns the sweeper that applies due changes, such as deadlines.
func NewExpirer(rs *state.Records, d *Deadlines, log *slog.Logger) *Sweeper {
	return &Sweeper{
		name: "sweep", alarm: rs.Alarms.Due, poll: state.DuePoll, clock: &rs.Clock, log: log,
		take: rs.Store.Due,
		handle: func(ctx context.Context, id string) error {
			_, err := d.catchUp(ctx, id)
			if errors.Is(err, storage.ErrNotFound) {
				return nil
			}
			return err
		},
	}
}

// NewReconciler returns the sweeper that takes over deliveries that failed, were delayed
// or were abandoned by another replica.
func NewReconciler(rs *state.Records, w *Workers, log *slog.Logger) *Sweeper {
	return &Sweeper{
		name: "reconcile", alarm: rs.Alarms.DeliveryDue, poll: state.DeliveryPoll, clock: &rs.Clock, log: log,
		take: func(ctx context.Context, limit int) (storage.Batch, error) {
			return rs.Store.Claim(ctx, record.Lease, limit)
		},
		handle: func(ctx context.Context, id string) error {
			r, err := rs.Store.Load(ctx, id)
			if err == nil {
				w.Deliver(&r, takesOver)
			}
			return err
		},
		room: w.room,
	}
}

// retry is when to handle a failed record again, and how often it has failed.
type retry struct {
	at    time.Time
	tries int
}

// Run processes due records until ctx ends.
func (s *Sweeper) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if wait := s.round(ctx); wait > 0 {
			s.alarm.Sleep(ctx, wait)
		}
	}
	return nil
}

// round processes one batch and returns the time until the next record is due.
func (s *Sweeper) round(ctx context.Context) (wait time.Duration) {
	look, cancel := context.WithTimeoutCause(ctx, state.StoreTimeout, errors.New("store too slow for a sweep"))
	defer cancel()
	now := time.Now()
	maps.DeleteFunc(s.failing, func(_ string, r retry) bool { return now.Sub(r.at) > failureKept })
	var batch storage.Batch
	limit := state.BatchSize + len(s.failing)
	if s.room != nil {
		limit = min(limit, s.room())
	}
	if limit <= 0 {
		return crowded
	}
	err := state.Protect(s.log, func() (err error) {
		batch, err = s.take(look, limit)
		return err
	})
	if err == nil {
		s.clock.Set(batch.Now)
	}
	wait = s.poll
	for _, id := range batch.IDs {
		failed := s.failing[id]
		if now.Before(failed.at) {
			wait = min(wait, failed.at.Sub(now))
			continue
		}
		if err := state.Protect(s.log, func() error { return s.handle(look, id) }); err != nil && ctx.Err() == nil {
			pause := state.Backoff(failed.tries)
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
