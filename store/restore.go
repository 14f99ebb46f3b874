package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Restore stores the content of a [Backup], and returns the numbers of new records and values. It skips those
// that the store has, so it can be repeated after an error. For a truncated or changed backup it stores
// everything before the damage and returns an error that matches [ErrDamaged]; call [CheckBackup]
// first. No bridge may use the store at the same time.
//
// If the store requires replicas and a write was not acknowledged, everything is stored anyway and the
// error matches [storage.ErrNotReplicated].
func Restore(ctx context.Context, from io.Reader, to Both, progress func(Counts)) (n Counts, err error) {
	var alone error
	form := formOf(to)
	seen := map[string]bool{}
	for s, err := range savedLines(from) {
		switch {
		case err != nil:
			return n, fmt.Errorf("store: restore: %w", err)
		case s.Record != "":
			err = restoreRecord(ctx, to, form, s, seen[s.Record], &n)
			seen[s.Record] = true
		default:
			err = restoreValue(ctx, to.KeyValue(), form, s, &n)
		}
		if errors.Is(err, storage.ErrNotReplicated) {
			alone, err = err, nil
		}
		if err != nil {
			return n, fmt.Errorf("store: restore %s%s: %w", s.Record, s.Value, err)
		}
		tellCounts(progress, n)
	}
	return n, alone
}

// SavedValues iterates over the values of a kind in a backup, decrypted with the keys of the target store. It
// ends silently where the backup is damaged, which [Restore] reports.
func SavedValues(from io.Reader, to Both, kind string) iter.Seq2[keyvalue.Entry, error] {
	form := formOf(to)
	return func(yield func(keyvalue.Entry, error) bool) {
		for s, err := range savedLines(from) {
			if err != nil {
				return
			}
			key, err := keyvalue.ParseKey(s.Value)
			if err != nil || key.Kind != kind {
				continue
			}
			value, err := form.OpenValue(key, s.Bytes)
			if err != nil {
				err = fmt.Errorf("store: restore %s: %w", key, err)
			}
			if !yield(keyvalue.Entry{Key: key, Value: value, Expires: s.Expires}, err) {
				return
			}
		}
	}
}

// restoreRecord stores a record. A repeated record was read as open and ended during the backup.
func restoreRecord(ctx context.Context, to storage.Store, form codec.Form, s saved, again bool, n *Counts) error {
	e, err := form.Decode(s.Record, s.Data)
	if err != nil {
		return err
	}
	if again {
		_, err = to.Change(ctx, s.Record, func(r *record.Record, _ time.Time) error {
			if !r.Open() {
				return storage.ErrUnchanged
			}
			*r = e.Rec
			return nil
		})
		if errors.Is(err, storage.ErrUnchanged) {
			return nil
		}
		return err
	}
	if err = admit(ctx, to, e.Rec); errors.Is(err, storage.ErrExists) {
		return nil
	}
	if err == nil || errors.Is(err, storage.ErrNotReplicated) {
		n.Records++
	}
	return err
}

func restoreValue(ctx context.Context, to keyvalue.Store, form codec.Form, s saved, n *Counts) error {
	key, err := keyvalue.ParseKey(s.Value)
	if err != nil || isMark(key) {
		return err
	}
	value, err := form.OpenValue(key, s.Bytes)
	if err != nil {
		return err
	}
	o := &keyvalue.PutOptions{If: keyvalue.Absent}
	if !s.Expires.IsZero() {
		if o.TTL = time.Until(s.Expires); o.TTL < time.Millisecond {
			return nil // It has expired.
		}
	}
	if _, err = to.Put(ctx, key, value, o); errors.Is(err, keyvalue.ErrConflict) {
		return nil
	}
	if err == nil || errors.Is(err, storage.ErrNotReplicated) {
		n.Values++
	}
	return err
}
