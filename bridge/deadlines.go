package bridge

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// deadlines have requests change whose moment has come, by the store's clock, so that
// nobody reads "open" after the end.
type deadlines struct {
	records *records
	workers *workers
	log     *slog.Logger
	onCall  record.OnCall
}

// catchUp applies to a record what became due by the store's clock, and returns it as
// it stands afterwards.
func (d *deadlines) catchUp(ctx context.Context, id string) (*Record, error) {
	r, err := d.workers.change(ctx, id, func(r *Record, now time.Time) error {
		r.ResolveOnCall(d.onCall, now)
		return r.Tick(now)
	})
	switch {
	case errors.Is(err, ErrUnchanged):
		return r, nil
	case err != nil:
		return r, err
	}
	d.log.Info("request changed in time", "request_id", id, "status", r.Outcome.State)
	return r, nil
}

// asOfNow returns the record as it stands at this moment: one whose own moment may
// have come is judged by the store, and again while another one has.
func (d *deadlines) asOfNow(ctx context.Context, r Record) (Record, error) {
	for r.Open() && !r.Due.Equal(record.Forever) && !d.records.clock.before(r.Due) {
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
func (d *deadlines) load(ctx context.Context, id string) (Record, error) {
	r, err := d.records.store.Load(ctx, id)
	if err == nil {
		r, err = d.asOfNow(ctx, r)
	}
	if err == nil && r.Open() {
		d.records.waiter.saw(id, r.Version)
	}
	return r, err
}

// all are the records of a scan as they stand now. An error is the last one.
func (d *deadlines) all(ctx context.Context, s Scan) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for r, err := range d.records.all(ctx, s) {
			if err == nil {
				*r, err = d.asOfNow(ctx, *r)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
