package keyvalue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
)

// Store keeps small values. Beside the errors named here its methods fail as those
// of a [storage.Store] do: with [storage.ErrUnavailable], [storage.ErrClosed] and, for
// what is stored and not yet safe, [storage.ErrNotReplicated]. A key, value or range
// outside the limits is an [ErrInvalid] that names every problem, and nothing is
// done.
type Store interface {
	// Get returns what stands under a key, or [storage.ErrNotFound].
	Get(ctx context.Context, k Key) (Entry, error)
	// Put stores a value and returns it as an entry, which holds the caller's slice and no
	// copy of it. When the condition in o, which may be nil, does not hold, it stores
	// nothing and returns [ErrConflict] with the entry that stands there, which has no
	// version if there is none.
	Put(ctx context.Context, k Key, value []byte, o *PutOptions) (Entry, error)
	// Delete removes what stands under a key: any version if it is empty, else that
	// one. It fails with [storage.ErrNotFound] if there is nothing, and with
	// [ErrConflict] if there is another version, so of many who delete at once one
	// is told that it has. A caller who was cut off by the network may have deleted
	// and be told not found.
	Delete(ctx context.Context, k Key, version string) error
	// List returns entries in the order of their keys.
	List(ctx context.Context, r Range) ([]Entry, error)
}

var (
	// ErrConflict means that somebody has changed the value meanwhile.
	ErrConflict = errors.New("keyvalue: changed meanwhile")
	// ErrInvalid means that a key, a value or a range is outside the limits.
	ErrInvalid = errors.New("keyvalue: not valid")
)

// Entry is a value as it is stored.
type Entry struct {
	Key   Key
	Value []byte
	// Version tells this write of the key from every other one.
	Version string
	// Expires is zero for what stays until it is deleted.
	Expires time.Time
}

// Absent is the condition that nothing stands under the key.
const Absent = "absent"

// PutOptions say when and for how long to store. Zero values mean whatever is there,
// and until it is deleted.
type PutOptions struct {
	// If is the version that must stand there now, or [Absent].
	If string
	// TTL is how long the value lives, by the store's clock; zero is for ever.
	TTL time.Duration
}

// Range selects what to list.
type Range struct {
	// Kind and Tenant select one kind of one tenant, Prefix of these the ids that
	// begin with it. Without Kind everything is listed, and the other two are empty.
	Kind, Tenant, Prefix string
	// After resumes behind a key; the zero key begins.
	After Key
	// Limit is how many entries are wanted, at least 1.
	Limit int
}

// pageSize is how many entries [All] reads at a time where nothing is said.
const pageSize = 200

// All are the entries of a range to its end, read Limit at a time, 200 where that is zero. An
// error of the store is the last one.
func All(ctx context.Context, s Store, r Range) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		r := r
		for r.Limit = cmp.Or(r.Limit, pageSize); ; {
			page, err := s.List(ctx, r)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if len(page) < r.Limit {
				return
			}
			r.After = page[len(page)-1].Key
		}
	}
}

// Update changes what stands under a key: f is given the entry, which has no version
// if there is none, and returns the next value and how long it lives. If somebody
// was faster it is run again. An error of f ends it and is passed on.
func Update(ctx context.Context, s Store, k Key, f func(old Entry) (value []byte, ttl time.Duration, err error)) (Entry, error) {
	old, err := s.Get(ctx, k)
	for {
		if err != nil && !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, ErrConflict) {
			return old, err
		}
		value, ttl, refused := f(old)
		if refused != nil {
			return old, refused
		}
		o := &PutOptions{If: old.Version, TTL: ttl}
		if old.Version == "" {
			o.If = Absent
		}
		if old, err = s.Put(ctx, k, value, o); err == nil {
			return old, nil
		}
	}
}

// stored passes over that fewer replicas have a write than were asked for: it is stored, as the
// request is then that it belongs to, of which people and the log are told so.
func stored(err error) error {
	if errors.Is(err, storage.ErrNotReplicated) {
		return nil
	}
	return err
}

// invalid marks what is wrong, and is nil if nothing is.
func invalid(problems ...error) error {
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}
