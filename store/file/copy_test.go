package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/askbridge/askbridge/store/internal/fixture"
)

func TestCopyUnderLoadIsConsistent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, kept := openFile(t, filepath.Join(dir, "askbridge.db")), filepath.Join(dir, "copy.db")
	f.db.NoSync = true
	id := func(writer, n int) string { return fmt.Sprintf("a%d-%05d", writer, n) }
	const writers, copies = 4, 8
	var stored [writers]atomic.Int64 // How many records of each writer are on the disk.
	var stop atomic.Bool
	var busy sync.WaitGroup
	for w := range writers {
		busy.Go(func() {
			for n := 0; !stop.Load(); n++ {
				if _, err := f.Create(t.Context(), fixture.Plain(id(w, n)), fixture.DueInAnHour); err != nil {
					t.Error(err)
					return
				}
				if _, err := f.Change(t.Context(), id(w, n), fixture.Bump); err != nil {
					t.Error(err)
					return
				}
				stored[w].Store(int64(n + 1))
			}
		})
	}
	for range copies {
		var before [writers]int64
		for w := range writers {
			fixture.WaitFor(t, "more records", func() bool { return stored[w].Load() > before[w]+5 })
			before[w] = stored[w].Load()
		}
		if size, err := f.Copy(t.Context(), kept); err != nil || size == 0 {
			t.Fatalf("%d bytes, %v", size, err)
		}
		again := openFile(t, kept)
		for w := range writers {
			for n := range int(before[w]) {
				if r, err := again.Load(t.Context(), id(w, n)); err != nil || r.ID != id(w, n) {
					t.Fatalf("the copy lacks %s, which was stored before: %v", id(w, n), err)
				}
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	busy.Wait()
}

func TestFailedCopyKeepsEarlierOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, kept := openFile(t, filepath.Join(dir, "askbridge.db")), filepath.Join(dir, "copy.db")
	if _, err := f.Copy(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	fixture.Must(t)(f.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Copy(ended, kept); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled copy: %v", err)
	}
	if _, err := f.Copy(t.Context(), filepath.Join(dir, "missing", "copy.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a copy into a folder that does not exist: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.part")); err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the copy: %v, %v", info, err)
	}
	again := openFile(t, kept)
	if _, err := again.Load(t.Context(), "a1"); err == nil {
		t.Error("the failed copy replaced the earlier one")
	}
}
