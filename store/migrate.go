package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// migratePage is the number of records that are read at once.
const migratePage = 200

// Migrate copies all records from one store to another: the open requests with their drafts, cards and
// deadlines, then the ended ones. It returns the number of copied records.
//
// It skips records that the other store has, so it can be repeated after an error or a crash. No bridge
// may use the first store at the same time. Versions start at 1 in the other store, and no delivery is
// claimed. Use the newest askbridge, since unknown members of a record are not copied.
//
// If the other store requires replicas and a record was not acknowledged, all records are copied anyway
// and the error matches [storage.ErrNotReplicated]. progress may be nil.
func Migrate(ctx context.Context, from, to storage.Store, progress func(n int)) (n int, err error) {
	var alone error
	for _, ended := range []bool{false, true} {
		for r, err := range (storage.Scan{Ended: ended, Limit: migratePage}).All(ctx, from) {
			if err != nil {
				return n, fmt.Errorf("store: migrate: %w", err)
			}
			switch err := admit(ctx, to, *r); {
			case errors.Is(err, storage.ErrExists):
				continue
			case errors.Is(err, storage.ErrNotReplicated):
				alone = err
			case err != nil:
				return n, fmt.Errorf("store: migrate %s after %d records: %w", r.ID, n, err)
			}
			if n++; progress != nil {
				progress(n)
			}
		}
	}
	return n, alone
}

// admit stores a record unchanged.
func admit(ctx context.Context, to storage.Store, r record.Record) error {
	_, err := to.Create(ctx, r, func(*record.Record, time.Time) error { return nil })
	return err
}

// MigrateValues copies all values from one store to another, as [Migrate] does with records. Values get new
// versions and keep the rest of their time to live.
func MigrateValues(ctx context.Context, from, to keyvalue.Store, progress func(n int)) (n int, err error) {
	var alone error
	for e, err := range keyvalue.All(ctx, from, keyvalue.Range{}) {
		if err != nil {
			return n, fmt.Errorf("store: migrate: %w", err)
		}
		if isMark(e.Key) {
			continue
		}
		o := &keyvalue.PutOptions{If: keyvalue.Absent}
		if !e.Expires.IsZero() {
			o.TTL = max(time.Until(e.Expires), time.Millisecond)
		}
		switch _, err := to.Put(ctx, e.Key, e.Value, o); {
		case errors.Is(err, keyvalue.ErrConflict):
			continue
		case errors.Is(err, storage.ErrNotReplicated):
			alone = err
		case err != nil:
			return n, fmt.Errorf("store: migrate after %d values: %w", n, err)
		}
		if n++; progress != nil {
			progress(n)
		}
	}
	return n, alone
}
