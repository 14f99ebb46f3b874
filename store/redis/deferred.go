package redis

import (
	"context"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/codec"
)

const (
	// defaultDelay is the maximum delay of a deferred change.
	defaultDelay = time.Second / 2
	// maxShared is the maximum number of deferred changes per round trip.
	maxShared = 16
)

// deferred is the queue of changes that no caller waits for.
type deferred struct {
	records *records
	delay   time.Duration // See defaultDelay.

	mu    sync.Mutex
	queue []*deferredChange
	timer *time.Timer
	// running counts the changes that were taken from the queue.
	running sync.WaitGroup
	closed  bool
}

// deferredChange is a change in the queue.
type deferredChange struct {
	id   string
	f    record.Transition
	done func(record.Record, error)

	// The attempt that shares a round trip; nil for none.
	attempt *swapAttempt
	sent    *goredis.Cmd
	swapArgs
}

// add queues a change. It is sent with the next create, or after the delay with all others. It reports
// false after close, and if the change would need its own round trip anyway: in a Cluster, and with
// required replicas.
func (d *deferred) add(id string, f record.Transition, done func(record.Record, error)) bool {
	if d.records.conn.cluster || d.records.conn.replicas > 0 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.queue = append(d.queue, &deferredChange{id: id, f: f, done: done})
	if d.timer == nil {
		d.timer = time.AfterFunc(d.delay, func() { d.flush(context.Background()) })
	}
	return true
}

// take takes some changes from the queue, at most maxShared. The caller passes them to finish. It stops
// the timer after the last one.
func (d *deferred) take() []*deferredChange {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(d.queue), maxShared)
	some := d.queue[:n:n]
	d.queue = d.queue[n:]
	d.running.Add(n)
	if len(d.queue) == 0 && d.timer != nil {
		d.timer.Stop()
		d.timer, d.queue = nil, nil
	}
	return some
}

// flush makes all queued changes.
func (d *deferred) flush(ctx context.Context) {
	for some := d.take(); len(some) > 0; some = d.take() {
		d.send(ctx, some)
	}
}

// send makes some changes in one round trip, within callTimeout.
func (d *deferred) send(ctx context.Context, some []*deferredChange) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if d.prepare(some) {
		_ = d.records.conn.pipelined(ctx, func(pipe goredis.Pipeliner) { pipeline(ctx, pipe, some) }) // Each command has its own error.
	}
	d.finish(ctx, some)
}

// prepare computes the changes for which the record and the server's time are known, and reports whether
// there are any.
func (d *deferred) prepare(some []*deferredChange) (ready bool) {
	r := d.records
	for _, c := range some {
		e, now := r.recent.get(c.id), r.conn.clock.certain()
		if e == nil || now == 0 {
			continue
		}
		next, refused := e.Apply(c.f, now.Time())
		if refused != nil {
			continue
		}
		if next.Write = nonce(); !r.decides(&e.Rec, &next.Rec, now) {
			now = 0
		}
		s := &swapAttempt{old: e, was: &e.Rec, next: next, now: now}
		if args, err := r.swapArgs(s); err == nil {
			c.attempt, c.swapArgs, ready = s, args, true
		}
	}
	return ready
}

// pipeline adds the prepared changes to a round trip.
func pipeline(ctx context.Context, pipe goredis.Pipeliner, some []*deferredChange) {
	for _, c := range some {
		if c.attempt != nil {
			c.sent = swapScript.EvalSha(ctx, pipe, c.keys, c.args...)
		}
	}
}

// finishLater calls finish in the background, for changes that shared the round trip of another caller.
func (d *deferred) finishLater(some []*deferredChange) {
	if len(some) == 0 {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		d.finish(ctx, some)
	}()
}

// finish reports the results of changes. Those that were not sent, failed or conflicted are made as
// ordinary changes.
func (d *deferred) finish(ctx context.Context, some []*deferredChange) {
	for _, c := range some {
		c.done(d.result(ctx, c))
		d.running.Done()
	}
}

func (d *deferred) result(ctx context.Context, c *deferredChange) (record.Record, error) {
	r := d.records
	if c.sent != nil {
		reply, err := c.sent.StringSlice()
		if err == nil {
			var word verdict
			if word, _, err = r.handleReply(ctx, c.attempt, c.swapArgs, reply, 0); err == nil && word == stored {
				r.journal.add(write{swapAttempt: c.attempt})
				return c.attempt.next.Rec.Clone(), nil
			}
		}
	}
	rec, err := r.change(ctx, c.id, c.f)
	return rec, codec.Error("change", c.id, err)
}

// close makes the queued changes, within callTimeout, and accepts no more.
func (d *deferred) close() {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.flush(ctx)
	d.running.Wait()
}
