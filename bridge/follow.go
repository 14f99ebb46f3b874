package bridge

import (
	"context"
	"errors"
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
		r, err := b.store.Load(ctx, q.Request)
		if err != nil {
			return err
		}
		if !q.holds(&r) {
			return ErrNotFound
		}
		return emit(&r)
	}
	if !since.IsZero() {
		if err := b.scan(ctx, Scan{Ended: true, From: since.Add(-overlap), Limit: batchSize}, fresh); err != nil {
			return err
		}
	}
	return b.scan(ctx, Scan{Limit: batchSize}, fresh)
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
	b.alarm.due.at(b.clock.here(r.Due))
	b.alarm.lag.at(b.clock.here(r.Lagging))
	b.waiter.wake(r)
	b.followers.tell(r)
}

// watch follows the store's hints to what other processes change.
func (b *Bridge) watch(ctx context.Context) error {
	hints := newHints()
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { b.look(ctx, hints) })
	for ctx.Err() == nil {
		if err := b.store.Watch(ctx, hints.put); err != nil && ctx.Err() == nil {
			b.log.Warn("store not watched", "error", err)
		}
		pause(ctx, time.Second)
	}
	return nil
}

// safetyPoll is how long an answer can go unnoticed when its hint was lost.
const safetyPoll = 20 * time.Second

// look loads hinted records that somebody here waits for, and now and then, and
// after every gap in the hints, everything that has ended since.
func (b *Bridge) look(ctx context.Context, h *hints) {
	since, next := b.clock.now(), time.Now().Add(jitter(safetyPoll))
	lost := missing{b: b}
	for ctx.Err() == nil {
		wait := time.NewTimer(time.Until(next))
		gap := false
		select {
		case <-ctx.Done():
		case <-h.ready:
		case <-wait.C:
			gap = true
		}
		wait.Stop()
		ids, missed := h.take()
		for id, version := range ids {
			if b.waiter.waits(id, version) || b.followers.want(id, version) {
				if r, err := b.hinted(ctx, id, version); err == nil {
					b.changed(&r)
				}
			}
			b.alarm.lag.at(time.Now().Add(lease + time.Second))
		}
		if !gap && !missed {
			continue
		}
		began := b.clock.now()
		if !b.waiter.idle() || b.followers.want("", 0) {
			err := b.scan(ctx, Scan{Ended: true, From: since.Add(-time.Minute), Limit: batchSize}, func(r *Record) error {
				b.changed(r)
				return nil
			})
			if err != nil && !errors.Is(err, context.Canceled) {
				b.log.Warn("ended requests not read again", "error", err)
				next = time.Now().Add(secondLook)
				continue
			}
		}
		since, next = began, time.Now().Add(jitter(safetyPoll))
		if lost.look(ctx, missed) {
			next = time.Now().Add(secondLook)
		}
	}
}

// hinted returns the record that a hint tells of, which has come along with it or
// is to be read.
func (b *Bridge) hinted(ctx context.Context, id string, version int64) (Record, error) {
	if h, able := b.store.(Herald); able {
		if r, known := h.Ended(id); known && r.Version >= version && version > 0 {
			return r, nil
		}
	}
	return b.store.Load(ctx, id)
}

// hints collects ids until somebody looks.
type hints struct {
	ready chan struct{}

	mu     sync.Mutex
	ids    map[string]int64 // the newest version heard of, 0 for any
	missed bool
}

func newHints() *hints { return &hints{ready: make(chan struct{}, 1), ids: map[string]int64{}} }

func (h *hints) put(id string, version int64) {
	h.mu.Lock()
	switch old, known := h.ids[id]; {
	case id == "":
		h.missed = true
	case version == 0 || known && old == 0:
		h.ids[id] = 0
	default:
		h.ids[id] = max(old, version)
	}
	h.mu.Unlock()
	select {
	case h.ready <- struct{}{}:
	default:
	}
}

func (h *hints) take() (ids map[string]int64, missed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids, h.ids = h.ids, map[string]int64{}
	missed, h.missed = h.missed, false
	return ids, missed
}
