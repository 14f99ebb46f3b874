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

// Records accesses the store, and notifies callers in this process that wait, followers,
// and the loops that process due records.
type Records struct {
	Store    storage.Store
	log      *slog.Logger
	Reporter Reporter
	Audit    bool // Every record gets an audit trail.

	tooNew sync.Map // IDs of unreadable records that were logged

	Clock     Clock
	Alarms    alarms
	Waiter    *Waiter
	Followers followers
}

// NewRecords returns the records of a store. start runs a function in the background.
func NewRecords(store storage.Store, start func(func()) bool, log *slog.Logger) *Records {
	return &Records{Store: store, log: log, Alarms: newAlarms(), Waiter: newWaiter(start)}
}

// Create stores a new record after a transition. A record that too few replicas have is
// logged and not an error, since it is stored.
func (s *Records) Create(ctx context.Context, r *record.Record, f record.Transition) (*record.Record, error) {
	stored, err := s.Store.Create(ctx, *r, record.Audited(f, s.Audit))
	return &stored, s.Tolerate(&stored, err)
}

// Change is [Records.Swap] with the same tolerance as Create.
func (s *Records) Change(ctx context.Context, id string, f record.Transition) (*record.Record, error) {
	r, err := s.Swap(ctx, id, f)
	return r, s.Tolerate(r, err)
}

// Swap makes every change of a record and reports it to the observer and the audit
// trail.
func (s *Records) Swap(ctx context.Context, id string, f record.Transition) (*record.Record, error) {
	f, report := s.Reporter.ending(record.Audited(f, s.Audit))
	r, err := s.Store.Change(ctx, id, f)
	report(&r, err)
	return &r, err
}

// ChangeSoon is Change with a timeout below the lease, so that it ends before another
// replica takes the record over.
func (s *Records) ChangeSoon(ctx context.Context, id string, f record.Transition) (*record.Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, record.Lease/2, errors.New("store too slow for a delivery result"))
	defer cancel()
	return s.Change(ctx, id, f)
}

// Tolerate logs [storage.ErrNotReplicated] and returns every other error.
func (s *Records) Tolerate(r *record.Record, err error) error {
	if !errors.Is(err, storage.ErrNotReplicated) {
		return err
	}
	s.log.Warn("record stored on too few replicas", "request_id", r.ID, "error", err)
	return nil
}

// Publish notifies local listeners of a record that this process stored or loaded.
func (s *Records) Publish(r *record.Record) {
	s.Alarms.Due.set(r.ID, s.Clock.Here(r.Due))
	s.Alarms.DeliveryDue.set(r.ID, s.Clock.Here(r.DeliveryDue))
	s.Waiter.Wake(r)
	s.Followers.publish(r)
}

// All iterates over the records of an index. It skips records that only a newer build
// can read, which exist while two versions share a store.
func (s *Records) All(ctx context.Context, q storage.Scan) iter.Seq2[*record.Record, error] {
	q.TooNew = func(id string, err error) {
		if _, logged := s.tooNew.LoadOrStore(id, true); !logged {
			s.log.Warn("request left out of lists", "request_id", id, "error", err)
		}
	}
	return q.All(ctx, s.Store)
}
