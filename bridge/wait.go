package bridge

import (
	"context"
)

// Wait returns the record once it has ended. When ctx ends first, or the bridge
// stops, it returns nothing but ctx's error or [ErrClosed]; [Bridge.Load] tells how
// the request stands then. It returns [ErrNotFound] when the store has been
// emptied meanwhile. Any number of callers may wait for one request, on any
// replica. Who waits for very many at a time saves a goroutine for each with
// [Parked.Notify].
func (b *Bridge) Wait(ctx context.Context, id string) (*Record, error) {
	place := b.Park(id)
	defer place.Leave()
	r, err := b.deadlines.load(ctx, id)
	if err != nil {
		return nil, err
	}
	if !r.Open() {
		return &r, nil
	}
	return place.Wait(ctx)
}

// Load returns a record as it stands now, or [ErrNotFound]. It is never open past
// its deadline, by the store's clock.
func (b *Bridge) Load(ctx context.Context, id string) (Record, error) {
	return b.deadlines.load(ctx, id)
}
