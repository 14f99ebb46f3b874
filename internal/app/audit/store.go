package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// change is a record that was changed since the last turn.
type change struct {
	// heard and wrote are the newest versions that were notified and that this replica wrote.
	heard, wrote int64
	// drafts are the events up to seq, if this replica wrote them.
	drafts []*draft
	seq    int64
}

// watchedStore reports changed records to an exporter.
type watchedStore struct {
	bridge.Store

	x *Exporter
}

var (
	_ bridge.WriteBehinder = (*watchedStore)(nil)
	_ bridge.OutcomeCache  = (*watchedStore)(nil)
	_ bridge.HealthChecker = (*watchedStore)(nil)
)

// Store returns the record store for the bridge of this replica. It reports the bridge's changes,
// and the notifications it receives from other replicas, to the exporter. While the trail is
// behind by more than [Options.MaxLag], creating a new record fails with [bridge.ErrUnavailable];
// existing ones are still found.
func (x *Exporter) Store() bridge.Store { return &watchedStore{x.records, x} }

// Create implements [bridge.Store].
func (s *watchedStore) Create(ctx context.Context, r bridge.Record, f bridge.Transition) (bridge.Record, error) {
	if lag := s.x.Lag(); s.x.o.MaxLag > 0 && lag > s.x.o.MaxLag {
		if _, err := s.Load(ctx, r.ID); errors.Is(err, bridge.ErrNotFound) {
			return bridge.Record{}, fmt.Errorf("%w: the audit trail has been behind for %s, more than audit.max_lag", bridge.ErrUnavailable, lag.Round(time.Second))
		}
	}
	return s.wrote(s.Store.Create(ctx, r, f))
}

// Change implements [bridge.Store].
func (s *watchedStore) Change(ctx context.Context, id string, f bridge.Transition) (bridge.Record, error) {
	return s.wrote(s.Store.Change(ctx, id, f))
}

// WriteBehind implements [bridge.WriteBehinder].
func (s *watchedStore) WriteBehind(id string, f bridge.Transition, done func(bridge.Record, error)) bool {
	b, ok := s.Store.(bridge.WriteBehinder)
	return ok && b.WriteBehind(id, f, func(r bridge.Record, err error) { done(s.wrote(r, err)) })
}

func (s *watchedStore) wrote(r bridge.Record, err error) (bridge.Record, error) {
	if written(err) == nil && r.Trail != nil {
		s.x.wrote(&r)
	}
	return r, err
}

// Ended implements [bridge.OutcomeCache].
func (s *watchedStore) Ended(id string) (bridge.Record, bool) {
	if c, ok := s.Store.(bridge.OutcomeCache); ok {
		return c.Ended(id)
	}
	return bridge.Record{}, false
}

// CheckHealth implements [bridge.HealthChecker].
func (s *watchedStore) CheckHealth(ctx context.Context) error {
	if c, ok := s.Store.(bridge.HealthChecker); ok {
		return c.CheckHealth(ctx)
	}
	return nil
}

// Watch implements [bridge.Store]. Later changes are missed when it ends.
func (s *watchedStore) Watch(ctx context.Context, changed func(bridge.Notification)) error {
	defer s.x.heard(bridge.Notification{})
	return s.Store.Watch(ctx, func(n bridge.Notification) {
		s.x.heard(n)
		changed(n)
	})
}

// wrote notes the events of a record that this replica changed.
func (x *Exporter) wrote(r *bridge.Record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.change(r.ID); c != nil && r.Version > c.wrote {
		c.wrote = r.Version
		c.drafts, c.seq = append(c.drafts, draftsOf(r, c.seq)...), r.Trail.Seq
	}
}

// heard notes that a record has changed, or that any may have changed.
func (x *Exporter) heard(n bridge.Notification) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n.ID == "" {
		x.all = x.leading
		return
	}
	if n.Version == 0 {
		n.Version = math.MaxInt64 // Unknown, so possibly the newest.
	}
	if c := x.change(n.ID); c != nil {
		c.heard = max(c.heard, n.Version)
	}
}

// change returns what is known of a changed record; nil if a scan will find it.
func (x *Exporter) change(id string) *change {
	switch c := x.dirty[id]; {
	case !x.leading: // The next holder of the lease reads all records first.
	case c != nil:
		return c
	case len(x.dirty) >= maxDirty:
		x.all = true
	default:
		x.dirty[id] = &change{}
	}
	return x.dirty[id]
}

// take returns which records have changed since the last call.
func (x *Exporter) take() (dirty map[string]*change, all bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	dirty, all = x.dirty, x.all
	x.dirty, x.all = make(map[string]*change, len(dirty)), false
	return dirty, all
}

// lead sets whether changes are remembered.
func (x *Exporter) lead(leading bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.leading, x.dirty, x.all = leading, map[string]*change{}, false
}
