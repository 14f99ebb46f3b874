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

// deadlines have requests change whose moment has come, by the store's clock, so that
// nobody reads "open" after the end.
type Deadlines struct {
	Records *state.Records
	Workers *Workers
	Log     *slog.Logger
	OnCall  record.OnCall
}

// catchUp applies to a record what became due by the store's clock, and returns it as
// it stands afterwards.
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

// asOfNow returns the record as it stands at this moment: one whose own moment may
// have come is judged by the store, and again while another one has.
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

// load returns a record as it stands now, and takes note for those who wait for it
// that the store has it.
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

// all are the records of a scan as they stand now. An error is the last one.
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
