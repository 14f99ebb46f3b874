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

// writerKind is of values that name a writer and its key. They are empty, as marks are, so
// that they are read without a key.
const writerKind = "sealing"

// WriterTime is how long a [Writer] that says nothing is taken to go on writing.
const WriterTime = time.Minute

// Writer tells [Reseal] with which key a bridge writes, also while it has nothing to write:
// the key must not be given up as long as it may.
type Writer struct {
	store Sealing
	name  string

	mu   sync.Mutex
	said keyvalue.Key
}

// NewWriter returns a writer to a store with keys. It says nothing yet.
func NewWriter(s Sealing) *Writer { return &Writer{store: s, name: rand.Text()} }

// Say notes in the store that the first key of now is written with, and marks the key again
// where it was forgotten. Call it before anything is written, after each change of keys, and
// at least every third of [WriterTime]. It fails when the store does.
func (w *Writer) Say(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := w.store.Keys().Ring().First()
	now := keyvalue.Key{Kind: writerKind, ID: first + " " + w.name}
	if _, err := w.store.KeyValue().Put(ctx, now, nil, &keyvalue.PutOptions{TTL: WriterTime}); err != nil && !errors.Is(err, storage.ErrNotReplicated) {
		return fmt.Errorf("store: note who writes with key %s: %w", first, err)
	}
	before := w.said
	if w.said = now; before == (keyvalue.Key{}) || before == now {
		return mark(ctx, w.store, first)
	}
	return errors.Join(mark(ctx, w.store, first), w.forget(ctx, before))
}

// Leave takes back what was said last: nothing more is written. It fails when the store does;
// what was said ends by itself then.
func (w *Writer) Leave(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.forget(ctx, w.said)
}

func (w *Writer) forget(ctx context.Context, said keyvalue.Key) error {
	err := w.store.KeyValue().Delete(ctx, said, "")
	if err == nil || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrNotReplicated) {
		return nil
	}
	return fmt.Errorf("store: take back who writes: %w", err)
}

// onlyFirst returns [ErrOtherKeys] while somebody may write with another key than the first.
func onlyFirst(ctx context.Context, s Sealing) error {
	for e, err := range keyvalue.All(ctx, s.KeyValue(), keyvalue.Range{Kind: writerKind}) {
		if err != nil {
			return fmt.Errorf("store: reseal: %w", err)
		}
		if key, _, _ := strings.Cut(e.Key.ID, " "); key != s.Keys().Ring().First() {
			return fmt.Errorf("%w (it is key %s; an askbridge that was killed counts for a minute)", ErrOtherKeys, key)
		}
	}
	return nil
}
