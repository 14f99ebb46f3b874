package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/askbridge/askbridge/bridge"
)

var _ bridge.Store = (*File)(nil)

// File keeps records in one file on this machine: the default of a bridge that
// runs alone. Whatever a call has returned is on the disk and survives a crash
// of the program or the machine.
//
// One process at a time may have the file open. A file that was cut short is
// refused, and one that is mostly empty is compacted when it is opened. Writers
// that come at the same moment share one commit, so many clicks at once cost one
// wait for the disk.
type File struct {
	local
	path string
	db   *bolt.DB

	queue   []*commit
	queueMu sync.Mutex
	writing sync.Mutex
}

// FileOptions are the settings of a [File]; nil means the defaults.
type FileOptions struct {
	// Retention is how long ended records are kept; zero means
	// [DefaultRetention].
	Retention time.Duration
	// Wait is how long to wait for another process to let go of the file. Zero
	// means not at all.
	Wait time.Duration
}

// fileSchema is the layout of buckets and keys, kept in the file.
const fileSchema = "1"

// OpenFile opens the store in the file, which is made if it does not exist. Its
// directory must exist. It opens with all that was ever committed, or not at
// all.
func OpenFile(path string, o *FileOptions) (*File, error) {
	if o == nil {
		o = &FileOptions{}
	}
	db, err := openBolt(path, o.Wait)
	if err == nil && sparse(db, compactAbove) {
		db, err = compact(path, db, o.Wait)
	}
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", path, err)
	}
	f := &File{path: path, db: db}
	f.local = newLocal(o.Retention, f.read, f.write)
	if err := f.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("store: open %s: %w", path, err), db.Close())
	}
	return f, nil
}

// prepare makes the buckets and sees to it that the file itself, not only what
// is in it, is on the disk.
func (f *File) prepare() error {
	err := f.db.Update(func(tx *bolt.Tx) error {
		for _, name := range append(indexBuckets[:], recordBucket, tenantBucket, metaBucket) {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		meta := tx.Bucket(metaBucket)
		switch schema := meta.Get(schemaKey); {
		case schema == nil:
			if err := meta.Put(schemaKey, []byte(fileSchema)); err != nil {
				return err
			}
		case string(schema) != fileSchema:
			return fmt.Errorf("the file has layout %q and this askbridge knows %q", schema, fileSchema)
		}
		t := &fileTable{tx: tx}
		if !t.inStep() {
			if err := t.remake(); err != nil {
				return err
			}
		}
		return t.keepsStep()
	})
	if err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Close implements [bridge.Store]. It waits for calls under way.
func (f *File) Close() error {
	f.stop()
	if err := f.db.Close(); err != nil {
		return fmt.Errorf("store: close %s: %w", f.path, err)
	}
	return nil
}

func (f *File) read(op func(table) error) error {
	return closed(f.db.View(func(tx *bolt.Tx) error { return op(&fileTable{tx: tx}) }))
}

// commit is one operation on its way to the disk.
type commit struct {
	op   func(table) error
	done bool
	err  error
}

// write runs an operation in a transaction, together with all others that
// waited for the one before to end.
func (f *File) write(op func(table) error) error {
	c := &commit{op: op}
	f.queueMu.Lock()
	f.queue = append(f.queue, c)
	f.queueMu.Unlock()

	f.writing.Lock()
	defer f.writing.Unlock()
	if !c.done {
		f.flush()
	}
	return c.err
}

var (
	errIdle      = errors.New("nothing to write")
	errAbandoned = errors.New("a write beside this one failed")
)

// flush writes all waiting operations in one transaction. An operation that
// refuses writes nothing and does not disturb the others; a disk that fails
// fails them all.
func (f *File) flush() {
	f.queueMu.Lock()
	batch := f.queue
	f.queue = nil
	f.queueMu.Unlock()
	for _, c := range batch {
		c.done, c.err = true, errAbandoned
	}
	err := f.db.Update(func(tx *bolt.Tx) error {
		t := &fileTable{tx: tx}
		for _, c := range batch {
			c.err = c.op(t)
			if t.failed != nil {
				return t.failed
			}
		}
		if !t.dirty {
			return errIdle
		}
		return t.keepsStep()
	})
	if err == nil || errors.Is(err, errIdle) {
		return
	}
	if err = closed(err); !errors.Is(err, bridge.ErrClosed) {
		err = fmt.Errorf("write %s: %w: %w", f.path, bridge.ErrUnavailable, err)
	}
	for _, c := range batch {
		c.err = err
	}
}

// closed translates bbolt's word for a store that is no longer open.
func closed(err error) error {
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return bridge.ErrClosed
	}
	return err
}
