package file

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/fixture"
)

// TestWipeOverwritesFreePages wipes during concurrent reads and writes.
func TestWipeOverwritesFreePages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	f := openFile(t, path)
	f.db.NoSync = true
	holds := func() bool {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(data, []byte("Deploying 4.2"))
	}
	const all = 300
	id := func(n int) string { return fmt.Sprintf("a%03d", n) }
	for n := range all {
		fixture.Must(t)(f.Create(t.Context(), fixture.Plain(id(n)), fixture.DueInAnHour))
	}
	for n := range all {
		fixture.Must(t)(f.Change(t.Context(), id(n), func(r *record.Record, _ time.Time) error {
			r.Context = "[erased]"
			return nil
		}))
	}
	if !holds() {
		t.Fatal("the file has no text to wipe")
	}
	var busy sync.WaitGroup
	for range 4 {
		busy.Go(func() {
			for n := range all {
				if r, err := f.Load(t.Context(), id(n)); err != nil || r.ID != id(n) || r.Context != "[erased]" {
					t.Errorf("%s has context %q, %v", id(n), r.Context, err)
				}
				if _, err := f.Change(t.Context(), id(n), fixture.Bump); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wipe := func() {
		for next, more := 0, true; more; more = next != 0 {
			var err error
			if next, err = f.Wipe(next); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 20 {
		wipe()
	}
	busy.Wait()
	wipe()
	if holds() {
		t.Error("the file still has the text")
	}
	for n := range all {
		if r, err := f.Load(t.Context(), id(n)); err != nil || r.Context != "[erased]" {
			t.Errorf("%s has context %q, %v", id(n), r.Context, err)
		}
	}
	err := f.db.View(func(tx *bolt.Tx) error {
		var damage []error
		for err := range tx.Check() {
			damage = append(damage, err)
		}
		return errors.Join(damage...)
	})
	if err != nil {
		t.Errorf("the file is damaged: %v", err)
	}
}
