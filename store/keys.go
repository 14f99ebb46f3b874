package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/seal"
)

// Marks name the keys that may have sealed data. They are empty values, so that they can be read without a
// key.
const markKind = "sealed"

func markOf(key string) keyvalue.Key { return keyvalue.Key{Kind: markKind, ID: key} }

// isMark reports whether a value is about keys and is not copied to other stores.
func isMark(k keyvalue.Key) bool { return k.Kind == markKind || k.Kind == writerKind }

// formOf returns the encoding of a store's backups.
func formOf(s storage.Store) codec.Form {
	if sealing, can := s.(Sealing); can {
		return codec.Form{Keys: sealing.Keys(), Place: "backup"}
	}
	return codec.Form{}
}

// CheckKeys checks that a store can be used with a key ring, nil for none. If data may be sealed with another
// key it returns a [*seal.KeyError] with the number of requests. It writes nothing.
func CheckKeys(ctx context.Context, s Both, ring *seal.Ring) error {
	_, _, err := keysInUse(ctx, s, ring)
	return err
}

// UseKeys is [CheckKeys] before writing: it marks the first key in the store. Call it before using the store
// and before [seal.Keys.Set].
func UseKeys(ctx context.Context, s Both, ring *seal.Ring) error {
	marked, used, err := keysInUse(ctx, s, ring)
	if err != nil || ring == nil {
		return err
	}
	for _, key := range append(used, ring.First()) {
		if slices.Contains(marked, key) {
			continue
		}
		if err := mark(ctx, s, key); err != nil {
			return err
		}
	}
	return nil
}

// mark records that data may be sealed with a key.
func mark(ctx context.Context, s Both, key string) error {
	_, err := s.KeyValue().Put(ctx, markOf(key), nil, &keyvalue.PutOptions{If: keyvalue.Absent})
	if err != nil && !errors.Is(err, keyvalue.ErrConflict) && !errors.Is(err, storage.ErrNotReplicated) {
		return fmt.Errorf("store: mark key %s: %w", key, err)
	}
	return nil
}

// keysInUse returns the marked keys, and the keys that may have sealed data. They differ only for a store
// that was never sealed.
func keysInUse(ctx context.Context, s Both, ring *seal.Ring) (marked, used []string, err error) {
	if marked, err = marks(ctx, s); err != nil {
		return nil, nil, fmt.Errorf("store: look for the keys in use: %w", err)
	}
	used = slices.Clone(marked)
	if ring != nil && len(marked) == 0 {
		holds, err := holdsAnything(ctx, s)
		if err == nil && holds { // Another bridge may have marked its key in the meantime, before it wrote.
			marked, err = marks(ctx, s)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("store: look for the keys in use: %w", err)
		}
		if used = slices.Clone(marked); holds && len(marked) == 0 {
			used = []string{seal.Plain}
		}
	}
	for _, key := range used {
		if err := ring.Check(key); err != nil {
			return nil, nil, fmt.Errorf("store: %s %w; give it too until askbridge store reseal has run", countSealed(ctx, s, key), err)
		}
	}
	return marked, used, nil
}

// marks returns the marked keys.
func marks(ctx context.Context, s Both) (all []string, err error) {
	for e, err := range keyvalue.All(ctx, s.KeyValue(), keyvalue.Range{Kind: markKind}) {
		if err != nil {
			return nil, err
		}
		all = append(all, e.Key.ID)
	}
	return all, nil
}

// holdsAnything reports whether a store contains a request or a value.
func holdsAnything(ctx context.Context, s Both) (holds bool, err error) {
	ids, err := listed(ctx, s, false, true)
	if err != nil || len(ids) > 0 {
		return true, err
	}
	values, err := s.KeyValue().List(ctx, keyvalue.Range{Limit: 1})
	if _, closed := errors.AsType[*seal.KeyError](err); closed {
		return true, nil
	}
	return len(values) > 0, err
}

// listed returns the IDs of the open records (false), the ended ones (true) or both, without reading them.
func listed(ctx context.Context, s storage.Store, ended ...bool) (ids []string, err error) {
	for _, ended := range ended {
		_, err := s.Scan(ctx, storage.Scan{Ended: ended, Limit: migratePage, Only: func(id string) bool {
			ids = append(ids, id)
			return false
		}})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// countMost is the maximum number of records that are read for an error message.
const countMost = 1000

// countSealed describes how many records a key has sealed.
func countSealed(ctx context.Context, s storage.Store, key string) string {
	ids, _ := listed(ctx, s, false, true) // The caller reports the missing key.
	n, more := 0, ""
	for i, id := range ids {
		if i == countMost {
			more = " and more"
			break
		}
		_, err := s.Load(ctx, id)
		if closed, is := errors.AsType[*seal.KeyError](err); is && closed.Key == key {
			n++
		}
	}
	switch {
	case n == 0:
		return "something that it keeps may be"
	case n == 1 && more == "":
		return "1 request is"
	}
	return fmt.Sprintf("%d requests%s are", n, more)
}
