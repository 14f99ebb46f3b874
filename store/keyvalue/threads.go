package keyvalue

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// Threads keeps which requests messages can answer, by where those are written. It is a
// [bridge.Threads] in every store that has small values.
type Threads struct{ Store Store }

const (
	threadKind = "thread"
	// threadMark parts a thread from the request.
	threadMark = "#"
	// threadPage is how many requests of one thread are read at once.
	threadPage = 200
)

func threadKey(thread, request string) Key {
	return Key{Kind: threadKind, ID: thread + threadMark + request}
}

// Put implements [bridge.Threads].
func (t Threads) Put(ctx context.Context, thread, request string, life time.Duration) error {
	_, err := t.Store.Put(ctx, threadKey(thread, request), nil, &PutOptions{TTL: max(life, time.Millisecond)})
	return stored(err)
}

// Of implements [bridge.Threads].
func (t Threads) Of(ctx context.Context, thread string) ([]string, error) {
	within := Range{Kind: threadKind, Prefix: thread + threadMark, Limit: threadPage}
	var requests []string
	for {
		page, err := t.Store.List(ctx, within)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			requests = append(requests, strings.TrimPrefix(e.Key.ID, within.Prefix))
		}
		if len(page) < threadPage {
			return requests, nil
		}
		within.After = page[len(page)-1].Key
	}
}

// Remove implements [bridge.Threads].
func (t Threads) Remove(ctx context.Context, thread, request string) error {
	if err := t.Store.Delete(ctx, threadKey(thread, request), ""); !errors.Is(err, bridge.ErrNotFound) {
		return stored(err)
	}
	return nil
}

var _ bridge.Threads = Threads{}
