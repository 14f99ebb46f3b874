package file

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/internal/index"
	"github.com/askbridge/askbridge/store/memory"
)

func openFile(t testing.TB, path string) *Store {
	t.Helper()
	return openFileAt(t, path, time.Now)
}

func openFileAt(t testing.TB, path string, now func() time.Time) *Store {
	t.Helper()
	f, err := openAt(path, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// amend rewrites the stored JSON of a record.
func (f *Store) amend(t testing.TB, id string, edit func([]byte) []byte) {
	t.Helper()
	err := f.db.Update(func(tx *bolt.Tx) error {
		table := &transaction{tx: tx}
		old, _ := table.Get(id)
		next := old
		next.Data = edit(append([]byte(nil), old.Data...))
		return table.Put(id, codec.TenantOf(old.Data), old, next)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// asOlder stores a record like a version without the index of tenants.
func (f *Store) asOlder(t testing.TB, id string, next index.Row) {
	t.Helper()
	err := f.db.Update(func(tx *bolt.Tx) error {
		table := &transaction{tx: tx}
		old, _ := table.Get(id)
		if err := table.Put(id, "", old, next); err != nil {
			return err
		}
		from, at, in := next.InTenant()
		if !in {
			return nil
		}
		return tx.Bucket(tenantBucket).Delete(tenantPlaceKey("", from, index.TenantPlace{At: at, ID: id}))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFileTenantListIncludesWritesOfOlderVersions covers an upgrade, a downgrade and another
// upgrade.
func TestFileTenantListIncludesWritesOfOlderVersions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	f := openFile(t, path)
	fixture.Must(t)(f.Create(t.Context(), fixture.Owned("a1", "ops"), fixture.DueInAnHour))
	fixture.Must(t)(f.Create(t.Context(), fixture.Owned("a2", "ops"), fixture.DueInAnHour))
	made := fixture.Must(t)(f.Create(t.Context(), fixture.Owned("a3", "ops"), fixture.DueInAnHour))

	// The older version creates one request and ends another.
	for id, over := range map[string]bool{"a4": false, "a1": true} {
		e := &codec.Entry{Rec: made}
		e.Rec.ID = id
		if over {
			e.Rec.Due, e.Rec.EndedAt = time.Time{}, time.Now()
		}
		data, err := codec.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		f.asOlder(t, id, index.Row{Data: data, At: [index.Kinds]codec.Micros{index.Due: index.Due.Moment(&e.Rec), index.Ended: index.Ended.Moment(&e.Rec)}})
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f = openFile(t, path)
		tenant := "ops"
		for over, want := range map[bool][]string{false: {"a2", "a3", "a4"}, true: {"a1"}} {
			found, err := f.Scan(t.Context(), storage.Scan{Ended: over, Tenant: &tenant, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range found {
				got = append(got, r.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("ended %v: %v, want %v", over, got, want)
			}
		}
		if n, err := f.Count(t.Context(), tenant); n != 3 || err != nil {
			t.Errorf("%d are open, %v", n, err)
		}
	}
}

func (f *Store) pageWrites() int64 {
	stats := f.db.Stats()
	return stats.TxStats.GetWrite()
}

func TestFile(t *testing.T) {
	t.Parallel()
	bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
		now, advance := fixture.Moved()
		f := openFileAt(t, filepath.Join(t.TempDir(), "askbridge.db"), now)
		return &bridgetest.Backend{
			Store: f, Advance: advance, Retention: store.DefaultRetention,
			Amend: func(id string, edit func([]byte) []byte) { f.amend(t, id, edit) },
		}
	})
}

func TestFileKeepsEverythingWhenReopened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	f := openFile(t, path)
	want := map[string]record.Record{}
	for i := range 20 {
		id := fmt.Sprintf("a%02d", i)
		r, err := f.Create(t.Context(), fixture.Plain(id), func(r *record.Record, now time.Time) error {
			r.Due, r.DeliveryDue = now.Add(-time.Second), now.Add(-time.Second)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want[id] = r
	}
	if _, err := f.Claim(t.Context(), time.Hour, 5); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = openFile(t, path)
	for id, r := range want {
		got, err := f.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		fixture.Equal(t, id, got, r)
	}
	due, err := f.Due(t.Context(), 100)
	if err != nil || len(due.IDs) != 20 {
		t.Errorf("%d are due, %v; want 20", len(due.IDs), err)
	}
	claimed, err := f.Claim(t.Context(), time.Hour, 100)
	if err != nil || len(claimed.IDs) != 15 {
		t.Errorf("%d could be claimed, %v; want 15, because leases persist", len(claimed.IDs), err)
	}
}

// TestFileHelperHoldsFile is the second process of the two tests below. It does nothing by itself.
func TestFileHelperHoldsFile(t *testing.T) {
	path := os.Getenv("ASKBRIDGE_TEST_FILE")
	if path == "" {
		return
	}
	f := openFile(t, path)
	for i := 0; ; i++ {
		id := fmt.Sprintf("a%06d", i)
		if _, err := f.Create(t.Context(), fixture.Plain(id), fixture.Nothing); err != nil {
			t.Fatal(err)
		}
		fmt.Println("stored", id)
	}
}

// helper starts a process that stores records in the file until it is killed.
func helper(t *testing.T, path string) (stored func() (id string), pid int, kill func()) {
	t.Helper()
	return process(t, "TestFileHelperHoldsFile", "ASKBRIDGE_TEST_FILE="+path)
}

// process runs a test in a subprocess, which prints what it has stored.
func process(t *testing.T, test, env string) (stored func() (id string), pid int, kill func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), env)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	stored = func() (id string) {
		if _, err := fmt.Fscanf(out, "stored %s\n", &id); err != nil {
			t.Fatalf("reading from the other process: %v", err)
		}
		return id
	}
	return stored, cmd.Process.Pid, kill
}

func TestFileRefusesASecondProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	stored, pid, _ := helper(t, path)
	stored()
	_, err := Open(path, nil)
	who := "another process"
	if runtime.GOOS == "linux" {
		who += fmt.Sprintf(" (pid %d)", pid)
	}
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), who) {
		t.Errorf("open: %v, want an error that names the file and %s", err, who)
	}
}

func TestFileSurvivesKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	stored, _, kill := helper(t, path)
	var ids []string
	for range 25 {
		ids = append(ids, stored())
	}
	kill()
	f, err := Open(path, &Options{Wait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, id := range ids {
		if _, err := f.Load(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
}

func TestFileOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "none", "askbridge.db")
	if _, err := Open(missing, nil); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("open in a missing directory: %v", err)
	}
	path := filepath.Join(dir, "askbridge.db")
	f := openFile(t, path)
	err := f.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(schemaKey, []byte("77")) })
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, nil); err == nil || !strings.Contains(err.Error(), `layout "77"`) {
		t.Errorf("open of a newer layout: %v", err)
	}
}

func TestFileWritersShareCommits(t *testing.T) {
	t.Parallel()
	f := openFile(t, filepath.Join(t.TempDir(), "askbridge.db"))
	const writers = 16
	f.writing.Lock() // Simulates a slow commit.
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			if _, err := f.Create(t.Context(), fixture.Plain(fmt.Sprintf("a%d", i)), fixture.Nothing); err != nil {
				t.Error(err)
			}
		})
	}
	fixture.WaitFor(t, "all writers to queue up", func() bool {
		f.queueMu.Lock()
		defer f.queueMu.Unlock()
		return len(f.queue) == writers
	})
	before := f.pageWrites()
	f.writing.Unlock()
	group.Wait()
	one := f.pageWrites() - before
	before = f.pageWrites()
	if _, err := f.Change(t.Context(), "a1", func(*record.Record, time.Time) error { return storage.ErrUnchanged }); !errors.Is(err, storage.ErrUnchanged) {
		t.Fatal(err)
	}
	if _, err := f.Claim(t.Context(), time.Hour, 5); err != nil {
		t.Fatal(err)
	}
	none := f.pageWrites() - before
	if one == 0 || one > 12 || none != 0 {
		t.Errorf("%d page writes for %d concurrent records, %d without a change; want those of one commit, and none", one, writers, none)
	}
}

