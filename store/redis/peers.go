package redis

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/askbridge/store/internal/codec"
)

// A bridge that is alone on its Redis notifies its own watchers directly, which saves a command per write.
//
// A bridge that starts listening publishes a greeting. Bridges that receive it publish their writes
// from then on. Those that were alone also publish an empty ID, since the new bridge may have missed
// something in between. A bridge that stops listening does the same, since it may have missed a
// greeting.

// goodbyeTimeout is the timeout of the last notification of a watcher.
const goodbyeTimeout = time.Second

// greeting is the prefix of a message with the name of a listening bridge and its database, separated by a
// colon; older versions omit the database. No ID begins with it.
const greeting = "+"

// channel returns the channel for publishing a write. silent means that it is not published.
func (n *notifier) channel() (name string, silent bool) {
	if n.alone.Load() {
		return "", true
	}
	return n.wake(), false
}

// wake returns the channel for publishing.
func (n *notifier) wake() string {
	if n.outside.Load() {
		return n.keys.common()
	}
	return n.keys.wake()
}

// notifyLocal notifies local watchers of a write that was not published. It publishes the write if
// another bridge has started listening in the meantime.
func (n *notifier) notifyLocal(ctx context.Context, e *codec.Entry) {
	n.local.Tell(e.Rec.Notify())
	if !n.alone.Load() {
		_, _ = n.publish(ctx, n.wake(), n.message(e)) // If it fails, waiting callers still poll.
	}
}

// announce publishes the greeting and counts the other listeners.
func (n *notifier) announce(ctx context.Context) error {
	if err := n.learnKey(ctx); err != nil {
		return err
	}
	me := greeting + n.me + ":" + strconv.Itoa(n.keys.db)
	listeners := map[string]int64{}
	for _, channel := range n.keys.channels() {
		count, err := n.publish(ctx, channel, me)
		if err != nil {
			return err
		}
		listeners[channel] = count
	}
	n.outside.Store(listeners[n.keys.common()] > listeners[n.keys.wake()])
	if listeners[n.keys.common()] == 1 && !n.conn.cluster {
		n.alone.Store(true)
	} else {
		n.foundPeer(ctx)
	}
	return nil
}

// foundPeer records that there are other bridges. If there were none before it publishes an empty ID. If that
// fails it is published at the next greeting or subscription.
func (n *notifier) foundPeer(ctx context.Context) {
	if n.alone.Swap(false) {
		n.owed.Store(true)
	}
	if n.owed.Swap(false) {
		err := n.conn.client.Publish(ctx, n.wake(), "").Err()
		n.publishing.note(err)
		n.owed.Store(err != nil)
	}
}

// stopListening is foundPeer for a watcher that ends, since it may have missed a greeting.
func (n *notifier) stopListening(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbyeTimeout)
	defer cancel()
	n.foundPeer(ctx)
}

// handleGreeting handles a message if it is a greeting, and reports whether it was.
func (n *notifier) handleGreeting(ctx context.Context, message string) bool {
	sender, ok := strings.CutPrefix(message, greeting)
	if !ok {
		return false
	}
	from, db, current := strings.Cut(sender, ":")
	switch {
	case current && db != strconv.Itoa(n.keys.db), from == n.me:
		return true
	case !current && n.keys.wake() != n.keys.common():
		n.outside.Store(true)
	}
	n.foundPeer(ctx)
	return true
}
