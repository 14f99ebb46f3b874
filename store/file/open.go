package file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// ErrInUse means that another process has the file open.
var ErrInUse = errors.New("one bridge at a time may use it, several need Redis")

// openBolt checks, opens and locks a file.
func openBolt(path string, wait time.Duration) (*bolt.DB, error) {
	for {
		err := whole(path)
		if errors.Is(err, os.ErrNotExist) {
			err = begin(path)
		}
		if err != nil {
			return nil, err
		}
		var file *os.File
		var db *bolt.DB
		err = sound(func() (err error) {
			db, err = bolt.Open(path, 0o600, &bolt.Options{
				Timeout: max(wait, time.Nanosecond),
				OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
					file, err = os.OpenFile(name, flag, mode)
					return file, err
				},
			})
			return err
		})
		switch {
		case errors.Is(err, bolterrors.ErrTimeout):
			return nil, fmt.Errorf("another process%s has this file open; %w", holder(path), ErrInUse)
		case err != nil:
			return nil, err
		}
		// The previous holder of the lock may have replaced the file by a compacted one.
		mine, err := file.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = os.Stat(path); err == nil && os.SameFile(mine, there) {
				return db, nil
			}
		}
		if err := errors.Join(err, db.Close()); err != nil {
			return nil, err
		}
	}
}

// begin creates a new file under a temporary name and links it when it is complete. So a full disk or a
// killed process leaves no truncated file.
func begin(path string) error {
	fresh, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(fresh.Name()) }() // A leftover does no harm.
	if err := fresh.Close(); err != nil {
		return err
	}
	db, err := bolt.Open(fresh.Name(), 0o600, &bolt.Options{Timeout: time.Nanosecond})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	_ = os.Link(fresh.Name(), path) // If it fails, another process was first, or bbolt creates the file.
	return nil
}

// A bbolt file begins with two meta pages, written alternately. Each contains a header and eight fields in
// the native byte order:
// https://github.com/etcd-io/bbolt/blob/main/internal/common/meta.go
const (
	metaHeader   = 16
	metaSize     = 64
	metaMagic    = 0xED0CDAED
	leastPage    = 1 << 10
	mostPage     = 1 << 16
	metaSummed   = 56 // The checksum covers the fields before it.
	metaPageSize = 8
	metaPages    = 40
	metaTurn     = 48
)

// descriptor is one of the two meta pages.
type descriptor struct {
	pageSize, pages, turn uint64
}

// whole checks the size of a file. It returns [os.ErrNotExist] if there is none. bbolt would read beyond the
// end of a truncated file, which crashes the process, and would treat an empty file as new.
func whole(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // It is read-only.
	newest, err := describe(f)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	switch size, want := uint64(max(info.Size(), 0)), newest.pageSize*newest.pages; {
	case size == 0:
		return errors.New("the file is empty; if it ever held requests restore it from a backup, else delete it")
	case want == 0:
		return errors.New("the file is damaged or was not made by askbridge; restore it from a backup")
	case size < want:
		return fmt.Errorf("the file is truncated: it has %d bytes of at least %d; restore it from a backup", size, want)
	}
	return nil
}

// describe returns the newer valid meta page, or a zero descriptor.
func describe(f io.ReaderAt) (newest descriptor, err error) {
	for at := int64(0); at <= mostPage; at = max(2*at, leastPage) {
		page := make([]byte, metaHeader+metaSize)
		if n, err := f.ReadAt(page, at); err != nil && !errors.Is(err, io.EOF) {
			return descriptor{}, err
		} else if n < len(page) {
			break
		}
		meta, order := page[metaHeader:], binary.NativeEndian
		sum := fnv.New64a()
		_, _ = sum.Write(meta[:metaSummed])
		d := descriptor{
			pageSize: uint64(order.Uint32(meta[metaPageSize:])),
			pages:    order.Uint64(meta[metaPages:]),
			turn:     order.Uint64(meta[metaTurn:]),
		}
		sound := order.Uint32(meta) == metaMagic && order.Uint64(meta[metaSummed:]) == sum.Sum64() &&
			(at == 0 || uint64(at) == d.pageSize)
		if sound && d.turn >= newest.turn {
			newest = d
		}
	}
	return newest, nil
}

const (
	// compactAbove is the minimum size of a file to compact.
	compactAbove = 4 << 20
	// compactBatch is the number of bytes copied per transaction.
	compactBatch = 1 << 20
)

// sparse reports whether more than half of a file is free.
func sparse(db *bolt.DB, above int64) bool {
	info, err := os.Stat(db.Path())
	if err != nil || info.Size() < above {
		return false
	}
	free := int64(db.Stats().FreePageN) * int64(db.Info().PageSize)
	return free > info.Size()/2
}

// compact replaces the file by a copy without free pages and opens it. If that fails, for example for lack
// of space, it returns the old one.
func compact(path string, db *bolt.DB, wait time.Duration) (*bolt.DB, error) {
	if replace(path, db) != nil {
		return db, nil //nolint:nilerr // The old file still works.
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return openBolt(path, wait)
}

// replace replaces the file by a copy without free pages, or changes nothing.
func replace(path string, db *bolt.DB) error {
	fresh := path + ".compact"
	err := copyInto(fresh, db)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return nil
}

func copyInto(path string, db *bolt.DB) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	to, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: time.Nanosecond, NoSync: true})
	if err != nil {
		return err
	}
	err = sound(func() error { return bolt.Compact(to, db, compactBatch) })
	return errors.Join(err, to.Sync(), to.Close(), likeThat(path, db.Path()))
}

// likeThat gives a copy the owner of the file: root may compact it in a shell, and the service must be able
// to open it afterwards.
func likeThat(fresh, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return keepOwner(fresh, info)
}

// Compact replaces a file that no process has open by a copy without free pages, which may still contain
// deleted data. Owner, group and mode do not change.
func Compact(path string) error {
	db, err := openBolt(path, 0)
	if err == nil {
		err = errors.Join(replace(path, db), keepName(path), db.Close())
	}
	if err != nil {
		return fmt.Errorf("store: compact %s: %w", path, err)
	}
	return nil
}
