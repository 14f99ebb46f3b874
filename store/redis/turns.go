package redis

import (
	"context"
	"sync"
	"time"
)

// turnPatience is how long a change waits for the one before it: some round trips.
const turnPatience = 100 * time.Millisecond

// turns lets the changes follow one another that this process makes to one record. Two at once
// meet in the swap, where one of them is refused and made again on the record that it is
// handed: a round trip and a decoded record more. Turns only save those; the swap decides, and
// whoever has waited long enough goes on.
type turns struct {
	mu   sync.Mutex
	last map[string]chan struct{} // The end of the change that came last, by record.
}

// take waits for the change of the record that came before, and returns what ends this one.
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
