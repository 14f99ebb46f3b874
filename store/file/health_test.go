package file

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
)

func kindOf(err error) storage.StoreKind {
	failed, ok := errors.AsType[*storage.StoreError](err)
	if !ok || !errors.Is(err, storage.ErrUnavailable) {
		return ""
	}
	return failed.Kind
}

// On a full disk larger writes failed while smaller ones fit into free pages, and the store once
// reported that it was healthy.
func TestFullDiskIsReportedUntilThereIsSpace(t *testing.T) {
	t.Parallel()
	f := openFile(t, filepath.Join(t.TempDir(), "askbridge.db"))
	ctx := t.Context()
	if err := f.CheckHealth(ctx); err != nil {
		t.Fatal(err)
	}
	full := func() error { return &os.PathError{Op: "write", Path: f.path, Err: syscall.ENOSPC} }

	f.room = func(string) error { return full() }
	if got := kindOf(f.CheckHealth(ctx)); got != storage.StoreDiskFull {
		t.Errorf("health on a full disk: %q", got)
	}
	f.room = room

	var refusing atomic.Bool
	refusing.Store(true)
	f.update = func(commit func(*bolt.Tx) error) error {
		if refusing.Load() {
			return full()
		}
		return f.db.Update(commit)
	}
	if _, err := f.Create(ctx, fixture.Plain("a1"), fixture.Nothing); kindOf(err) != storage.StoreDiskFull {
		t.Errorf("write on a full disk: %v", err)
	}
	for range 2 {
		if got := kindOf(f.CheckHealth(ctx)); got != storage.StoreDiskFull {
			t.Errorf("health after a failed write: %q", got)
		}
	}
	refusing.Store(false)
	if err := f.CheckHealth(ctx); err != nil {
		t.Errorf("write with free space: %v", err)
	}
	fixture.Must(t)(f.Create(ctx, fixture.Plain("a1"), fixture.Nothing))
}

func TestDiskErrorsHaveAKind(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]storage.StoreKind{
		syscall.ENOSPC: storage.StoreDiskFull, os.ErrPermission: storage.StoreDenied, errors.New("odd"): storage.StoreUnreachable,
	} {
		if got := kindOf(diskError(&os.PathError{Op: "write", Path: "x", Err: err})); got != want {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
	}
}

func TestRoomLeavesNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := room(filepath.Join(dir, "askbridge.db")); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
	if err := room(filepath.Join(dir, "missing", "askbridge.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("file in a missing folder: %v", err)
	}
}
