package state

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// records are what the store holds, and whoever in this process wants to hear of a
// change: callers that wait, followers, and the loops that look after what becomes due.
type Records struct {
	Store     storage.Store
	log       *slog.Logger
	Observing Reporter
	Audit     bool // Every record keeps a trail.

	tooNew sync.Map // The ids of records that only a newer build can read, as far as the log told.

	Clock     Clock
	Alarms    alarms
	Waiter    *Waiter
	Followers followers
}

func NewRecords(store storage.Store, start func(func()) bool, log *slog.Logger) *Records {
	return &Records{Store: store, log: log, Alarms: newAlarms(), Waiter: newWaiter(start)}
}

// create and change are those of the store, for whoever has nobody to tell that
// too few replicas have the record yet: it is stored, and the log says so.

func (s *Records) Create(ctx context.Context, r *record.Record, f record.Transition) (*record.Record, error) {
	stored, err := s.Store.Create(ctx, *r, record.Audited(f, s.Audit))
	return &stored, s.Tolerate(&stored, err)
}

func (s *Records) Change(ctx context.Context, id string, f record.Transition) (*record.Record, error) {
	r, err := s.Swap(ctx, id, f)
	return r, s.Tolerate(r, err)
}

// swap is the one way in which a record is changed: it is told and traced what was done.
func (s *Records) Swap(ctx context.Context, id string, f record.Transition) (*record.Record, error) {
	f, tell := s.Observing.ending(record.Audited(f, s.Audit))
	r, err := s.Store.Change(ctx, id, f)
	tell(&r, err)
	return &r, err
}

// changeSoon is a change that gives up before another replica takes the record
// over.
func (s *Records) ChangeSoon(ctx context.Context, id string, f record.Transition) (*record.Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, record.Lease/2, errors.New("store too slow for a delivery result"))
	defer cancel()
	return s.Change(ctx, id, f)
}

func (s *Records) Tolerate(r *record.Record, err error) error {
	if !errors.Is(err, storage.ErrNotReplicated) {
		return err
	}
	s.log.Warn("record stored on too few replicas", "request_id", r.ID, "error", err)
	return nil
}

// changed spreads the news of a record that this process stored or loaded.
func (s *Records) Publish(r *record.Record) {
	s.Alarms.Due.set(r.ID, s.Clock.Here(r.Due))
	s.Alarms.DeliveryDue.set(r.ID, s.Clock.Here(r.DeliveryDue))
	s.Waiter.Wake(r)
	s.Followers.tell(r)
}

// all are the records of an index, without what only a newer build can read: while two versions run
// side by side there may be such records.
func (s *Records) All(ctx context.Context, q storage.Scan) iter.Seq2[*record.Record, error] {
	q.TooNew = func(id string, err error) {
		if _, told := s.tooNew.LoadOrStore(id, true); !told {
			s.log.Warn("request left out of lists", "request_id", id, "error", err)
		}
	}
	return q.All(ctx, s.Store)
}
