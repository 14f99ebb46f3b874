package redis

import (
	"context"
	"sync"
	"time"
)

// turnPatience is how long a change waits for the previous one: some round trips.
const turnPatience = 100 * time.Millisecond

// turns serializes the changes that this process makes to one record. Of two concurrent swaps one fails and
// is repeated, which costs a round trip and decoding the record. Turns only save that cost; the swap
// decides, and a change does not wait long.
type turns struct {
	mu   sync.Mutex
	last map[string]chan struct{} // By record, closed when its latest change ends.
}

// take waits for the previous change of the record, and returns a function that ends this one.
func (t *turns) take(ctx context.Context, id string) (leave func()) {
	mine := make(chan struct{})
	t.mu.Lock()
	before := t.last[id]
	if t.last == nil {
		t.last = map[string]chan struct{}{}
	}
	t.last[id] = mine
	t.mu.Unlock()
	if before != nil {
		late := time.NewTimer(turnPatience)
		defer late.Stop()
		select {
		case <-before:
		case <-late.C:
		case <-ctx.Done():
		}
	}
	return func() {
		t.mu.Lock()
		if t.last[id] == mine {
			delete(t.last, id)
		}
		t.mu.Unlock()
		close(mine)
	}
}
