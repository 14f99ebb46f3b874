package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/local"
	"github.com/askbridge/askbridge/store/seal"
)

var _ storage.Store = (*Store)(nil)

// Store is a [storage.Store] in one file on this machine, the default for a single bridge. Its method KeyValue
// returns the key-value store in the same file, a [github.com/askbridge/askbridge/store/keyvalue.Store].
// Completed writes are on the disk and survive a crash of the program or the machine.
//
// Only one process can open the file. A truncated file is rejected, and a mostly empty one is compacted
// when it is opened. Concurrent writers share one commit, so many clicks at once cost one sync of the
// disk.
type Store struct {
	*base
	path string
	db   *bolt.DB

	queue   []*commit
	queueMu sync.Mutex
	writing sync.Mutex
	// reading excludes readers during [Store.Wipe].
	reading sync.RWMutex

	// failing means that the last write failed.
	failing atomic.Bool
	// update and room access the disk. Tests replace them.
	update func(func(*bolt.Tx) error) error
	room   func(path string) error
}

type base = local.Store

// Options are the settings of a [Store]; nil means the defaults.
type Options struct {
	// Retention is how long ended records are kept; zero means
	// [github.com/askbridge/askbridge/store.DefaultRetention].
	Retention time.Duration
	// Wait is how long to wait for another process to close the file; zero is not at all.
	Wait time.Duration
	// Keys encrypt stored data; nil disables encryption. Package seal documents what remains
	// readable.
	Keys *seal.Keys
}

// layout is the version of buckets and keys, stored in the file.
const layout = "1"

// Open opens the store in a file, and creates the file if it does not exist. The directory must exist. Open
// fails if committed data is missing.
func Open(path string, o *Options) (*Store, error) { return openAt(path, o, time.Now) }

// openAt is Open with a clock.
func openAt(path string, o *Options, now func() time.Time) (*Store, error) {
	if o == nil {
		o = &Options{}
	}
	db, err := openBolt(path, o.Wait)
	if err == nil && sparse(db, compactAbove) {
		db, err = compact(path, db, o.Wait)
	}
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", path, openError(err))
	}
	f := &Store{path: path, db: db, update: db.Update, room: room}
	f.base = local.New(local.Options{View: f.read, Update: f.write, Close: f.end, Retention: o.Retention, Form: codec.Form{Keys: o.Keys}, Now: now})
	if err := sound(f.prepare); err != nil {
		return nil, errors.Join(fmt.Errorf("store: open %s: %w", path, openError(err)), db.Close())
	}
	return f, nil
}

// Path returns the path of the file.
func (f *Store) Path() string { return f.path }

// prepare creates the buckets and syncs the directory entry of the file.
func (f *Store) prepare() error {
	err := f.db.Update(func(tx *bolt.Tx) error {
		for _, name := range append(indexBuckets[:], recordBucket, tenantBucket, valueBucket, expiryBucket, metaBucket) {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		meta := tx.Bucket(metaBucket)
		switch schema := meta.Get(schemaKey); {
		case schema == nil:
			if err := meta.Put(schemaKey, []byte(layout)); err != nil {
				return err
			}
		case string(schema) != layout:
			return fmt.Errorf("the file has layout %q, this askbridge supports %q", schema, layout)
		}
		t := &transaction{tx: tx}
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
	return keepName(f.path)
}

// keepName syncs the directory, so that a rename survives a crash.
func keepName(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// end closes the file after running calls.
func (f *Store) end() error {
	if err := f.db.Close(); err != nil {
		return fmt.Errorf("store: close %s: %w", f.path, err)
	}
	return nil
}

func (f *Store) read(op func(local.Table) error) error {
	f.reading.RLock()
	defer f.reading.RUnlock()
	return closed(f.db.View(func(tx *bolt.Tx) error {
		t := &transaction{tx: tx}
		if err := op(t); t.failed == nil {
			return err
		}
		return fmt.Errorf("read %s: %w", f.path, diskError(t.failed))
	}))
}

// commit is one queued operation.
type commit struct {
	op     func(local.Table) error
	result error // the result of the operation, valid after the commit
	done   bool
	err    error
	// panicked is the value of a panic of the operation, nil for none.
	panicked any
}

// run runs the operation, and keeps a panic for its caller.
func (c *commit) run(t *transaction) (err error) {
	defer func() {
		if c.panicked = recover(); c.panicked != nil {
			err = errPanicked
		}
	}()
	return c.op(t)
}

// write runs an operation in a transaction, together with all others that waited for the previous one.
func (f *Store) write(op func(local.Table) error) error {
	c := &commit{op: op}
	f.queueMu.Lock()
	f.queue = append(f.queue, c)
	f.queueMu.Unlock()

	f.writing.Lock()
	defer f.writing.Unlock()
	if !c.done {
		f.flush()
	}
	if c.panicked != nil {
		panic(c.panicked)
	}
	return c.err
}

var (
	errPanicked  = errors.New("an operation panicked")
	errIdle      = errors.New("nothing to write")
	errAbandoned = fmt.Errorf("%w: another write of the same transaction failed", storage.ErrUnavailable)
)

// flush runs all queued operations in one transaction. An operation that returns an error writes nothing and
// does not affect the others. If one panics, the others run again without it. An error of the disk
// fails all of them.
func (f *Store) flush() {
	f.queueMu.Lock()
	batch := f.queue
	f.queue = nil
	f.queueMu.Unlock()
	for _, c := range batch {
		c.done, c.err = true, errAbandoned
	}
	err := errPanicked
	for errors.Is(err, errPanicked) {
		err = f.commit(batch)
		batch = slices.DeleteFunc(batch, func(c *commit) bool { return c.panicked != nil })
	}
	if err == nil || errors.Is(err, errIdle) {
		if err == nil {
			f.failing.Store(false)
		}
		for _, c := range batch {
			c.err = c.result
		}
		return
	}
	if err = closed(err); !errors.Is(err, storage.ErrClosed) {
		f.failing.Store(true)
		err = fmt.Errorf("write %s: %w", f.path, diskError(err))
	}
	for _, c := range batch {
		c.err = err
	}
}

// commit runs operations in one transaction.
func (f *Store) commit(batch []*commit) error {
	return f.update(func(tx *bolt.Tx) error {
		t := &transaction{tx: tx}
		for _, c := range batch {
			if c.result = c.run(t); c.panicked != nil {
				return errPanicked
			}
			if t.failed != nil {
				return t.failed
			}
		}
		if !t.dirty {
			return errIdle
		}
		return t.keepsStep()
	})
}

// closed translates bbolt's error for a closed store.
func closed(err error) error {
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return storage.ErrClosed
	}
	return err
}
