package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/askbridge/askbridge/store/keyvalue"
)

// Device receives copies of the trail: complete batches without texts. It can receive an identical
// batch twice after a crash or a timeout.
type Device interface {
	// Name identifies the device, also after a restart.
	Name() string
	// Write stores a batch. After an error it receives the same batch again.
	Write(ctx context.Context, batch []byte) error
}

// sendTime is how long a device receives batches in one turn, so that new events get their lines.
const sendTime = leaseTime / 3

var (
	// errMore means that a working device has not received everything yet.
	errMore  = errors.New("more to copy than fits into one turn")
	errStuck = errors.New("no response: nothing reads it, or a disk does not respond")
)

// send copies new batches to each device. A device that fails is skipped until the next turn, so that
// it delays the trail once and not for each tenant. The order of tenants is random, so that a batch
// that a device never accepts does not block the other tenants. A device that was behind stays
// behind until it has everything.
func (x *Exporter) send(ctx context.Context) (failed error) {
	for _, d := range x.o.Devices {
		until := time.Now().Add(sendTime)
		for _, h := range x.heads {
			err := x.sendTo(ctx, d, h, until)
			if errors.Is(err, errMore) && x.Lag() == 0 {
				break
			}
			if err != nil {
				err = fmt.Errorf("audit: copy %q to %s: %w", h.Tenant, d.Name(), err)
				x.failed(ctx, d.Name(), err)
				failed = errors.Join(failed, err)
				break
			}
		}
	}
	return failed
}

// sendTo copies the new batches of a chain to a device.
func (x *Exporter) sendTo(ctx context.Context, d Device, h *stored, until time.Time) error {
	key := keyvalue.Key{Kind: kindSent, Tenant: h.Tenant, ID: d.Name()}
	if x.sent[key.String()] >= h.Batch {
		return nil
	}
	e, err := x.log.kv.Get(ctx, key)
	if found(err) != nil {
		return err
	}
	sent, _ := strconv.ParseInt(string(e.Value), 10, 64) // Absent, or the first line of the last copied batch.
	r := keyvalue.Range{Kind: kindBatch, Tenant: h.Tenant}
	if sent > 0 {
		r.After = batchKey(h.Tenant, sent)
	}
	lines := 0
	for e, failed := range x.log.all(ctx, r) {
		if err = failed; err == nil && time.Now().After(until) {
			err = errMore
		}
		if err == nil {
			err = d.Write(ctx, e.Value)
		}
		if err != nil {
			break
		}
		lines += bytes.Count(e.Value, []byte("\n")) - 1
		sent, _ = strconv.ParseInt(e.Key.ID, 16, 64) // The ID comes from batchKey.
	}
	if lines > 0 {
		x.o.Wrote(d.Name(), lines)
		if _, put := x.log.kv.Put(ctx, key, []byte(strconv.FormatInt(sent, 10)), nil); written(put) != nil {
			return errors.Join(put, err)
		}
	}
	if err == nil {
		x.sent[key.String()] = sent
	}
	return err
}

// detachedDevice limits the duration of writes that may ignore their context, such as to a pipe that
// nothing reads or a network disk that is gone. While a write is stuck, others fail at once.
type detachedDevice struct {
	Device

	busy chan struct{}
}

func detach(d Device) Device { return detachedDevice{d, make(chan struct{}, 1)} }

// Write implements [Device].
func (d detachedDevice) Write(ctx context.Context, batch []byte) error {
	select {
	case d.busy <- struct{}{}:
	default:
		return errStuck
	}
	ctx, cancel := context.WithTimeoutCause(ctx, sendTime, errStuck)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		err := d.Device.Write(ctx, batch)
		<-d.busy
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
