package bridgetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// ear collects the notifications of a watcher.
type ear struct {
	mu    sync.Mutex
	heard map[string]int
	// last is what was heard last of each record.
	last map[string]record.Notification
}

// listen watches until the test ends and returns once the watch has started.
func listen(t *testing.T, s storage.Store) *ear {
	t.Helper()
	e := &ear{heard: map[string]int{}, last: map[string]record.Notification{}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- s.Watch(ctx, func(n record.Notification) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.heard[n.ID]++
			e.last[n.ID] = n
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("watch ended with %v", err)
		}
	})
	eventually(t, "the watch to start, which begins with a zero notification", func() bool { return e.count("") > 0 })
	return e
}

func (e *ear) count(id string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[id]
}

func (e *ear) latest(id string) record.Notification {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last[id]
}

func watchHears(t *testing.T, b *Backend) {
	one, two := listen(t, b.Store), listen(t, b.Store)
	create(t, b.Store, "a1", dueIn(time.Hour))
	create(t, b.Store, "b1", dueIn(time.Hour))
	for _, e := range []*ear{one, two} {
		eventually(t, "news of the creation", func() bool { return e.count("a1") > 0 && e.count("b1") > 0 })
	}
	before := one.count("a1")
	r := change(t, b.Store, "a1", lagIn(time.Minute))
	eventually(t, "news of the change", func() bool { return one.count("a1") > before })
	same(t, "the news of the second version", one.latest("a1"), r.Notify())
}

