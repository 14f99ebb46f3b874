package redis

import (
	"context"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
)

const (
	// defaultSoon is the maximum delay of a deferred change.
	defaultSoon = time.Second / 2
	// carried is the maximum number of deferred changes per round trip.
	carried = 16
)

// later is the queue of deferred changes.
type later struct {
	mu    sync.Mutex
	put   []*putOff
	timer *time.Timer
	// making counts the changes being made.
	making sync.WaitGroup
	closed bool
}

// putOff is a change that no caller waits for.
type putOff struct {
	id   string
	f    record.Transition
	done func(record.Record, error)

	// The attempt that shares a round trip; nil for none.
	s    *swapping
	sent *goredis.Cmd
	swapArgs
}

// WriteBehind implements [storage.WriteBehinder]: the change is sent with the next create, or half a second
// later with all others. In a Cluster, and with required replicas, it would need its own round trip
// anyway.
func (r *Store) WriteBehind(id string, f record.Transition, done func(record.Record, error)) bool {
	if r.peers.scattered || r.layout.Replicas > 0 {
		return false
	}
	l := &r.later
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.put = append(l.put, &putOff{id: id, f: f, done: done})
	if l.timer == nil {
		l.timer = time.AfterFunc(r.soon, func() { r.makeAll(context.Background()) })
	}
	return true
}

// take dequeues some of the changes. The caller calls making.Done for each. It stops the timer after
// the last one.
func (l *later) take() []*putOff {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.put), carried)
	some := l.put[:n:n]
	l.put = l.put[n:]
	l.making.Add(n)
	if len(l.put) == 0 && l.timer != nil {
		l.timer.Stop()
		l.timer, l.put = nil, nil
	}
	return some
}

// makeAll makes all deferred changes.
func (r *Store) makeAll(ctx context.Context) {
	for some := r.later.take(); len(some) > 0; some = r.later.take() {
		r.makeSome(ctx, some)
	}
}

// makeSome makes some changes, and gives up on those that take too long.
func (r *Store) makeSome(ctx context.Context, some []*putOff) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if r.workOut(some) {
		_ = r.pipelined(ctx, r.client, func(pipe goredis.Pipeliner) { sendAll(ctx, pipe, some) }) // Each command has its own error.
	}
	r.finish(ctx, some)
}

// workOut prepares the changes for which the record and the server's time are known, and reports
// whether there are any.
func (r *Store) workOut(some []*putOff) (ready bool) {
	for _, p := range some {
		e, now := r.recent.get(p.id), r.server.certain()
		if e == nil || now == 0 {
			continue
		}
		next, refused := e.Apply(p.f, now.Time())
		if refused != nil {
			continue
		}
		if next.Write = nonce(); !r.decides(&e.Rec, &next.Rec, now) {
			now = 0
		}
		s := &swapping{old: e, was: &e.Rec, next: next, now: now}
		if args, err := r.swapArgs(s); err == nil {
			p.s, p.swapArgs, ready = s, args, true
		}
	}
	return ready
}

// sendAll adds the prepared changes to a pipeline.
func sendAll(ctx context.Context, pipe goredis.Pipeliner, some []*putOff) {
	for _, p := range some {
		if p.s != nil {
			p.sent = swapScript.EvalSha(ctx, pipe, p.keys, p.args...)
		}
	}
}

// arrive calls finish in the background, for changes that shared another caller's round trip.
func (r *Store) arrive(some []*putOff) {
	if len(some) == 0 {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		r.finish(ctx, some)
	}()
}

// finish reports the results of changes that were sent. Those that failed or conflicted are repeated as
// ordinary changes.
func (r *Store) finish(ctx context.Context, some []*putOff) {
	for _, p := range some {
		p.done(r.arrived(ctx, p))
		r.later.making.Done()
	}
}

func (r *Store) arrived(ctx context.Context, p *putOff) (record.Record, error) {
	if p.sent != nil {
		reply, err := p.sent.StringSlice()
		if err == nil {
			var word verdict
			if word, _, err = r.swapped(ctx, p.s, p.swapArgs, reply, 0); err == nil && word == stored {
				r.journal.note(written{swapping: p.s})
				return p.s.next.Rec.Clone(), nil
			}
		}
	}
	return r.Change(ctx, p.id, p.f)
}

// endLater makes the deferred changes, as far as there is time, and accepts no more.
func (r *Store) endLater() {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	l := &r.later
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	r.makeAll(ctx)
	l.making.Wait()
}
