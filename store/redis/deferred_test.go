package redis

import (
	"errors"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// result is the result of a deferred change.
type result struct {
	rec record.Record
	err error
}

// deferring returns a store with the given delay, loaded scripts and a record "a1", and a function that
// counts round trips.
func deferring(t *testing.T, server *redistest.Server, delay time.Duration) (r *Store, used func() int64) {
	t.Helper()
	r, used = countedRedis(t, server, Layout{})
	r.deferred.delay = delay
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
	fixture.Must(t)(r.Change(t.Context(), "a1", fixture.Bump))
	used()
	return r, used
}

// deferChange defers a change and returns a channel that receives its result.
func deferChange(t *testing.T, r *Store, id string, f record.Transition) <-chan result {
	t.Helper()
	done := make(chan result, 1)
	if !r.WriteBehind(id, f, func(rec record.Record, err error) { done <- result{rec, err} }) {
		t.Fatalf("the change of %s was not deferred", id)
	}
	return done
}

func TestDeferredChangeIsSentWithNextCreate(t *testing.T) {
	t.Parallel()
	r, used := deferring(t, redistest.Start(t), time.Hour)
	done := deferChange(t, r, "a1", fixture.Bump)
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a2"), fixture.Nothing))
	if got := <-done; got.err != nil || got.rec.Version != 3 {
		t.Errorf("version %d, %v, want version 3", got.rec.Version, got.err)
	}
	if n := used(); n != 1 {
		t.Errorf("%d round trips for a create and a change, want 1", n)
	}
	if rec := fixture.Must(t)(r.Load(t.Context(), "a1")); rec.Version != 3 {
		t.Errorf("version %d is stored, want 3", rec.Version)
	}
}

func TestDeferredChangesAreSentTogether(t *testing.T) {
	t.Parallel()
	r, used := deferring(t, redistest.Start(t), time.Hour)
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a2"), fixture.Nothing))
	used()
	one, other := deferChange(t, r, "a1", fixture.Bump), deferChange(t, r, "a2", fixture.Bump)
	r.deferred.flush(t.Context())
	if a, b := <-one, <-other; a.err != nil || b.err != nil || a.rec.Version != 3 || b.rec.Version != 2 {
		t.Errorf("results %+v and %+v, want versions 3 and 2", a, b)
	}
	if n := used(); n != 1 {
		t.Errorf("%d round trips for two changes, want 1", n)
	}
	r.deferred.delay = time.Millisecond
	if got := <-deferChange(t, r, "a1", fixture.Bump); got.err != nil || got.rec.Version != 4 {
		t.Errorf("version %d, %v, want version 4 after the delay", got.rec.Version, got.err)
	}
}

func TestDeferredChangeAppliesToNewestVersion(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r, _ := deferring(t, server, time.Hour)
	done := deferChange(t, r, "a1", fixture.Bump)
	other, _ := countedRedis(t, server, Layout{})
	before := fixture.Must(t)(other.Change(t.Context(), "a1", fixture.Bump))
	r.deferred.flush(t.Context())
	if got := <-done; got.err != nil || got.rec.Version != before.Version+1 || got.rec.Revision != before.Revision+1 {
		t.Errorf("version %d with revision %d, %v; want the one after version %d with revision %d", got.rec.Version, got.rec.Revision, got.err, before.Version, before.Revision)
	}
}

func TestDeferredChangeCanBeRefused(t *testing.T) {
	t.Parallel()
	r, _ := deferring(t, redistest.Start(t), time.Millisecond)
	unchanged := func(*record.Record, time.Time) error { return storage.ErrUnchanged }
	if got := <-deferChange(t, r, "a1", unchanged); !errors.Is(got.err, storage.ErrUnchanged) || got.rec.Version != 2 {
		t.Errorf("version %d, %v, want version 2 unchanged", got.rec.Version, got.err)
	}
	if got := <-deferChange(t, r, "a9", fixture.Bump); !errors.Is(got.err, storage.ErrNotFound) {
		t.Errorf("change of a missing record: %v, want ErrNotFound", got.err)
	}
}

func TestUnreachableServerFailsOnlyDeferredChange(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r, _ := deferring(t, server, time.Hour)
	done := deferChange(t, r, "a1", fixture.Bump)
	server.Do("SCRIPT", "FLUSH")
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a2"), fixture.Nothing))
	if got := <-done; got.err != nil || got.rec.Version != 3 {
		t.Errorf("after SCRIPT FLUSH: version %d, %v, want version 3", got.rec.Version, got.err)
	}
	done = deferChange(t, r, "a1", fixture.Bump)
	server.Kill()
	r.deferred.flush(t.Context())
	if got := <-done; !errors.Is(got.err, storage.ErrUnavailable) {
		t.Errorf("change on a dead server: %v, want ErrUnavailable", got.err)
	}
}

func TestCloseMakesDeferredChanges(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r, _ := deferring(t, server, time.Hour)
	done := deferChange(t, r, "a1", fixture.Bump)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.err != nil || got.rec.Version != 3 {
		t.Errorf("version %d, %v, want version 3", got.rec.Version, got.err)
	}
	if r.WriteBehind("a1", fixture.Bump, func(record.Record, error) {}) {
		t.Error("a closed store deferred a change")
	}
}
