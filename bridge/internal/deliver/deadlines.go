package deliver

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Deadlines applies due changes by the store's clock, so that no one reads a request as
// open after its end.
type Deadlines struct {
	Records *state.Records
	Workers *Workers
	Log     *slog.Logger
	OnCall  record.OnCall
}

// catchUp applies the due changes of a record and returns the result.
func (d *Deadlines) catchUp(ctx context.Context, id string) (*record.Record, error) {
	r, err := d.Workers.Change(ctx, id, func(r *record.Record, now time.Time) error {
		r.ResolveOnCall(d.OnCall, now)
		return r.Tick(now)
	})
	switch {
	case errors.Is(err, storage.ErrUnchanged):
		return r, nil
	case err != nil:
		return r, err
	}
	d.Log.Info("request changed in time", "request_id", id, "status", r.Outcome.State)
	return r, nil
}

// AsOfNow returns a record with all due changes applied.
func (d *Deadlines) AsOfNow(ctx context.Context, r record.Record) (record.Record, error) {
	for r.Open() && !r.Due.Equal(record.Forever) && !d.Records.Clock.Before(r.Due) {
		after, err := d.catchUp(ctx, r.ID)
		if err != nil || after.Version == r.Version {
			return *after, err
		}
		r = *after
	}
	return r, nil
}

// Load returns a record with all due changes applied, and notes for waiting callers that
// the store has it.
func (d *Deadlines) Load(ctx context.Context, id string) (record.Record, error) {
	r, err := d.Records.Store.Load(ctx, id)
	if err == nil {
		r, err = d.AsOfNow(ctx, r)
	}
	if err == nil && r.Open() {
		d.Records.Waiter.Saw(id, r.Version)
	}
	return r, err
}

// All iterates over the records of a scan with all due changes applied. An error ends
// the iteration.
func (d *Deadlines) All(ctx context.Context, s storage.Scan) iter.Seq2[*record.Record, error] {
	return func(yield func(*record.Record, error) bool) {
		for r, err := range d.Records.All(ctx, s) {
			if err == nil {
				*r, err = d.AsOfNow(ctx, *r)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
