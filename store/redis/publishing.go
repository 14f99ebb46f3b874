package redis

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// warnEvery is how often the log repeats that notifications fail.
const warnEvery = time.Minute

// publishing tracks whether Redis lets this store send and receive notifications. They are best effort: if
// one fails, the write is still stored, and other bridges find the change with their next poll.
type publishing struct {
	log *slog.Logger

	mu     sync.Mutex
	denied error     // Why the last attempt was refused; nil if it was not.
	warned time.Time // The time of the last warning.
}

// note records the result of an attempt to publish or subscribe.
func (p *publishing) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.denied = nil; !denied(err) {
		return
	}
	p.denied = err
	if now := time.Now(); p.warned.IsZero() || now.Sub(p.warned) >= warnEvery {
		p.warned = now
		p.log.Warn("redis notifications refused, polling instead", "error", err)
	}
}

// refusal returns why Redis refuses notifications; nil if it does not.
func (p *publishing) refusal() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.denied
}

// notePublished records the result of notifying others of a write, which has no effect on the write. After a
// failure it notifies the watchers of this process directly.
func (n *notifier) notePublished(change record.Notification, err error) {
	n.publishing.note(err)
	if err != nil {
		n.local.Tell(change)
	}
}

// publish sends a message in its own round trip and returns how many subscribers received it.
func (n *notifier) publish(ctx context.Context, channel, message string) (received int64, err error) {
	received, err = n.conn.client.Publish(context.WithoutCancel(ctx), channel, message).Result()
	n.publishing.note(err)
	return received, err
}
