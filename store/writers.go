package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// writerKind is the kind of values that name a writer and its key. Like marks they are empty, so that they can
// be read without a key.
const writerKind = "sealing"

// WriterTime is how long a [Writer] without updates counts as active.
const WriterTime = time.Minute

// Writer announces the key that a bridge writes with, so that [Reseal] does not remove a key in use.
type Writer struct {
	store Sealing
	name  string

	mu  sync.Mutex
	key keyvalue.Key
}

// NewWriter returns a writer for a store with keys. It announces nothing yet.
func NewWriter(s Sealing) *Writer { return &Writer{store: s, name: rand.Text()} }

// Say announces the current first key in the store, and marks the key again if its mark was removed. Call it
// before the first write, after each change of keys, and at least every third of [WriterTime]. It
// returns the errors of the store.
func (w *Writer) Say(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := w.store.Keys().Ring().First()
	now := keyvalue.Key{Kind: writerKind, ID: first + " " + w.name}
	if _, err := w.store.KeyValue().Put(ctx, now, nil, &keyvalue.PutOptions{TTL: WriterTime}); err != nil && !errors.Is(err, storage.ErrNotReplicated) {
		return fmt.Errorf("store: announce key %s: %w", first, err)
	}
	before := w.key
	if w.key = now; before == (keyvalue.Key{}) || before == now {
		return mark(ctx, w.store, first)
	}
	return errors.Join(mark(ctx, w.store, first), w.forget(ctx, before))
}

// Leave withdraws the announcement after the last write. If the store fails, the announcement expires.
func (w *Writer) Leave(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.forget(ctx, w.key)
}

func (w *Writer) forget(ctx context.Context, key keyvalue.Key) error {
	err := w.store.KeyValue().Delete(ctx, key, "")
	if err == nil || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrNotReplicated) {
		return nil
	}
	return fmt.Errorf("store: withdraw announcement: %w", err)
}

// onlyFirst returns [ErrOtherKeys] if a writer may use another key first.
func onlyFirst(ctx context.Context, s Sealing) error {
	for e, err := range keyvalue.All(ctx, s.KeyValue(), keyvalue.Range{Kind: writerKind}) {
		if err != nil {
			return fmt.Errorf("store: reseal: %w", err)
		}
		if key, _, _ := strings.Cut(e.Key.ID, " "); key != s.Keys().Ring().First() {
			return fmt.Errorf("%w (key %s; a killed askbridge counts for a minute)", ErrOtherKeys, key)
		}
	}
	return nil
}
