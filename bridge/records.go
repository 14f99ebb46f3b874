package bridge

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// records are what the store holds, and whoever in this process wants to hear of a
// change: callers that wait, followers, and the loops that look after what becomes due.
type records struct {
	store     Store
	log       *slog.Logger
	observing observing
	audit     bool // Every record keeps a trail.

	tooNew sync.Map // The ids of records that only a newer build can read, as far as the log told.

	clock     clock
	alarms    alarms
	waiter    *Waiter
	followers followers
}

func newRecords(store Store, start func(func()) bool, log *slog.Logger) *records {
	return &records{store: store, log: log, alarms: newAlarms(), waiter: newWaiter(start)}
}

// create and change are those of the store, for whoever has nobody to tell that
// too few replicas have the record yet: it is stored, and the log says so.

func (s *records) create(ctx context.Context, r *Record, f Transition) (*Record, error) {
	stored, err := s.store.Create(ctx, *r, record.Audited(f, s.audit))
	return &stored, s.tolerate(&stored, err)
}

func (s *records) change(ctx context.Context, id string, f Transition) (*Record, error) {
	r, err := s.swap(ctx, id, f)
	return r, s.tolerate(r, err)
}

// swap is the one way in which a record is changed: it is told and traced what was done.
func (s *records) swap(ctx context.Context, id string, f Transition) (*Record, error) {
	f, tell := s.observing.ending(record.Audited(f, s.audit))
	r, err := s.store.Change(ctx, id, f)
	tell(&r, err)
	return &r, err
}

// changeSoon is a change that gives up before another replica takes the record
// over.
func (s *records) changeSoon(ctx context.Context, id string, f Transition) (*Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, record.Lease/2, errors.New("store too slow for a delivery result"))
	defer cancel()
	return s.change(ctx, id, f)
}

func (s *records) tolerate(r *Record, err error) error {
	if !errors.Is(err, ErrNotReplicated) {
		return err
	}
	s.log.Warn("record stored on too few replicas", "request_id", r.ID, "error", err)
	return nil
}

// drawing takes note that the reply to an act which changes nothing begins to draw the card of
// an open request, and returns the record that it shows.
func (s *records) drawing(ctx context.Context, r *Record, at platform.MessageRef) *Record {
	if !r.Open() {
		return r
	}
	ctx, cancel := context.WithTimeoutCause(ctx, formBudget, errors.New("store too slow for a reply"))
	defer cancel()
	after, err := s.change(ctx, r.ID, func(r *Record, now time.Time) error { return r.MarkDrawing(at, now) })
	switch {
	case err == nil:
		s.changed(after)
	case !errors.Is(err, ErrUnchanged):
		s.log.Warn("card not marked before it is drawn", "request_id", r.ID, "error", err)
		return r
	}
	return after
}

// changed spreads the news of a record that this process stored or loaded.
func (s *records) changed(r *Record) {
	s.alarms.due.set(r.ID, s.clock.here(r.Due))
	s.alarms.deliveryDue.set(r.ID, s.clock.here(r.DeliveryDue))
	s.waiter.wake(r)
	s.followers.tell(r)
}

// all are the records of an index, without what only a newer build can read: while two versions run
// side by side there may be such records.
func (s *records) all(ctx context.Context, q Scan) iter.Seq2[*Record, error] {
	q.TooNew = func(id string, err error) {
		if _, told := s.tooNew.LoadOrStore(id, true); !told {
			s.log.Warn("request left out of lists", "request_id", id, "error", err)
		}
	}
	return q.All(ctx, s.store)
}
