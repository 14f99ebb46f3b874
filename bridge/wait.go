package bridge

import (
	"context"

	"github.com/askbridge/askbridge/internal/freshstack"
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
	if r, err := b.deadlines.peek(ctx, id, b.opts.PlainWait); err != nil || r != nil {
		return r, err
	}
	return place.Wait(ctx)
}

// peek returns a record if it has ended; not plainly, it leaves the stack of whoever calls as small as it is.
func (d *deadlines) peek(ctx context.Context, id string, plainly bool) (ended *Record, err error) {
	if plainly {
		return loadEnded(ctx, d, id)
	}
	freshstack.Run(func() { ended, err = loadEnded(ctx, d, id) })
	return ended, err
}

// loadEnded is peek on the stack of whoever calls it, where a record takes a kilobyte: inlined, it
// would take that of whoever waits.
//
//go:noinline
func loadEnded(ctx context.Context, d *deadlines, id string) (*Record, error) {
	r, err := d.load(ctx, id)
	if err != nil || r.Open() {
		return nil, err
	}
	return &r, nil
}

// Load returns a record as it stands now, or [ErrNotFound]. It is never open past
// its deadline, by the store's clock.
func (b *Bridge) Load(ctx context.Context, id string) (Record, error) {
	return b.deadlines.load(ctx, id)
}
