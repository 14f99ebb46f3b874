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

// Watcher is one of them.
type Watcher struct {
	changed func(record.Notification)
}

// New returns none yet.
func New() *Watchers {
	return &Watchers{calls: map[*Watcher]bool{}, ended: make(chan struct{})}
}

// Watch calls changed for each notification, until ctx ends or the store is
// closed. The first one has an empty id, since anything may have happened before it.
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

// Leave removes one.
func (w *Watchers) Leave(me *Watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.calls, me)
}

// Tell passes a notification on.
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

// Stop ends every watch, now and later. Stopping twice is fine.
func (w *Watchers) Stop() { w.once.Do(func() { close(w.ended) }) }
