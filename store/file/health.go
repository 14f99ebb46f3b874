package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/local"
)

var _ storage.HealthChecker = (*Store)(nil)

// spare is the room on the disk that a healthy store has left.
const spare = 1 << 20

// CheckHealth implements [storage.HealthChecker]. On a full disk small writes still fit into
// pages that the file has, so it looks for room beside the file. It repeats a write if the
// last one failed.
func (f *Store) CheckHealth(context.Context) error {
	err := f.room(f.path)
	if err == nil && f.failing.Load() {
		err = f.write(func(t local.Table) error {
			t.(*transaction).dirty = true
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("store: check %s: %w", f.path, diskError(err))
	}
	return nil
}

// Room returns nil when the disk has room for a store in a file, and else a
// [*storage.StoreError]. Another process may have the file open.
func Room(path string) error {
	if err := room(path); err != nil {
		return fmt.Errorf("store: check %s: %w", path, diskError(err))
	}
	return nil
}

// room writes a file of the size of spare next to a path and removes it. It is not synced,
// so most systems reserve the room and never touch the disk.
func room(path string) (err error) {
	probe, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".room.*")
	if errors.Is(err, fs.ErrPermission) {
		return nil // Only the file itself may be written.
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(probe.Name())) }()
	zeros := make([]byte, 64<<10)
	for n := 0; n < spare && err == nil; n += len(zeros) {
		_, err = probe.Write(zeros)
	}
	return errors.Join(err, probe.Close())
}

// diskError turns an error of the disk into a [storage.StoreError] of its kind.
func diskError(err error) error {
	kind := storage.StoreUnreachable
	switch {
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, storage.ErrClosed):
		return err
	case isFull(err):
		kind = storage.StoreDiskFull
	case isReadOnly(err):
		kind = storage.StoreReadOnly
	case errors.Is(err, fs.ErrPermission):
		kind = storage.StoreDenied
	}
	return &storage.StoreError{Kind: kind, Err: err}
}

// openError is diskError for a file that is opened, where most errors are about the file.
func openError(err error) error {
	if isFull(err) || isReadOnly(err) {
		return diskError(err)
	}
	return err
}
