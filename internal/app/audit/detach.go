package audit

import (
	"bytes"
	"context"
	"errors"
	"time"
)

// Detach returns a device for one whose Write may go on when its context has ended: a pipe that
// nobody reads, or a disk over a network that is gone. Who writes waits for some seconds, then
// fails, and fails at once as long as the batch is neither taken nor refused.
func Detach(d Device) Device { return &detached{Device: d} }

type detached struct {
	Device

	batch []byte     // is being written,
	ended chan error // and hears how that ends; nil when none is.
}

var errStuck = errors.New("it takes nothing and refuses nothing: nobody reads it, or a disk does not answer")

// Write implements [Device]. A batch that was taken late counts if it is the next one again.
func (d *detached) Write(ctx context.Context, batch []byte) error {
	if d.ended != nil {
		select {
		case err := <-d.ended:
			d.ended = nil
			if bytes.Equal(d.batch, batch) {
				return err
			}
		default:
			return errStuck
		}
	}
	ended := make(chan error, 1)
	d.batch, d.ended = batch, ended
	go func() { ended <- d.Device.Write(ctx, batch) }()
	timer := time.NewTimer(sendTime)
	defer timer.Stop()
	select {
	case err := <-ended:
		d.ended = nil
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return errStuck
	}
}
