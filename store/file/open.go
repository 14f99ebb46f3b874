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

// ErrInUse is why a file does not open that another process has open.
var ErrInUse = errors.New("one bridge at a time may use it, several need Redis")

// openBolt opens and locks the file at a path, after a look whether it is whole.
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
		// While we waited for the lock its holder may have put a compacted file in
		// the place of the one that we hold.
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

// begin makes a new file, which has its name once it is whole: on a disk that is full, or by a
// process that is killed, none comes about that would be refused from then on as cut short.
func begin(path string) error {
	fresh, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(fresh.Name()) }() // One that is left behind is in nobody's way.
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
	_ = os.Link(fresh.Name(), path) // Where that fails, another process was first, or the library makes the file.
	return nil
}

// A file of bbolt begins with two pages that take turns in describing all
// others. Each holds, after a header, eight fields in the order of bytes of the
// machine that wrote them:
// https://github.com/etcd-io/bbolt/blob/main/internal/common/meta.go
const (
	metaHeader   = 16
	metaSize     = 64
	metaMagic    = 0xED0CDAED
	leastPage    = 1 << 10
	mostPage     = 1 << 16
	metaSummed   = 56 // The checksum covers what stands before it.
	metaPageSize = 8
	metaPages    = 40
	metaTurn     = 48
)

// descriptor is one of the two pages.
type descriptor struct {
	pageSize, pages, turn uint64
}

// whole reports what is wrong with the size of a file, [os.ErrNotExist] where there is none. The
// library would read beyond the end of one that was cut short, which ends the program, and would
// take an empty one for new.
func whole(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // It was only read.
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
		return fmt.Errorf("the file was cut short: it has %d bytes of at least %d; restore it from a backup", size, want)
	}
	return nil
}

// describe returns the newer of the two pages that is sound, or nothing.
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
	// compactAbove is the size from which on a file is worth compacting.
	compactAbove = 4 << 20
	// compactBatch is how much is copied in one transaction.
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

// compact puts a copy without the free pages in place of the file and returns
// it open. When that fails, for want of space perhaps, the old one goes on.
func compact(path string, db *bolt.DB, wait time.Duration) (*bolt.DB, error) {
	if replace(path, db) != nil {
		return db, nil //nolint:nilerr // The file is as good as before, only not smaller.
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return openBolt(path, wait)
}

// replace puts a copy without the free pages in place of the file, or leaves all as it was.
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

// likeThat leaves a copy to whom the file itself belongs: who compacts it may be another, as
// root is at a shell, and the service has to open it afterwards.
func likeThat(fresh, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return keepOwner(fresh, info)
}

// Compact puts a copy in place of a file that nobody has open, without the free pages: what
// was deleted or written over stands there until something else does. Owner, group and mode
// stay as they are.
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
