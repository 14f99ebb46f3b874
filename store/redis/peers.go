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
	// defaultQuiet is how long a subscription may be silent before it is probed,
	// and how long the probe may go unanswered before the connection is given up.
	defaultQuiet = 5 * time.Second
	// leastPause and mostPause bound the wait between attempts to subscribe.
	leastPause = 50 * time.Millisecond
	mostPause  = time.Second
	// refusedQuiets is after how many quiet times a watcher that Redis refuses to notify assumes that something has changed.
	refusedQuiets = 4
	// partingTime is how long a watcher that ends may take to tell others.
	partingTime = time.Second
)

// Watch implements [storage.Store] with one subscription. It returns nil when
// ctx has ended. What is published while the connection is down is lost; the
// empty id that follows each new subscription makes up for it. While Redis refuses
// the subscription, the empty id comes every 20 seconds.
//
// A bridge that is alone on its Redis publishes nothing: it tells its own
// watcher, and listens for others to come.
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

// listen subscribes and passes notifications on until the connection breaks. It
// reports whether the subscription stood.
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
		_ = sub.Close() // There is nothing to lose: the records tell all.
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
				return false // Others may not know of us, or of what was lost, and the next subscription tells them.
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

// peers is what this store knows of others that listen on the same Redis. While
// it is alone, its one watcher is told directly, which saves a command with
// every write.
//
// Whoever begins to listen says so on the channel. Those who hear it publish
// from then on, and those who were alone until then also publish an empty id,
// since the newcomer may have missed something in between; so does one that stops listening,
// which may not have heard of them yet.
type peers struct {
	me    string
	local *watch.Watchers
	// scattered is set in a Cluster, which does not count all its listeners.
	scattered bool
	alone     atomic.Bool
	// outside tells that somebody listens on the common channel alone: an older
	// version, or another database. All hear what is published there.
	outside atomic.Bool
	// owed tells that somebody may have missed what was told here alone.
	owed atomic.Bool
}

// greeting begins a message that says who listens, and on which database, with a
// colon between; older versions do not say that. No id begins with it.
const greeting = "+"

// channel returns where a write is to be published, or that it is to be told
// silently.
func (r *Store) channel() (name string, silent bool) {
	if r.peers.alone.Load() {
		return "", true
	}
	return r.wake(), false
}

// wake is the channel to publish on.
func (r *Store) wake() string {
	if r.peers.outside.Load() {
		return r.keys.common()
	}
	return r.keys.wake()
}

// told spreads the word of a write that was not published. Somebody may have
// come meanwhile.
func (r *Store) told(ctx context.Context, e *codec.Entry) {
	r.peers.local.Tell(e.Rec.Notify())
	if !r.peers.alone.Load() {
		_, _ = r.publish(ctx, r.wake(), r.message(e)) // The polls of those who wait make up for it.
	}
}

// announce says that we listen, and learns whether anybody else does.
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

// meet ends that we are alone. Those who were until now publish an empty id; one that is lost
// is owed to the next who come, or to the next subscription.
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

// part is meet for a watcher that ends: somebody may have come whose greeting it never heard.
func (r *Store) part(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partingTime)
	defer cancel()
	r.meet(ctx)
}

// greeted takes note of a message that is a greeting.
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
