package bridge

import (
	"context"
	"errors"
	"log/slog"
)

// deadlines end requests whose time is over, by the store's clock, so that nobody reads
// "open" after it.
type deadlines struct {
	records *records
	workers *workers
	log     *slog.Logger
}

// expire ends a request if its deadline has passed by the store's clock, and
// returns the record as it stands afterwards.
func (d *deadlines) expire(ctx context.Context, id string) (*Record, error) {
	r, err := d.workers.change(ctx, id, (*Record).Expire)
	switch {
	case errors.Is(err, ErrUnchanged):
		return r, nil
	case err != nil:
		return r, err
	}
	d.log.Info("request expired", "request_id", id)
	return r, nil
}

// asOfNow returns the record as it stands at this moment: one whose deadline may
// have passed is judged by the store, so that nobody reads "open" after it.
func (d *deadlines) asOfNow(ctx context.Context, r Record) (Record, error) {
	if !r.Open() || r.Deadline.IsZero() || d.records.clock.before(r.Deadline) {
		return r, nil
	}
	after, err := d.expire(ctx, r.ID)
	return *after, err
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
