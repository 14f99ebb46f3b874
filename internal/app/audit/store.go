package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// change is what is known of a record that was changed since the last turn.
type change struct {
	// heard and wrote are the newest versions that somebody told of, and that were written here.
	heard, wrote int64
	// drafts are of the events of those written here, until seq.
	drafts []*draft
	seq    int64
}

// told is a store that tells an exporter of every change of a record.
type told struct {
	bridge.Store

	x      *Exporter
	behind bridge.WriteBehinder
	cache  bridge.OutcomeCache
}

var (
	_ bridge.WriteBehinder = (*told)(nil)
	_ bridge.OutcomeCache  = (*told)(nil)
	_ bridge.HealthChecker = (*told)(nil)
)

// Store returns the store of the records for the bridge of this replica. It hands the
// exporter every record that the bridge writes, which has not to be read again then, and
// the notifications of other replicas that the bridge hears. While the trail is behind for
// longer than [Options.MaxLag] it takes no new request, and fails with
// [bridge.ErrUnavailable]; one that is there already is found all the same.
func (x *Exporter) Store() bridge.Store {
	behind, _ := x.records.(bridge.WriteBehinder)
	cache, _ := x.records.(bridge.OutcomeCache)
	return &told{x.records, x, behind, cache}
}

// Create implements [bridge.Store].
func (s *told) Create(ctx context.Context, r bridge.Record, f bridge.Transition) (bridge.Record, error) {
	if lag := s.x.Lag(); s.x.o.MaxLag > 0 && lag > s.x.o.MaxLag {
		if _, err := s.Load(ctx, r.ID); errors.Is(err, bridge.ErrNotFound) {
			return bridge.Record{}, fmt.Errorf("%w: the audit trail has been behind for %s, more than audit.max_lag", bridge.ErrUnavailable, lag.Round(time.Second))
		}
	}
	r, err := s.Store.Create(ctx, r, f)
	s.x.wrote(&r, err)
	return r, err
}

// Change implements [bridge.Store].
func (s *told) Change(ctx context.Context, id string, f bridge.Transition) (r bridge.Record, err error) {
	r, err = s.Store.Change(ctx, id, f)
	s.x.wrote(&r, err)
	return r, err
}

// WriteBehind implements [bridge.WriteBehinder].
func (s *told) WriteBehind(id string, f bridge.Transition, done func(bridge.Record, error)) bool {
	return s.behind != nil && s.behind.WriteBehind(id, f, func(r bridge.Record, err error) {
		s.x.wrote(&r, err)
		done(r, err)
	})
}

// Ended implements [bridge.OutcomeCache].
func (s *told) Ended(id string) (bridge.Record, bool) {
	if s.cache == nil {
		return bridge.Record{}, false
	}
	return s.cache.Ended(id)
}

// CheckHealth implements [bridge.HealthChecker].
func (s *told) CheckHealth(ctx context.Context) error {
	if c, ok := s.Store.(bridge.HealthChecker); ok {
		return c.CheckHealth(ctx)
	}
	return nil
}

// Watch implements [bridge.Store]. When it ends, what comes after is missed.
func (s *told) Watch(ctx context.Context, changed func(bridge.Notification)) error {
	defer s.x.heard(bridge.Notification{})
	return s.Store.Watch(ctx, func(n bridge.Notification) {
		s.x.heard(n)
		changed(n)
	})
}

// wrote takes note of a record that was written here.
func (x *Exporter) wrote(r *bridge.Record, err error) {
	if err != nil && !errors.Is(err, bridge.ErrNotReplicated) || r.Trail == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.note(r.ID); c != nil && r.Version > c.wrote {
		c.wrote = r.Version
		c.drafts, c.seq = draftsOf(c.drafts, r, c.seq), r.Trail.Seq
	}
}

// heard takes note that somebody has changed a record, or that any may have changed.
func (x *Exporter) heard(n bridge.Notification) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n.ID == "" {
		x.all = x.all || x.ours
		return
	}
	if n.Version == 0 {
		n.Version = math.MaxInt64 // Any may be the newest.
	}
	if c := x.note(n.ID); c != nil {
		c.heard = max(c.heard, n.Version)
	}
}

// note returns what is known of the changes of a record, which has changed: nil where they are not
// ours to export, and where there are too many, which a scan finds.
func (x *Exporter) note(id string) *change {
	c := x.dirty[id]
	switch {
	case !x.ours || c != nil:
	case len(x.dirty) >= maxDirty:
		x.all = true
	default:
		c = &change{}
		x.dirty[id] = c
	}
	return c
}

// take returns which records have changed since the last time.
func (x *Exporter) take() (changes map[string]*change, all bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	changes, x.dirty = x.dirty, make(map[string]*change, len(x.dirty)) // As many may change until the next time.
	all, x.all = x.all, false
	return changes, all
}

// keep says whether what changes is ours to export. Who takes the place looks at all
// records first, so what others did until then need not be known.
func (x *Exporter) keep(ours bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ours = ours; !ours {
		x.dirty, x.all = map[string]*change{}, false
	}
}
