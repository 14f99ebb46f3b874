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

// Store keeps small values. In addition to the errors named here its methods return those of a
// [storage.Store]: [storage.ErrUnavailable], [storage.ErrClosed] and [storage.ErrNotReplicated], which
// means that the value is stored. A key, value or range outside the limits is an [ErrInvalid] that
// names every problem; nothing is stored then.
type Store interface {
	// Get returns the value of a key, or [storage.ErrNotFound].
	Get(ctx context.Context, k Key) (Entry, error)
	// Put stores a value and returns its entry, which shares the caller's slice. If the condition in o
	// does not hold it stores nothing and returns [ErrConflict] with the existing entry, whose
	// version is empty if there is none. o may be nil.
	Put(ctx context.Context, k Key, value []byte, o *PutOptions) (Entry, error)
	// Delete removes the value of a key: any version if version is empty, otherwise only that one.
	// It returns [storage.ErrNotFound] if there is no value, and [ErrConflict] if there is another
	// version, so of concurrent deletes exactly one succeeds. After a network failure a successful
	// delete may be reported as not found.
	Delete(ctx context.Context, k Key, version string) error
	// List returns entries in the order of their keys.
	List(ctx context.Context, r Range) ([]Entry, error)
}

var (
	// ErrConflict means that the value changed concurrently.
	ErrConflict = errors.New("keyvalue: changed concurrently")
	// ErrInvalid means that a key, a value or a range is outside the limits.
	ErrInvalid = errors.New("keyvalue: invalid")
)

// Entry is a stored value.
type Entry struct {
	Key   Key
	Value []byte
	// Version identifies the write. No other write of the key has the same version.
	Version string
	// Expires is zero for values that do not expire.
	Expires time.Time
}

// Absent is the condition that the key has no value.
const Absent = "absent"

// PutOptions are the options of a write. The zero value writes unconditionally, without expiry.
type PutOptions struct {
	// If is the version that the key must have now, or [Absent].
	If string
	// TTL is the time to live by the store's clock; zero is unlimited.
	TTL time.Duration
}

// Range selects entries to list.
type Range struct {
	// Kind and Tenant select one kind of one tenant, and Prefix the IDs with that prefix. Without
	// Kind all entries are listed, and the other two must be empty.
	Kind, Tenant, Prefix string
	// After is the last key of the previous page; the zero key is the beginning.
	After Key
	// Limit is the maximum number of entries, at least 1.
	Limit int
}

// pageSize is the default number of entries that [All] reads at once.
const pageSize = 200

// All iterates over all entries of a range. It reads Limit entries at once, 200 by default. An error of the
// store is the last item.
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

// Update changes the value of a key: f gets the entry, whose version is empty if there is none, and returns
// the new value and its time to live. f runs again after a conflict. Update returns an error of f
// unchanged.
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

// stored ignores [storage.ErrNotReplicated]: the value is stored, and the bridge reports the missing replicas
// for the request it belongs to.
func stored(err error) error {
	if errors.Is(err, storage.ErrNotReplicated) {
		return nil
	}
	return err
}

// invalid joins problems to an [ErrInvalid]; nil if there are none.
func invalid(problems ...error) error {
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}
