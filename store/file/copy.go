package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// Copy writes the store as it is at one moment into a file, which [Open] opens like this one, and returns its size. Others
// read and write meanwhile. An existing file is replaced once the copy is complete and on the disk. Encrypted data
// stays encrypted.
func (f *Store) Copy(ctx context.Context, path string) (size int64, err error) {
	// Erased data must not return with a copy that was begun before.
	f.reading.RLock()
	defer f.reading.RUnlock()
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err == nil {
		err = sound(func() error {
			return f.db.View(func(tx *bolt.Tx) error {
				size, err = tx.WriteTo(&untilDone{ctx, part})
				return err
			})
		})
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause // bbolt keeps only its text.
		}
		if err == nil {
			err = part.Sync()
		}
		err = errors.Join(err, part.Close())
		if err == nil {
			err = os.Rename(part.Name(), path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		} else {
			err = keepName(path)
		}
	}
	if err = closed(err); err != nil {
		return 0, fmt.Errorf("store: copy %s to %s: %w", f.path, path, err)
	}
	return size, nil
}

// untilDone writes until ctx ends.
type untilDone struct {
	ctx context.Context //nolint:containedctx // It limits one copy.
	to  io.Writer
}

func (w *untilDone) Write(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}
