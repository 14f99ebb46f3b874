package bridge

import (
	"context"
	"errors"
)

// create and change are those of the store, for whoever has nobody to tell that
// too few replicas have the record yet: it is stored, and the log says so.

func (b *Bridge) create(ctx context.Context, r *Record, f Transition) (*Record, error) {
	stored, err := b.store.Create(ctx, *r, f)
	return &stored, b.tolerate(&stored, err)
}

func (b *Bridge) change(ctx context.Context, id string, f Transition) (*Record, error) {
	r, err := b.store.Change(ctx, id, f)
	return &r, b.tolerate(&r, err)
}

func (b *Bridge) tolerate(r *Record, err error) error {
	if !errors.Is(err, ErrNotReplicated) {
		return err
	}
	b.log.Warn("record stored on too few replicas", "request_id", r.ID, "error", err)
	return nil
}

// changed spreads the news of a record that this process stored or loaded.
func (b *Bridge) changed(r *Record) {
	b.alarms.due.set(r.ID, b.clock.here(r.Due))
	b.alarms.deliveryDue.set(r.ID, b.clock.here(r.DeliveryDue))
	b.waiter.wake(r)
	b.followers.tell(r)
}