// TestFilePanicAffectsOnlyItsCaller covers a panic in a shared commit: it once reached the goroutine
// that commits for all, and failed the other writes of the commit.
func TestFilePanicAffectsOnlyItsCaller(t *testing.T) {
	t.Parallel()
	f := openFile(t, filepath.Join(t.TempDir(), "askbridge.db"))
	f.writing.Lock() // Simulates a slow commit.
	var group sync.WaitGroup
	for n, id := range []string{"a1", "a2", "poisoned", "a4"} {
		group.Go(func() {
			defer func() {
				if p := recover(); (p != nil) != (id == "poisoned") {
					t.Errorf("writing %s panics with %v", id, p)
				}
			}()
			_, err := f.Create(t.Context(), fixture.Plain(id), func(*record.Record, time.Time) error {
				if id == "poisoned" {
					panic(id)
				}
				return nil
			})
			if _, gone := f.Load(t.Context(), id); err != nil || gone != nil {
				t.Errorf("writing %s: %v; reading it: %v", id, err, gone)
			}
		})
		fixture.WaitFor(t, id+" to queue up", func() bool {
			f.queueMu.Lock()
			defer f.queueMu.Unlock()
			return len(f.queue) == n+1
		})
	}
	f.writing.Unlock()
	group.Wait()
	if _, err := f.Load(t.Context(), "poisoned"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the write that panicked is stored: %v", err)
	}
	if _, err := f.Create(t.Context(), fixture.Plain("a5"), fixture.Nothing); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

func TestFileAgreesWithMemory(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	fixture.Agree(t, func(now func() time.Time) storage.Store { return memory.NewAt(now) }, func(t *testing.T, c *fixture.Clock) storage.Store {
		n++
		f := openFileAt(t, filepath.Join(dir, fmt.Sprint(n)), c.Now)
		f.db.NoSync = true
		return f
	})
}

func BenchmarkStore(b *testing.B) {
	fixture.Benchmark(b, func(b *testing.B) fixture.Benchmarked {
		f := openFile(b, filepath.Join(b.TempDir(), "askbridge.db"))
		return fixture.Benchmarked{Store: f, Fill: func() { f.db.NoSync = true }, Filled: func() { f.db.NoSync = false }}
	})
}
