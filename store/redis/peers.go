package redis

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/watch"
)

const (
	// defaultQuiet is how long a subscription can be silent before it is probed, and the timeout of
	// the probe.
	defaultQuiet = 5 * time.Second
	// leastPause and mostPause limit the backoff between attempts to subscribe.
	leastPause = 50 * time.Millisecond
	mostPause  = time.Second
	// refusedQuiets is the number of quiet times between notifications that anything may have changed,
	// while Redis refuses the subscription.
	refusedQuiets = 4
	// partingTime is the timeout of the last notification of a watcher.
	partingTime = time.Second
)

// Watch implements [storage.Store] with one subscription. It returns nil when ctx is done. Notifications
// published while the connection is down are lost, so each new subscription calls changed with an
// empty ID. While Redis refuses the subscription, it does so every 20 seconds.
//
// A bridge that is alone on its Redis publishes nothing: it notifies its own watcher, and listens for
// other bridges.
func (r *Store) Watch(ctx context.Context, changed func(record.Notification)) error {
	me := r.peers.local.Join(changed)
	defer r.peers.local.Leave(me)
	refused := time.Now()
	for pause := time.Duration(0); ; pause = min(max(2*pause, leastPause), mostPause) {
		select {
		case <-ctx.Done():
			return nil
		case <-r.closed:
			return codec.Error("watch", "", storage.ErrClosed)
		case <-time.After(pause):
		}
		if r.listen(ctx, changed) {
			pause = 0
		}
		if r.publishing.state() != nil && time.Since(refused) >= refusedQuiets*r.quiet {
			refused = time.Now()
			changed(record.Notification{})
		}
	}
}

// listen subscribes and delivers notifications until the connection breaks. It reports whether it was
// subscribed.
func (r *Store) listen(ctx context.Context, changed func(record.Notification)) (stood bool) {
	channels := r.keys.channels()
	sub := r.client.Subscribe(ctx, channels...)
	var ending sync.WaitGroup
	done := make(chan struct{})
	ending.Go(func() {
		select {
		case <-done:
		case <-ctx.Done():
		case <-r.closed:
		}
		_ = sub.Close()
	})
	defer ending.Wait()
	defer close(done)

	defer r.part(ctx)
	defer func() {
		if stood {
			r.journal.leave()
		}
	}()
	for probed := false; ; {
		message, err := sub.ReceiveTimeout(ctx, r.quiet)
		if _, replied := errors.AsType[goredis.Error](err); err == nil || replied {
			r.publishing.note(err)
		}
		switch {
		case err == nil:
			probed = false
		case probed || !errors.Is(err, os.ErrDeadlineExceeded) || sub.Ping(ctx) != nil:
			return stood
		default:
			probed = true
		}
		switch m := message.(type) {
		case *goredis.Subscription:
			if m.Count < len(channels) {
				continue
			}
			err := r.announce(ctx)
			if err == nil {
				err = r.replay(ctx)
			}
			changed(record.Notification{})
			if err != nil {
				return false // The next subscription announces this bridge and repeats lost writes.
			}
			stood = true
		case *goredis.Message:
			if r.greeted(ctx, m.Payload) {
				continue
			}
			if n, value, ours := r.hear(m.Payload); ours {
				r.brought.put(n.ID, value)
				changed(n)
			}
		}
	}
}

// peers tracks other bridges that listen on the same Redis. While there are none, this process notifies
// its own watchers directly, which saves a command per write.
//
// A bridge that starts listening publishes a greeting. Bridges that receive it publish their writes
// from then on. Those that were alone also publish an empty ID, since the new bridge may have missed
// something in between. A bridge that stops listening does the same, since it may have missed a
// greeting.
type peers struct {
	me    string
	local *watch.Watchers
	// scattered is set in a Cluster, which does not count all its subscribers.
	scattered bool
	alone     atomic.Bool
	// outside means that a bridge of an older version or another database listens on the common
	// channel only.
	outside atomic.Bool
	// owed means that another bridge may have missed writes that were not published.
	owed atomic.Bool
}

// greeting is the prefix of a message with the name of a listening bridge and its database, separated by a
// colon; older versions omit the database. No ID begins with it.
const greeting = "+"

// channel returns the channel for publishing a write. silent means that it is not published.
func (r *Store) channel() (name string, silent bool) {
	if r.peers.alone.Load() {
		return "", true
	}
	return r.wake(), false
}

// wake returns the channel for publishing.
func (r *Store) wake() string {
	if r.peers.outside.Load() {
		return r.keys.common()
	}
	return r.keys.wake()
}

// notifyLocal notifies local watchers of a write that was not published. It publishes the write if
// another bridge has started listening in the meantime.
func (r *Store) notifyLocal(ctx context.Context, e *codec.Entry) {
	r.peers.local.Tell(e.Rec.Notify())
	if !r.peers.alone.Load() {
		_, _ = r.publish(ctx, r.wake(), r.message(e)) // If it fails, waiting callers still poll.
	}
}

// announce publishes the greeting and counts the other listeners.
func (r *Store) announce(ctx context.Context) error {
	if err := r.learnSecret(ctx); err != nil {
		return err
	}
	me := greeting + r.peers.me + ":" + strconv.Itoa(r.keys.db)
	listeners := map[string]int64{}
	for _, channel := range r.keys.channels() {
		n, err := r.publish(ctx, channel, me)
		if err != nil {
			return err
		}
		listeners[channel] = n
	}
	r.peers.outside.Store(listeners[r.keys.common()] > listeners[r.keys.wake()])
	if listeners[r.keys.common()] == 1 && !r.peers.scattered {
		r.peers.alone.Store(true)
	} else {
		r.meet(ctx)
	}
	return nil
}

// meet records that there are other bridges. If there were none before it publishes an empty ID. If that
// fails it is published at the next greeting or subscription.
func (r *Store) meet(ctx context.Context) {
	if r.peers.alone.Swap(false) {
		r.peers.owed.Store(true)
	}
	if r.peers.owed.Swap(false) {
		err := r.client.Publish(ctx, r.wake(), "").Err()
		r.publishing.note(err)
		r.peers.owed.Store(err != nil)
	}
}

// part is meet for a watcher that ends, since it may have missed a greeting.
func (r *Store) part(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partingTime)
	defer cancel()
	r.meet(ctx)
}

// greeted handles a message if it is a greeting, and reports whether it was.
func (r *Store) greeted(ctx context.Context, message string) bool {
	who, is := strings.CutPrefix(message, greeting)
	if !is {
		return false
	}
	from, db, known := strings.Cut(who, ":")
	switch {
	case known && db != strconv.Itoa(r.keys.db), from == r.peers.me:
		return true
	case !known && r.keys.wake() != r.keys.common():
		r.peers.outside.Store(true)
	}
	r.meet(ctx)
	return true
}
