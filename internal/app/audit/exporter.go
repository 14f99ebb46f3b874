package audit

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/keyvalue"
)

const (
	// tick is the export interval.
	tick = time.Second
	// leaseTime is how long the lease of an exporter is valid.
	leaseTime = 15 * time.Second
	// rescan is how often all records are read, since notifications can be lost.
	rescan = 10 * time.Minute
	// margin is by how much the store's clock may go back.
	margin = time.Minute
	// maxDirty is how many changed records are remembered. A scan finds the others.
	maxDirty = 100_000
)

// Options configure an [Exporter].
type Options struct {
	// Devices receive copies of each batch, in order, at least once.
	Devices []Device
	// MaxLag is how far the trail may be behind before [Exporter.Store] rejects new requests;
	// zero is no limit.
	MaxLag time.Duration
	// Permalink returns the address of a card for the line of its post, or ""; nil adds none.
	Permalink func(ctx context.Context, to ask.Place, ref record.MessageRef) string
	// Logger may be nil.
	Logger *slog.Logger
	// Wrote is called with the number of lines written to the trail or a device, and Failed with
	// each failure. Both may be nil.
	Wrote  func(to string, lines int)
	Failed func(to string, err error)
}

// trail names the chains next to the devices in errors and metrics.
const trail = "trail"

// Exporter writes events from records to the chains. Every replica runs one, and the holder of
// the lease does the work.
type Exporter struct {
	log     *Log
	records bridge.Store
	o       Options
	name    string

	mu      sync.Mutex
	dirty   map[string]*change // Changed records by ID.
	all     bool               // Any record may have changed.
	leading bool               // Whether changes are remembered.

	// behind is the time in Unix nanoseconds since when the trail is incomplete; zero if it is complete.
	behind atomic.Int64

	// The goroutine of Run owns the rest.
	version   string             // Of the lease; empty if another replica holds it.
	renewed   time.Time          // When the lease was renewed.
	published int64              // The value of behind in the lease.
	heads     map[string]*stored // Ends of chains by tenant; nil before they are read.
	done      map[string]done    // By request, or act of a note.
	erased    []*Line            // Erasures that may cover events without a line.
	sent      map[string]int64   // Last copied batch by device and tenant.
	barred    map[string]bool    // Tenants that cannot have a chain.
	scanned   time.Time
	mark      mark
	failures  map[string]error // Of this turn, by device or trail.
}

// done is the last event of a request that has a line, and the newest time of such an event in
// Unix microseconds.
type done struct{ seq, at int64 }

// NewExporter returns an exporter from records to a log.
func NewExporter(l *Log, records bridge.Store, o Options) *Exporter {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Wrote == nil {
		o.Wrote = func(string, int) {}
	}
	if o.Failed == nil {
		o.Failed = func(string, error) {}
	}
	o.Devices = slices.Clone(o.Devices)
	for n, d := range o.Devices {
		o.Devices[n] = detach(d)
	}
	return &Exporter{log: l, records: records, o: o, name: rand.Text(), dirty: map[string]*change{}, barred: map[string]bool{}, failures: map[string]error{}}
}

// Lag is how long the trail has been incomplete, as far as this replica knows.
func (x *Exporter) Lag() time.Duration {
	since := x.behind.Load()
	if since == 0 {
		return 0
	}
	return time.Since(time.Unix(0, since))
}

// Run exports until ctx ends. It learns of changes from [Exporter.Store].
func (x *Exporter) Run(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		before := x.failures
		x.failures = map[string]error{}
		_ = x.turn(ctx)
		if ctx.Err() != nil {
			x.release(context.WithoutCancel(ctx))
			return
		}
		for to, err := range x.failures {
			if before[to] == nil {
				x.o.Logger.Error("the audit trail is behind", "error", err)
			}
		}
		if len(before) > 0 && len(x.failures) == 0 {
			x.o.Logger.Info("the audit trail is up to date again")
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// turn updates the trail and its copies if this replica holds the lease.
func (x *Exporter) turn(ctx context.Context) error {
	leading, err := x.lease(ctx)
	if err == nil && leading {
		err = x.export(ctx)
	}
	switch {
	case err != nil:
		x.failed(ctx, trail, err)
	case !leading:
		return nil
	default:
		err = x.send(ctx)
	}
	if err == nil {
		x.behind.Store(0)
	} else {
		x.behind.CompareAndSwap(0, time.Now().UnixNano())
	}
	if !leading {
		return err
	}
	if _, failed := x.lease(ctx); failed != nil { // Publishes whether the trail is behind.
		x.failed(ctx, trail, failed)
		return errors.Join(err, failed)
	}
	return err
}

// failed counts and remembers a failure of the trail or a device.
func (x *Exporter) failed(ctx context.Context, to string, err error) {
	if ctx.Err() == nil {
		x.o.Failed(to, err)
		x.failures[to] = err
	}
}

var leaseKey = keyvalue.Key{Kind: kindLease, ID: "exporter"}

// leaseValue publishes since when the trail is behind.
type leaseValue struct {
	Name   string `json:"name"`
	Behind int64  `json:"behind,omitempty"`
}

// lease acquires or renews the lease and reports whether this replica holds it.
func (x *Exporter) lease(ctx context.Context) (bool, error) {
	behind := x.behind.Load()
	if x.version != "" && behind == x.published && time.Since(x.renewed) < leaseTime/3 {
		return true, nil
	}
	o := &keyvalue.PutOptions{If: cmp.Or(x.version, keyvalue.Absent), TTL: leaseTime}
	e, err := x.log.kv.Put(ctx, leaseKey, marshal(leaseValue{x.name, behind}), o)
	if errors.Is(err, keyvalue.ErrConflict) {
		x.version = ""
		x.lead(false)
		var holder leaseValue
		_ = json.Unmarshal(e.Value, &holder) // Older versions store only a name.
		x.behind.Store(holder.Behind)
		return false, nil
	}
	if written(err) != nil {
		return false, err
	}
	if x.version == "" {
		x.heads = nil // Another replica may have written since.
		x.lead(true)
	}
	x.version, x.renewed, x.published = e.Version, time.Now(), behind
	return true, nil
}

// release deletes the lease, which would otherwise expire.
func (x *Exporter) release(ctx context.Context) {
	if x.version == "" {
		return
	}
	x.lead(false)
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = x.log.kv.Delete(ctx, leaseKey, x.version)
}
