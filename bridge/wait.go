package bridge

import (
	"context"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
)

// Wait returns the record once it has ended. It returns the error of ctx if that ends
// first, [ErrClosed] if the bridge stops, and [ErrNotFound] if the store no longer has
// the request. Any number of callers can wait for one request, on any replica. With very
// many callers, Parked.Notify saves a goroutine for each.
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

// Load returns a record with all due changes applied, or [ErrNotFound].
func (b *Bridge) Load(ctx context.Context, id string) (record.Record, error) {
	return b.deadlines.Load(ctx, id)
}

// Park reserves a place for a caller who is about to load a request and, if it is
// open, wait for its end, so that no change in between is missed. The caller must
// leave the place.
func (b *Bridge) Park(id string) *state.Parked { return b.records.Waiter.Place(id) }
