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

// The keys with which something may be sealed are marks among the values, empty ones, so
// that they are read without a key.
const markKind = "sealed"

func markOf(key string) keyvalue.Key { return keyvalue.Key{Kind: markKind, ID: key} }

// isMark reports whether a value tells of keys: it stays where it is.
func isMark(k keyvalue.Key) bool { return k.Kind == markKind || k.Kind == writerKind }

// formOf is how a backup of a store is written.
func formOf(s storage.Store) codec.Form {
	if sealing, can := s.(Sealing); can {
		return codec.Form{Keys: sealing.Keys(), Place: "backup"}
	}
	return codec.Form{}
}

// CheckKeys says whether a store can be used with a ring of keys, nil for none. It fails with
// a [*seal.KeyError] when something may be kept that none of them opens, and says how many
// requests. It writes nothing.
func CheckKeys(ctx context.Context, s Both, ring *seal.Ring) error {
	_, _, err := keysInUse(ctx, s, ring)
	return err
}

// UseKeys is [CheckKeys] for who is about to write, and notes in the store that the first key
// seals. Call it before the store is used, and before [seal.Keys.Set].
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

// mark notes that something may be sealed with a key.
func mark(ctx context.Context, s Both, key string) error {
	_, err := s.KeyValue().Put(ctx, markOf(key), nil, &keyvalue.PutOptions{If: keyvalue.Absent})
	if err != nil && !errors.Is(err, keyvalue.ErrConflict) && !errors.Is(err, storage.ErrNotReplicated) {
		return fmt.Errorf("store: note that key %s is in use: %w", key, err)
	}
	return nil
}

// keysInUse returns the keys that are marked, and those that something may be sealed with:
// the same, but for a store that was never sealed.
func keysInUse(ctx context.Context, s Both, ring *seal.Ring) (marked, used []string, err error) {
	if marked, err = marks(ctx, s); err != nil {
		return nil, nil, fmt.Errorf("store: look for the keys in use: %w", err)
	}
	used = slices.Clone(marked)
	if ring != nil && len(marked) == 0 {
		holds, err := holdsAnything(ctx, s)
		if err == nil && holds { // Another that begins just now marks its key before it writes anything.
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

// marks names the keys with which something may be sealed.
func marks(ctx context.Context, s Both) (all []string, err error) {
	for e, err := range keyvalue.All(ctx, s.KeyValue(), keyvalue.Range{Kind: markKind}) {
		if err != nil {
			return nil, err
		}
		all = append(all, e.Key.ID)
	}
	return all, nil
}

// holdsAnything reports whether a store keeps a request or a value, in whatever form.
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

// listed are the ids of records that are open, that have ended, or both, which are not read
// for it.
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

// countMost is how many records are read to say how many a key has sealed.
const countMost = 1000

// countSealed says how many records a key has sealed.
func countSealed(ctx context.Context, s storage.Store, key string) string {
	ids, _ := listed(ctx, s, false, true) // The missing key is what is told.
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
