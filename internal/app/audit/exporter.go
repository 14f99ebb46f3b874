package audit

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
)

const (
	// tick is how often what has changed is exported.
	tick = time.Second
	// holds is how long the exporter's place is kept for one that says nothing.
	holds = 15 * time.Second
	// rescan is how often all records are looked at, since news of a change can be missed.
	rescan = 10 * time.Minute
	// margin is by how much clocks of a store may have gone back.
	margin = time.Minute
	// maxDirty is how many records are remembered to have changed; more are found by a scan.
	maxDirty = 100_000
	// share is how many records are read between two looks at the exporter's place.
	share = 500
)

// mark is how far the chains went at a moment of the store, before all records were looked
// at.
type mark struct {
	at      time.Time
	batches map[string]int64
	passed  bool // They hold something newer.
}

// done is the last event of a request with a line, and the newest moment of those that have
// one, in microseconds: there are many of them.
type done struct{ seq, at int64 }

// Options say what an [Exporter] does beside keeping the chain.
type Options struct {
	// Devices get a copy of each batch, in order, at least once.
	Devices []Device
	// MaxLag, if it is not zero, is how long the trail may be behind before
	// [Exporter.Store] takes no new request.
	MaxLag time.Duration
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Wrote is told how many lines each chain or device got, and Failed what did not get
	// them; both may be nil.
	Wrote  func(to string, lines int)
	Failed func(to string, err error)
}

// Exporter brings what happened from the records into the chains. Every replica runs one,
// and one of them does the work.
type Exporter struct {
	log     *Log
	records bridge.Store
	o       Options
	name    string

	mu    sync.Mutex
	dirty map[string]*change
	all   bool // Any record may have changed.
	ours  bool // The place is, so changes are remembered.

	// What follows belongs to the goroutine of Run.
	version string // of our place, empty while somebody else has it
	heads   map[string]*stored
	done    map[string]done  // by request
	sent    map[string]int64 // by device and tenant, the last batch
	noted   map[string]bool
	erased  []*Line         // the lines that tell of erasures, behind which what was before may have none yet
	barred  map[string]bool // tenants without a chain, of whom somebody was told
	scanned time.Time
	kept    time.Time // when the place was kept last
	mark    mark
	whole   bool // whether the last turn brought the trail itself up to date, copies aside
	told    bool // that we are behind
	asked   bool // whether it was ever told
	room    room
	misses  map[string]error // what the chains, or a device, did not get in this turn

	// behind is the moment since which the trail is not up to date, in unix nanoseconds; zero when it is.
	behind atomic.Int64
}

// NewExporter returns an exporter from records into a log.
func NewExporter(l *Log, records bridge.Store, o Options) *Exporter {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Exporter{log: l, records: records, o: o, name: rand.Text(), dirty: map[string]*change{}, barred: map[string]bool{}, misses: map[string]error{}}
}

// Lag is how long the trail has not been brought up to date, as far as this replica knows.
func (x *Exporter) Lag() time.Duration {
	since := x.behind.Load()
	if since == 0 {
		return 0
	}
	return time.Since(time.Unix(0, since))
}

