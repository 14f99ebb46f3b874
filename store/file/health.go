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

// spare is the free disk space that a healthy store needs.
const spare = 1 << 20

// CheckHealth implements [storage.HealthChecker]. On a full disk small writes may still fit into the file, so
// it checks for space next to the file. It also writes to the file if the last write failed.
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

// Room returns a [*storage.StoreError] if the disk has no space for a store. Another process may have the file
// open.
func Room(path string) error {
	if err := room(path); err != nil {
		return fmt.Errorf("store: check %s: %w", path, diskError(err))
	}
	return nil
}

// room writes a file of the size of spare next to a path and removes it. Without a sync most systems only
// reserve the space.
func room(path string) (err error) {
	probe, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".room.*")
	if errors.Is(err, fs.ErrPermission) {
		return nil // The directory is read-only.
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

// diskError converts an error of the disk to a [storage.StoreError].
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

// openError is diskError for opening a file, where most errors are not about the disk.
func openError(err error) error {
	if isFull(err) || isReadOnly(err) {
		return diskError(err)
	}
	return err
}
