package redis

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
)

const (
	// defaultQuiet is how long a subscription can be silent before it is probed, and the timeout of
	// the probe.
	defaultQuiet = 5 * time.Second
	// minPause and maxPause limit the backoff between attempts to subscribe.
	minPause = 50 * time.Millisecond
	maxPause = time.Second
	// refusedQuiets is the number of quiet times between notifications that anything may have changed,
	// while Redis refuses the subscription.
	refusedQuiets = 4
)

// Watch implements [storage.Store] with one subscription. It returns nil when ctx is done. Notifications
// published while the connection is down are lost, so each new subscription calls changed with an
// empty ID. While Redis refuses the subscription, it does so every 20 seconds.
//
// A bridge that is alone on its Redis publishes nothing: it notifies its own watcher, and listens for
// other bridges.
func (r *Store) Watch(ctx context.Context, changed func(record.Notification)) error {
	me := r.notifier.local.Join(changed)
	defer r.notifier.local.Leave(me)
	refused := time.Now()
	for pause := time.Duration(0); ; pause = min(max(2*pause, minPause), maxPause) {
		select {
		case <-ctx.Done():
			return nil
		case <-r.conn.closed:
			return codec.Error("watch", "", storage.ErrClosed)
		case <-time.After(pause):
		}
		if r.listen(ctx, changed) {
			pause = 0
		}
		if r.notifier.publishing.refusal() != nil && time.Since(refused) >= refusedQuiets*r.quiet {
			refused = time.Now()
			changed(record.Notification{})
		}
	}
}

// listen subscribes and delivers notifications until the connection breaks. It reports whether it was
// subscribed.
func (r *Store) listen(ctx context.Context, changed func(record.Notification)) (subscribed bool) {
	channels := r.keys.channels()
	sub := r.conn.client.Subscribe(ctx, channels...)
	var closing sync.WaitGroup
	done := make(chan struct{})
	closing.Go(func() {
		select {
		case <-done:
		case <-ctx.Done():
		case <-r.conn.closed:
		}
		_ = sub.Close()
	})
	defer closing.Wait()
	defer close(done)

	defer r.notifier.stopListening(ctx)
	defer func() {
		if subscribed {
			r.records.journal.unsubscribed()
		}
	}()
	for probed := false; ; {
		message, err := sub.ReceiveTimeout(ctx, r.quiet)
		if _, replied := errors.AsType[goredis.Error](err); err == nil || replied {
			r.notifier.publishing.note(err)
		}
		switch {
		case err == nil:
			probed = false
		case probed || !errors.Is(err, os.ErrDeadlineExceeded) || sub.Ping(ctx) != nil:
			return subscribed
		default:
			probed = true
		}
		switch m := message.(type) {
		case *goredis.Subscription:
			if m.Count < len(channels) {
				continue
			}
			err := r.notifier.announce(ctx)
			if err == nil {
				err = r.records.replay(ctx)
			}
			changed(record.Notification{})
			if err != nil {
				return false // The next subscription announces this bridge and repeats lost writes.
			}
			subscribed = true
		case *goredis.Message:
			if r.notifier.handleGreeting(ctx, m.Payload) {
				continue
			}
			if n, value, ours := r.notifier.parse(m.Payload); ours {
				r.notifier.ended.put(n.ID, value)
				changed(n)
			}
		}
	}
}