// Run exports until ctx ends. It hears of changes from the bridge over [Exporter.Store].
func (x *Exporter) Run(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		before := x.misses
		x.misses = map[string]error{}
		err := x.turn(ctx)
		switch {
		case ctx.Err() != nil:
			x.leave(context.WithoutCancel(ctx))
			return
		case err != nil:
			x.behind.CompareAndSwap(0, time.Now().UnixNano())
			if !x.whole { // A copy has been counted where it failed.
				x.missed(trail, err)
			}
			for to, err := range x.misses {
				if before[to] == nil {
					x.o.Logger.Error("the audit trail is behind", "error", err)
				}
			}
		case len(before) > 0:
			x.o.Logger.Info("the audit trail is up to date again")
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// trail names the chains beside the devices.
const trail = "trail"

// missed is failed for what keeps the trail behind, and is repeated.
func (x *Exporter) missed(to string, err error) {
	x.failed(to, err)
	x.misses[to] = err
}

func (x *Exporter) failed(to string, err error) {
	if x.o.Failed != nil {
		x.o.Failed(to, err)
	}
}

// place takes the exporter's place, or keeps it, and reports whether it is ours.
func (x *Exporter) place(ctx context.Context) (bool, error) {
	if x.version != "" && time.Since(x.kept) < holds/3 {
		return true, nil
	}
	key := keyvalue.Key{Kind: kindHolder, ID: "exporter"}
	o := &keyvalue.PutOptions{If: cmp.Or(x.version, keyvalue.Absent), TTL: holds}
	e, err := x.log.kv.Put(ctx, key, []byte(x.name), o)
	switch {
	case err == nil, errors.Is(err, bridge.ErrNotReplicated):
		if x.version == "" {
			x.heads = nil // Somebody else may have written since.
			x.keep(true)
		}
		x.version, x.kept = e.Version, time.Now()
		return true, nil
	case errors.Is(err, keyvalue.ErrConflict):
		x.version = ""
		x.keep(false)
		return false, nil
	}
	return false, err
}

func (x *Exporter) leave(ctx context.Context) {
	if x.version == "" {
		return
	}
	x.keep(false)
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = x.log.kv.Delete(ctx, keyvalue.Key{Kind: kindHolder, ID: "exporter"}, x.version) // It expires else.
}

// turn brings the trail up to date, and its copies, if that is ours to do.
func (x *Exporter) turn(ctx context.Context) error {
	x.whole = false
	mine, err := x.place(ctx)
	if err != nil {
		return err
	}
	if !mine {
		return x.listen(ctx)
	}
	err = x.export(ctx)
	written := err == nil
	if written {
		err = x.send(ctx)
	}
	told := x.tell(ctx, err != nil)
	x.whole = written && told == nil
	return errors.Join(err, told)
}

// behindKey holds since when the trail is behind, for the other replicas.
var behindKey = keyvalue.Key{Kind: kindBehind, ID: "since"}

// tell tells the other replicas whether the trail is behind.
func (x *Exporter) tell(ctx context.Context, behind bool) error {
	if !behind {
		x.behind.Store(0)
	}
	if behind == x.told && x.asked {
		return nil
	}
	var err error
	if behind {
		x.behind.CompareAndSwap(0, time.Now().UnixNano())
		_, err = x.log.kv.Put(ctx, behindKey, []byte(strconv.FormatInt(x.behind.Load(), 10)), nil)
	} else {
		err = x.log.kv.Delete(ctx, behindKey, "")
	}
	if err == nil || errors.Is(err, bridge.ErrNotFound) || errors.Is(err, bridge.ErrNotReplicated) {
		x.told, x.asked, err = behind, true, nil
	}
	return err
}

// listen hears from the replica that does the work whether the trail is behind.
func (x *Exporter) listen(ctx context.Context) error {
	e, err := x.log.kv.Get(ctx, behindKey)
	if err != nil && !errors.Is(err, bridge.ErrNotFound) {
		return err
	}
	since, _ := strconv.ParseInt(string(e.Value), 10, 64) // Nothing, or a number.
	x.behind.Store(since)
	return nil
}

// export writes the lines of what has happened.
func (x *Exporter) export(ctx context.Context) error {
	if x.heads == nil {
		if err := x.resume(ctx); err != nil {
			x.heads = nil // The rest of what was written may be what was not read.
			return err
		}
	}
	if err := x.notes(ctx); err != nil {
		return err
	}
	var err error
	changes, all := x.take()
	if len(changes) == 0 {
		x.room = room{}
	}
	if all || time.Since(x.scanned) >= rescan {
		err = x.scan(ctx)
	} else {
		err = x.changed(ctx, changes)
	}
	if err != nil {
		x.heads = nil // What was written is read again.
		x.mu.Lock()
		x.all = true
		x.mu.Unlock()
	}
	return err
}
