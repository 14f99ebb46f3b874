package watch

import (
	"context"
	"sync"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Watchers are the callbacks of the Watch calls of one process.
type Watchers struct {
	mu    sync.Mutex
	calls map[*Watcher]bool
	once  sync.Once
	ended chan struct{}
}

// Watcher is the callback of one Watch call.
type Watcher struct {
	changed func(record.Notification)
}

// New returns an empty set.
func New() *Watchers {
	return &Watchers{calls: map[*Watcher]bool{}, ended: make(chan struct{})}
}

// Watch calls changed for each notification, until ctx is done or the store is closed. The first one has an
// empty ID, since anything may have changed before.
func (w *Watchers) Watch(ctx context.Context, changed func(record.Notification)) error {
	me := w.Join(changed)
	defer w.Leave(me)
	changed(record.Notification{})
	select {
	case <-ctx.Done():
		return nil
	case <-w.ended:
		return storage.ErrClosed
	}
}

// Join adds a watcher.
func (w *Watchers) Join(changed func(record.Notification)) *Watcher {
	me := &Watcher{changed}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[me] = true
	return me
}

// Leave removes a watcher.
func (w *Watchers) Leave(me *Watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.calls, me)
}

// Tell notifies all watchers.
func (w *Watchers) Tell(n record.Notification) {
	w.mu.Lock()
	calls := make([]*Watcher, 0, len(w.calls))
	for c := range w.calls {
		calls = append(calls, c)
	}
	w.mu.Unlock()
	for _, c := range calls {
		c.changed(n)
	}
}

// Stop ends all current and future watches. It can be called more than once.
func (w *Watchers) Stop() { w.once.Do(func() { close(w.ended) }) }
