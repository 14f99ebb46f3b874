package store

import (
	"context"
	"sync"

	"github.com/askbridge/askbridge/bridge"
)

// watchers are the callbacks of the Watch calls of one process.
type watchers struct {
	mu    sync.Mutex
	calls map[*watcher]bool
	once  sync.Once
	ended chan struct{}
}

type watcher struct {
	changed func(bridge.Notification)
}

func newWatchers() *watchers {
	return &watchers{calls: map[*watcher]bool{}, ended: make(chan struct{})}
}

// watch calls changed for each notification, until ctx ends or the store is
// closed. The first one has an empty id, since anything may have happened before it.
func (w *watchers) watch(ctx context.Context, changed func(bridge.Notification)) error {
	me := w.join(changed)
	defer w.leave(me)
	changed(bridge.Notification{})
	select {
	case <-ctx.Done():
		return nil
	case <-w.ended:
		return bridge.ErrClosed
	}
}

func (w *watchers) join(changed func(bridge.Notification)) *watcher {
	me := &watcher{changed}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[me] = true
	return me
}

func (w *watchers) leave(me *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.calls, me)
}

// tell passes a notification on.
func (w *watchers) tell(n bridge.Notification) {
	w.mu.Lock()
	calls := make([]*watcher, 0, len(w.calls))
	for c := range w.calls {
		calls = append(calls, c)
	}
	w.mu.Unlock()
	for _, c := range calls {
		c.changed(n)
	}
}

// stop ends every watch, now and later. Stopping twice is fine.
func (w *watchers) stop() { w.once.Do(func() { close(w.ended) }) }