func closedRefuses(t *testing.T, b *Backend) {
	create(t, b.Store, "a1", dueIn(time.Hour))
	ended := make(chan error, 1)
	var watching atomic.Bool
	go func() { ended <- b.Store.Watch(t.Context(), func(record.Notification) { watching.Store(true) }) }()
	eventually(t, "the watch to start, which begins with a zero notification", watching.Load)
	for range 2 {
		if err := b.Store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	is(t, "watch", <-ended, storage.ErrClosed)
	_, err := b.Store.Load(t.Context(), "a1")
	is(t, "load", err, storage.ErrClosed)
	_, err = b.Store.Change(t.Context(), "a1", count)
	is(t, "change", err, storage.ErrClosed)
	_, err = b.Store.Create(t.Context(), sample("a2"), count)
	is(t, "create", err, storage.ErrClosed)
	_, err = b.Store.Due(t.Context(), 1)
	is(t, "due", err, storage.ErrClosed)
	_, err = b.Store.Claim(t.Context(), time.Second, 1)
	is(t, "claim", err, storage.ErrClosed)
	_, err = b.Store.Scan(t.Context(), storage.Scan{Limit: 1})
	is(t, "scan", err, storage.ErrClosed)
	_, err = b.Store.Count(t.Context(), "")
	is(t, "count", err, storage.ErrClosed)
	is(t, "watch again", b.Store.Watch(t.Context(), func(record.Notification) {}), storage.ErrClosed)
}

func secondHandle(t *testing.T, b *Backend) {
	if b.Another == nil {
		return
	}
	other := b.Another(t)
	want := create(t, b.Store, "a1", dueIn(time.Hour))
	same(t, "loaded elsewhere", load(t, other, "a1"), want)
	want = change(t, other, "a1", count)
	same(t, "changed elsewhere", load(t, b.Store, "a1"), want)

	// Each handle now remembers a version that the other one moves on from.
	for i := range 6 {
		s := []storage.Store{b.Store, other}[i%2]
		if r := change(t, s, "a1", count); r.Revision != int64(i+2) {
			t.Fatalf("counted %d, want %d", r.Revision, i+2)
		}
	}
	change(t, other, "a1", end)
	closed := errors.New("closed")
	got, err := b.Store.Change(t.Context(), "a1", func(r *record.Record, _ time.Time) error {
		if !r.Open() {
			return closed
		}
		return storage.ErrUnchanged
	})
	is(t, "a decision to do nothing is made on the newest record", err, closed)
	if got.Open() {
		t.Error("an old record was returned with the error")
	}
}

func secondHandleWakes(t *testing.T, b *Backend) {
	if b.Another == nil {
		return
	}
	e := listen(t, b.Another(t))
	create(t, b.Store, "a1", dueIn(time.Hour))
	eventually(t, "news of the creation", func() bool { return e.count("a1") > 0 })
	for _, f := range []record.Transition{count, lagIn(time.Minute), dueIn(2 * time.Hour), end} {
		before := e.count("a1")
		r := change(t, b.Store, "a1", f)
		eventually(t, "news of the change", func() bool { return e.count("a1") > before })
		same(t, "the news", e.latest("a1"), r.Notify())
	}
}

func timePasses(t *testing.T, b *Backend) {
	if b.Advance == nil {
		return
	}
	var start time.Time
	create(t, b.Store, "a1", func(r *record.Record, now time.Time) error {
		start = now
		return dueIn(time.Minute)(r, now)
	})
	if batch := dueNow(t, b.Store, 10); len(batch.IDs) != 0 {
		t.Errorf("due a minute early: %v", batch.IDs)
	}
	late := func() (is bool) {
		change(t, b.Store, "a1", func(r *record.Record, now time.Time) error {
			is = !now.Before(r.Deadline)
			return nil
		})
		return is
	}
	b.Advance(59 * time.Second)
	if late() {
		t.Error("late a second early")
	}
	between(t, "next", dueNow(t, b.Store, 10).Next, 0, time.Second)
	b.Advance(time.Second)
	if !late() {
		t.Error("not late at the deadline")
	}
	same(t, "due", dueNow(t, b.Store, 10).IDs, []string{"a1"})
	if r := load(t, b.Store, "a1"); r.Changed.Before(start.Add(time.Minute)) || r.Created != start {
		t.Errorf("created %v, changed %v; want %v and a minute later", r.Created, r.Changed, start)
	}

	// A clock that went on unseen, far more than the store would guess.
	create(t, b.Store, "b1", dueIn(time.Hour))
	b.Advance(2 * time.Hour)
	change(t, b.Store, "b1", func(r *record.Record, now time.Time) error {
		if now.Before(r.Deadline) {
			return nil
		}
		return end(r, now)
	})
	if r := load(t, b.Store, "b1"); r.Open() {
		t.Error("a click after the deadline found the request open")
	}
}

// momentPasses holds the store to its own clock where a guess would be nearly
// right: a moment passes between two calls.
func momentPasses(t *testing.T, b *Backend) {
	if b.Advance == nil {
		return
	}
	const moment = 300 * time.Millisecond
	moments := map[string]func(r *record.Record) *time.Time{
		"a1": func(r *record.Record) *time.Time { return &r.Deadline },
		"b1": func(r *record.Record) *time.Time { return &r.Due },
	}
	for id, field := range moments {
		create(t, b.Store, id, func(r *record.Record, now time.Time) error {
			r.Deadline, r.Due = now.Add(time.Hour), now.Add(time.Hour)
			*field(r) = now.Add(moment)
			return nil
		})
		passed := func() (is bool) {
			change(t, b.Store, id, func(r *record.Record, now time.Time) error {
				is = !now.Before(*field(r))
				r.Revision++
				return nil
			})
			return is
		}
		if passed() {
			t.Errorf("%s: passed too early", id)
		}
		b.Advance(moment)
		if !passed() {
			t.Errorf("%s: not passed in time", id)
		}
	}

	// Nothing is written here, and still the decision is made in time.
	create(t, b.Store, "c1", dueIn(moment))
	late := errors.New("late")
	judge := func(r *record.Record, now time.Time) error {
		if now.Before(r.Deadline) {
			return storage.ErrUnchanged
		}
		return late
	}
	_, err := b.Store.Change(t.Context(), "c1", judge)
	is(t, "before", err, storage.ErrUnchanged)
	b.Advance(moment)
	_, err = b.Store.Change(t.Context(), "c1", judge)
	is(t, "after", err, late)
}

func retentionPurges(t *testing.T, b *Backend) {
	if b.Advance == nil {
		return
	}
	for _, id := range []string{"a1", "b1", "a2"} {
		create(t, b.Store, id, dueIn(1000*time.Hour))
	}
	change(t, b.Store, "a1", end)
	change(t, b.Store, "b1", end)
	b.Advance(b.Retention - time.Second)
	change(t, b.Store, "a1", count)
	change(t, b.Store, "a2", end)
	if got := scan(t, b.Store, storage.Scan{Ended: true, Limit: 10}); len(got) != 3 {
		t.Errorf("%d ended records a second before their time is over, want 3", len(got))
	}
	b.Advance(time.Second)
	for _, id := range []string{"a1", "b1"} {
		_, err := b.Store.Load(t.Context(), id)
		is(t, "load", err, storage.ErrNotFound)
	}
	got := scan(t, b.Store, storage.Scan{Ended: true, Limit: 10})
	same(t, "left", got, []record.Record{load(t, b.Store, "a2")})
	_, err := b.Store.Change(t.Context(), "a1", count)
	is(t, "change", err, storage.ErrNotFound)
	if r := create(t, b.Store, "b1", dueIn(time.Hour)); r.Version != 1 {
		t.Errorf("created again at version %d, want 1", r.Version)
	}
	if got := scan(t, b.Store, storage.Scan{Limit: 10}); len(got) != 1 {
		t.Errorf("%d open records, want 1", len(got))
	}
}

// An agent whose webhook could not be reached for longer than ended records are kept still
// receives the answer.
func undeliveredStays(t *testing.T, b *Backend) {
	if b.Advance == nil {
		return
	}
	for _, id := range []string{"a1", "b1"} {
		create(t, b.Store, id, dueIn(1000*time.Hour))
		change(t, b.Store, id, end)
	}
	change(t, b.Store, "a1", lagIn(time.Hour))
	b.Advance(b.Retention + time.Hour)
	create(t, b.Store, "c1", dueIn(time.Hour))
	dueNow(t, b.Store, 1)
	same(t, "claimed", claim(t, b.Store, time.Minute, 10).IDs, []string{"a1"})
	kept := load(t, b.Store, "a1")
	for _, tenant := range []*string{nil, &kept.Tenant} {
		same(t, "listed", scan(t, b.Store, storage.Scan{Ended: true, Tenant: tenant, Limit: 10}), []record.Record{kept})
	}
	change(t, b.Store, "a1", func(r *record.Record, _ time.Time) error { r.DeliveryDue = time.Time{}; return nil })
	_, err := b.Store.Load(t.Context(), "a1")
	is(t, "load of what is delivered", err, storage.ErrNotFound)
	same(t, "listed", scan(t, b.Store, storage.Scan{Ended: true, Limit: 10}), []record.Record(nil))
}

func evicted(t *testing.T, b *Backend) {
	if b.Evict == nil {
		return
	}
	all := spread(6)
	for _, id := range all {
		create(t, b.Store, id, func(r *record.Record, now time.Time) error {
			r.Due, r.DeliveryDue = now.Add(-time.Second), now.Add(-time.Second)
			return nil
		})
	}
	gone, here := all[:3], all[3:]
	for _, id := range gone {
		b.Evict(id)
	}
	if got := scan(t, b.Store, storage.Scan{Limit: 3}); len(got) != 3 {
		t.Errorf("a scan for 3 found %d although 3 are left", len(got))
	}
	same(t, "claimed", claim(t, b.Store, 0, 10).IDs, here)
	same(t, "due", dueNow(t, b.Store, 10).IDs, all)
	for _, id := range gone {
		_, err := b.Store.Change(t.Context(), id, count)
		is(t, "change", err, storage.ErrNotFound)
	}
	same(t, "due afterwards", dueNow(t, b.Store, 10).IDs, here)
}

func unknownKept(t *testing.T, b *Backend) {
	if b.Amend == nil {
		return
	}
	create(t, b.Store, "a1", dueIn(time.Hour))
	const news = `"votes":{"slack:U1":[1,2]},"zz":"<new>"`
	b.Amend("a1", func(data []byte) []byte {
		return append(bytes.TrimSuffix(data, []byte("}")), ","+news+"}"...)
	})
	s := b.Store
	if b.Another != nil {
		s = b.Another(t)
	}
	change(t, s, "a1", count)
	change(t, s, "a1", count)
	var kept string
	b.Amend("a1", func(data []byte) []byte {
		kept = string(data)
		return data
	})
	if !strings.Contains(kept, news) || !strings.Contains(kept, `"fa":2`) {
		t.Errorf("stored %s, want the change and %s", kept, news)
	}
}

func tooNew(t *testing.T, b *Backend) {
	if b.Amend == nil {
		return
	}
	create(t, b.Store, "a1", dueIn(time.Hour))
	b.Amend("a1", func(data []byte) []byte { return append([]byte(`{"f":99,"qs":"changed",`), data[1:]...) })
	s := b.Store
	if b.Another != nil {
		s = b.Another(t)
	}
	_, err := s.Load(t.Context(), "a1")
	if err == nil || !strings.Contains(err.Error(), "format 99") || !strings.Contains(err.Error(), "a1") {
		t.Errorf("load: %v, want an error that names the record and its format", err)
	}
	_, err = s.Change(t.Context(), "a1", count)
	if !errors.Is(err, storage.ErrTooNew) || !strings.Contains(err.Error(), "newer askbridge") {
		t.Errorf("change: %v, want an error about a newer askbridge", err)
	}
	for _, id := range []string{"b1", "c1"} {
		create(t, b.Store, id, dueIn(2*time.Hour))
	}
	for name, tenant := range map[string]*string{"all": nil, "one tenant": new("")} {
		q := storage.Scan{Tenant: tenant, Limit: 1}
		if _, err := s.Scan(t.Context(), q); !errors.Is(err, storage.ErrTooNew) || !strings.Contains(err.Error(), "a1") {
			t.Errorf("scan of %s: %v, want an error that names the record", name, err)
		}
		var left []string
		q.TooNew = func(id string, err error) {
			left = append(left, fmt.Sprint(id, " ", errors.Is(err, storage.ErrTooNew)))
		}
		same(t, "a scan of "+name+" that goes on without it", pages(t, s, q, byDue), []string{"b1", "c1"})
		same(t, "what it left out", left, []string{"a1 true"})
	}
}
