package bridge

import (
	"context"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
)

// Wait returns the record once it has ended. When ctx ends first, or the bridge
// stops, it returns nothing but ctx's error or [ErrClosed]; [Bridge.Load] tells how
// the request stands then. It returns [ErrNotFound] when the store has been
// emptied meanwhile. Any number of callers may wait for one request, on any
// replica. Who waits for very many at a time saves a goroutine for each with
// [Parked.Notify].
func (b *Bridge) Wait(ctx context.Context, id string) (*record.Record, error) {
	place := b.Park(id)
	defer place.Leave()
	r, err := b.deadlines.Load(ctx, id)
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
func (b *Bridge) Load(ctx context.Context, id string) (record.Record, error) {
	return b.deadlines.Load(ctx, id)
}

// Park reserves a place for a caller who is about to load a request and, if it is
// open, wait for its end, so that no change in between is missed. The caller must
// leave the place.
func (b *Bridge) Park(id string) *state.Parked { return b.records.Waiter.Place(id) }
