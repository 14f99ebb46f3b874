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

// migratePage is how many records are read at a time.
const migratePage = 200

// Migrate copies every record of one store into another: the open requests with
// their drafts, cards and deadlines, then those that have ended and are still
// kept. It returns how many it has copied.
//
// What the other store already has it leaves alone, so running it again goes on
// where an error or a crash has ended it. No bridge may use the first store
// meanwhile. The first store keeps everything; in the other one versions begin at 1
// again, and nothing is claimed. Use the newest askbridge there is, since
// this one copies only what it knows of a record.
//
// When the other store asks for replicas and some record was not acknowledged,
// all are copied all the same and the error matches [storage.ErrNotReplicated]. Progress, which
// may be nil, is told now and then.
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

// admit stores a record as it is.
func admit(ctx context.Context, to storage.Store, r record.Record) error {
	_, err := to.Create(ctx, r, func(*record.Record, time.Time) error { return nil })
	return err
}

// MigrateValues copies every value of one store into another, as [Migrate] does with
// records. Versions begin anew, and what has a time to live keeps what is left of it.
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
