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

// changed is what came of a change that was put off.
type changed struct {
	rec record.Record
	err error
}

// puttingOff returns a store that puts changes off for so long, and knows the
// scripts already, with a record "a1" and a function that counts round trips.
func puttingOff(t *testing.T, server *redistest.Server, soon time.Duration) (r *Store, used func() int64) {
	t.Helper()
	r, used = countedRedis(t, server, Layout{})
	r.soon = soon
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
	fixture.Must(t)(r.Change(t.Context(), "a1", fixture.Bump))
	used()
	return r, used
}

// putOffIn puts a change off and returns where its outcome will be told.
func putOffIn(t *testing.T, r *Store, id string, f record.Transition) <-chan changed {
	t.Helper()
	told := make(chan changed, 1)
	if !r.WriteBehind(id, f, func(rec record.Record, err error) { told <- changed{rec, err} }) {
		t.Fatalf("a change of %s is not put off", id)
	}
	return told
}

func TestDeferredChangeIsSentWithNextCreate(t *testing.T) {
	t.Parallel()
	r, used := puttingOff(t, redistest.Start(t), time.Hour)
	told := putOffIn(t, r, "a1", fixture.Bump)
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a2"), fixture.Nothing))
	if got := <-told; got.err != nil || got.rec.Version != 3 {
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
	r, used := puttingOff(t, redistest.Start(t), time.Hour)
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a2"), fixture.Nothing))
	used()
	one, other := putOffIn(t, r, "a1", fixture.Bump), putOffIn(t, r, "a2", fixture.Bump)
	r.makeAll(t.Context())
	if a, b := <-one, <-other; a.err != nil || b.err != nil || a.rec.Version != 3 || b.rec.Version != 2 {
		t.Errorf("told of %+v and %+v", a, b)
	}
	if n := used(); n != 1 {
		t.Errorf("%d round trips for two changes, want 1", n)
	}
	r.soon = time.Millisecond
	if got := <-putOffIn(t, r, "a1", fixture.Bump); got.err != nil || got.rec.Version != 4 {
		t.Errorf("version %d, %v, want version 4 although nothing else is written", got.rec.Version, got.err)
	}
}

func TestDeferredChangeAppliesToNewestVersion(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r, _ := puttingOff(t, server, time.Hour)
	told := putOffIn(t, r, "a1", fixture.Bump)
	other, _ := countedRedis(t, server, Layout{})
	before := fixture.Must(t)(other.Change(t.Context(), "a1", fixture.Bump))
	r.makeAll(t.Context())
	if got := <-told; got.err != nil || got.rec.Version != before.Version+1 || got.rec.Revision != before.Revision+1 {
		t.Errorf("version %d with revision %d, %v, behind version %d with revision %d", got.rec.Version, got.rec.Revision, got.err, before.Version, before.Revision)
	}
}

func TestDeferredChangeCanBeRefused(t *testing.T) {
	t.Parallel()
	r, _ := puttingOff(t, redistest.Start(t), time.Millisecond)
	unchanged := func(*record.Record, time.Time) error { return storage.ErrUnchanged }
	if got := <-putOffIn(t, r, "a1", unchanged); !errors.Is(got.err, storage.ErrUnchanged) || got.rec.Version != 2 {
		t.Errorf("version %d, %v, want version 2 unchanged", got.rec.Version, got.err)
	}
	if got := <-putOffIn(t, r, "a9", fixture.Bump); !errors.Is(got.err, storage.ErrNotFound) {
		t.Errorf("of a record that is not there: %v", got.err)
	}
}

func TestUnreachableServerFailsOnlyDeferredChange(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r, _ := puttingOff(t, server, time.Hour)
	told := putOffIn(t, r, "a1", fixture.Bump)
	server.Do("SCRIPT", "FLUSH")
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a2"), fixture.Nothing))
	if got := <-told; got.err != nil || got.rec.Version != 3 {
		t.Errorf("after the scripts were forgotten: version %d, %v", got.rec.Version, got.err)
	}
	told = putOffIn(t, r, "a1", fixture.Bump)
	server.Kill()
	r.makeAll(t.Context())
	if got := <-told; !errors.Is(got.err, storage.ErrUnavailable) {
		t.Errorf("told %v of a server that is away", got.err)
	}
}

func TestCloseMakesDeferredChanges(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r, _ := puttingOff(t, server, time.Hour)
	told := putOffIn(t, r, "a1", fixture.Bump)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-told; got.err != nil || got.rec.Version != 3 {
		t.Errorf("version %d, %v, want version 3", got.rec.Version, got.err)
	}
	if r.WriteBehind("a1", fixture.Bump, func(record.Record, error) {}) {
		t.Error("a closed store puts a change off")
	}
}
