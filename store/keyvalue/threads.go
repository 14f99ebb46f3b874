package keyvalue

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
)

// Threads stores which requests the messages of a thread can answer. It implements [storage.Threads] on any
// [Store].
type Threads struct{ Store Store }

const (
	threadKind = "thread"
	// threadMark separates the thread from the request.
	threadMark = "#"
)

func threadKey(thread, request string) Key {
	return Key{Kind: threadKind, ID: thread + threadMark + request}
}

// Put implements [storage.Threads].
func (t Threads) Put(ctx context.Context, thread, request string, life time.Duration) error {
	_, err := t.Store.Put(ctx, threadKey(thread, request), nil, &PutOptions{TTL: max(life, time.Millisecond)})
	return stored(err)
}

// Of implements [storage.Threads].
func (t Threads) Of(ctx context.Context, thread string) ([]string, error) {
	var requests []string
	within := thread + threadMark
	for e, err := range All(ctx, t.Store, Range{Kind: threadKind, Prefix: within}) {
		if err != nil {
			return nil, err
		}
		requests = append(requests, strings.TrimPrefix(e.Key.ID, within))
	}
	return requests, nil
}

// Remove implements [storage.Threads].
func (t Threads) Remove(ctx context.Context, thread, request string) error {
	if err := t.Store.Delete(ctx, threadKey(thread, request), ""); !errors.Is(err, storage.ErrNotFound) {
		return stored(err)
	}
	return nil
}

var _ storage.Threads = Threads{}
