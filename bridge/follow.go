package bridge

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Event is one visible change of a request.
type Event struct {
	// ID resumes the stream behind this event.
	ID     string
	Record Record
}

// Selection says which requests to follow.
type Selection struct {
	// Tenant owns the requests; every tenant's when All is set.
	Tenant string
	All    bool
	// Request narrows the stream to one request.
	Request string
	// After is the ID of the last event seen. Without it the stream begins with
	// every open request as it stands.
	After string
}

// overlap is how far a resumed stream reaches back, so that a change that one
// replica saw late is not skipped; clients may see an event twice, with the
// same id.
const overlap = 10 * time.Second

// Follow calls f with each change of the requests selected, until f or ctx
// ends it. Changes of one request come in order, and quick ones may fold into
// the newest; the last state is never missed. A malformed After starts from
// the beginning. It returns ErrNotFound for an unknown single request and
// [ErrClosed] when the bridge stops.
func (b *Bridge) Follow(ctx context.Context, q Selection, f func(Event) error) error {
	me := b.followers.join(q)
	defer b.followers.leave(me)
	since := parseEventID(q.After)
	sent := map[string]int64{}
	emit := func(r *Record) error {
		if r.Version <= sent[r.ID] || !q.holds(r) || eventID(r) == q.After {
			return nil
		}
		sent[r.ID] = r.Version
		if !r.Open() {
			delete(sent, r.ID)
		}
		return f(Event{ID: eventID(r), Record: *r})
	}
	if err := b.replay(ctx, q, since, emit); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-b.running.Done():
			return ErrClosed
		case <-me.ready:
		}
		for _, r := range me.take() {
			if err := emit(r); err != nil {
				return err
			}
		}
	}
}

// replay emits what a new or returning follower has not seen.
func (b *Bridge) replay(ctx context.Context, q Selection, since time.Time, emit func(*Record) error) error {
	fresh := func(r *Record) error {
		if r.Changed.Before(since.Add(-overlap)) {
			return nil
		}
		return emit(r)
	}
	if q.Request != "" {
		r, err := b.Load(ctx, q.Request)
		if err != nil {
			return err
		}
		if !q.holds(&r) {
			return ErrNotFound
		}
		return emit(&r)
	}
	var tenant *string
	if !q.All {
		tenant = &q.Tenant
	}
	if !since.IsZero() {
		if err := b.scan(ctx, Scan{Ended: true, Tenant: tenant, From: since.Add(-overlap), Limit: batchSize}, fresh); err != nil {
			return err
		}
	}
	return b.scan(ctx, Scan{Tenant: tenant, Limit: batchSize}, func(r *Record) error {
		now, err := b.asOfNow(ctx, *r)
		if err != nil {
			return err
		}
		return fresh(&now)
	})
}

// scan calls f with every record of an index.
func (b *Bridge) scan(ctx context.Context, s Scan, f func(*Record) error) error {
	for {
		page, err := b.store.Scan(ctx, s)
		if err != nil {
			return err
		}
		for n := range page {
			if err := f(&page[n]); err != nil {
				return err
			}
		}
		if len(page) < s.Limit {
			return nil
		}
		last := &page[len(page)-1]
		s.From, s.After = scanTime(last, s.Ended), last.ID
	}
}

func (q Selection) holds(r *Record) bool {
	return (q.All || r.Tenant == q.Tenant) && (q.Request == "" || q.Request == r.ID)
}

func eventID(r *Record) string {
	return fmt.Sprintf("%d-%s-%d", r.Changed.UnixMicro(), r.ID, r.Version)
}

func parseEventID(id string) time.Time {
	micros, _, _ := strings.Cut(id, "-")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(n)
}

// followers hands changed records to everybody who follows.
type followers struct {
	mu  sync.Mutex
	all map[*follower]struct{}
}

type follower struct {
	q     Selection
	ready chan struct{}

	mu      sync.Mutex
	pending []*Record
	// newest is the last version put of each request.
	newest map[string]int64
}

func (f *followers) join(q Selection) *follower {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[*follower]struct{}{}
	}
	me := &follower{q: q, ready: make(chan struct{}, 1)}
	f.all[me] = struct{}{}
	return me
}

func (f *followers) leave(me *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, me)
}

// want reports whether anybody follows the request and has not been told of the
// version; an empty id stands for any, and version zero for an unknown one.
func (f *followers) want(id string, version int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for me := range f.all {
		if (id == "" || me.q.Request == "" || me.q.Request == id) && !me.knows(id, version) {
			return true
		}
	}
	return false
}

func (f *followers) tell(r *Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for me := range f.all {
		if me.q.holds(r) {
			me.put(r)
		}
	}
}

// put keeps the newest state of each request until the follower takes it.
func (me *follower) put(r *Record) {
	me.mu.Lock()
	defer me.mu.Unlock()
	if me.newest == nil {
		me.newest = map[string]int64{}
	}
	if me.newest[r.ID] = max(me.newest[r.ID], r.Version); !r.Open() {
		delete(me.newest, r.ID)
	}
	for n, old := range me.pending {
		if old.ID == r.ID {
			if r.Version > old.Version {
				me.pending[n] = r
			}
			return
		}
	}
	me.pending = append(me.pending, r)
	select {
	case me.ready <- struct{}{}:
	default:
	}
}

// knows reports whether the version has been put already.
func (me *follower) knows(id string, version int64) bool {
	me.mu.Lock()
	defer me.mu.Unlock()
	return version > 0 && me.newest[id] >= version
}

func (me *follower) take() []*Record {
	me.mu.Lock()
	defer me.mu.Unlock()
	taken := me.pending
	me.pending = nil
	return taken
}

// changed spreads the news of a record that this process stored or loaded.
func (b *Bridge) changed(r *Record) {
	b.alarms.due.set(r.ID, b.clock.here(r.Due))
	b.alarms.deliveryDue.set(r.ID, b.clock.here(r.DeliveryDue))
	b.waiter.wake(r)
	b.followers.tell(r)
}
