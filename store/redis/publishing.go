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

// publishing remembers whether Redis lets this store send and receive notifications. They
// are best effort: if one fails, the write is still stored, and other bridges find the change
// when they next poll.
type publishing struct {
	log *slog.Logger

	mu     sync.Mutex
	denied error // Why the last attempt was refused; nil if it was not.
	warned time.Time
}

// note records how an attempt to publish or subscribe went.
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

// state is why notifications are refused, nil if they are not.
func (p *publishing) state() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.denied
}

// published records how the notification of a write went, which has no effect on the write.
// When it failed, the watchers of this process are notified directly.
func (r *Store) published(n record.Notification, err error) {
	r.publishing.note(err)
	if err != nil {
		r.peers.local.Tell(n)
	}
}

// publish sends a message on its own and returns how many have received it.
func (r *Store) publish(ctx context.Context, channel, message string) (int64, error) {
	n, err := r.client.Publish(context.WithoutCancel(ctx), channel, message).Result()
	r.publishing.note(err)
	return n, err
}
