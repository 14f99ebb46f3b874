package store

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge"
)

// watchers are the callbacks of the Watch calls of one process.
type watchers struct {
	mu    sync.Mutex
	calls map[*watcher]bool
	once  sync.Once
	ended chan struct{}
}

type watcher struct{ changed func(id string) }

func newWatchers() *watchers {
	return &watchers{calls: map[*watcher]bool{}, ended: make(chan struct{})}
}

// watch calls changed for each id told, until ctx ends or the store is closed.
// The first call has an empty id, since anything may have happened before it.
func (w *watchers) watch(ctx context.Context, changed func(id string)) error {
	me := &watcher{changed}
	w.mu.Lock()
	w.calls[me] = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.calls, me)
		w.mu.Unlock()
	}()
	changed("")
	select {
	case <-ctx.Done():
		return nil
	case <-w.ended:
		return bridge.ErrClosed
	}
}

// tell passes an id on.
func (w *watchers) tell(id string) {
	w.mu.Lock()
	calls := make([]*watcher, 0, len(w.calls))
	for c := range w.calls {
		calls = append(calls, c)
	}
	w.mu.Unlock()
	for _, c := range calls {
		c.changed(id)
	}
}

// stop ends every watch, now and later. Stopping twice is fine.
func (w *watchers) stop() { w.once.Do(func() { close(w.ended) }) }

const (
	// defaultQuiet is how long a subscription may be silent before it is probed,
	// and how long the probe may go unanswered before the connection is given up.
	defaultQuiet = 5 * time.Second
	// leastPause and mostPause bound the wait between attempts to subscribe.
	leastPause = 50 * time.Millisecond
	mostPause  = time.Second
)

// Watch implements [bridge.Store] with one subscription. It returns nil when
// ctx has ended. Hints published while the connection was down are lost; the
// empty id that follows each new subscription makes up for them.
func (r *Redis) Watch(ctx context.Context, changed func(id string)) error {
	for pause := time.Duration(0); ; pause = min(max(2*pause, leastPause), mostPause) {
		select {
		case <-ctx.Done():
			return nil
		case <-r.closed:
			return outcome("watch", "", bridge.ErrClosed)
		case <-time.After(pause):
		}
		if r.listen(ctx, changed) {
			pause = 0
		}
	}
}

// listen subscribes and passes hints on until the connection breaks. It reports
// whether the subscription stood.
func (r *Redis) listen(ctx context.Context, changed func(id string)) (stood bool) {
	sub := r.client.Subscribe(ctx, r.keys.wake())
	var ending sync.WaitGroup
	done := make(chan struct{})
	ending.Go(func() {
		select {
		case <-done:
		case <-ctx.Done():
		case <-r.closed:
		}
		_ = sub.Close() // There is nothing to lose: the hints are only hints.
	})
	defer ending.Wait()
	defer close(done)

	for probed := false; ; {
		message, err := sub.ReceiveTimeout(ctx, r.quiet)
		switch {
		case err == nil:
			probed = false
		case probed || !errors.Is(err, os.ErrDeadlineExceeded) || sub.Ping(ctx) != nil:
			return stood
		default:
			probed = true
		}
		switch m := message.(type) {
		case *redis.Subscription:
			stood = true
			changed("")
		case *redis.Message:
			changed(m.Payload)
		}
	}
}
