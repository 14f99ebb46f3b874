// Package roundtrip lets concurrent callers of a Redis client share round trips. Use [Trips]. The gain, and
// why the client's own pipelining is not enough: docs/decisions/0056-busy-callers-share-redis-round-trips.md.
package roundtrip

import (
	"context"
	"math"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

const (
	// few is the number of running round trips up to which a caller starts its own, so that no
	// caller waits under low load.
	few = 2
	// most is the maximum number of callers per round trip.
	most = 64
	// crowd is the maximum number of running round trips if Redis is far away, as many as the store
	// opens connections at the start.
	crowd = 8
	// patience is how long callers wait for a round trip to end before they start another. If Redis
	// is near, a round trip is shorter; if it is far, waiting longer would use up the deadlines.
	patience = 5 * time.Millisecond
)

// Trips runs the round trips of one client. Up to a few callers each have their own; more wait briefly for
// one to end and share the next. In a Cluster, where commands go to several servers, each caller has
// its own. Create it with [New]. It is safe for concurrent use.
type Trips struct {
	client   goredis.UniversalClient
	room     int
	patience time.Duration

	mu       sync.Mutex
	underway int
	waiting  []*caller
}

// caller waits for a round trip.
type caller struct {
	commands []goredis.Cmder
	deadline time.Time  // zero for none
	done     chan error // receives the result
}

// New returns a [Trips] for a client.
func New(client goredis.UniversalClient) *Trips {
	room := few
	if _, cluster := client.(*goredis.ClusterClient); cluster {
		room = math.MaxInt
	}
	return &Trips{client: client, room: room, patience: patience}
}

// Do sends the commands that fill adds to the pipeline, waits for the replies, and returns their first
// error. Each command has its own result.
//
// If ctx ends before anything was sent, Do returns at once; afterwards it returns at the deadline of
// ctx, and it is unknown whether the commands ran. A round trip that ends at the deadline of one caller
// is repeated for the others, so commands must be idempotent.
func (t *Trips) Do(ctx context.Context, fill func(goredis.Pipeliner)) error {
	pipe := t.client.Pipeline()
	fill(pipe)
	t.mu.Lock()
	if t.underway < t.room {
		t.underway++
		t.mu.Unlock()
		defer t.end()
		if alone := pipe.Cmds(); len(alone) == 1 {
			return t.client.Process(ctx, alone[0])
		}
		_, err := pipe.Exec(ctx)
		return err
	}
	c := &caller{commands: pipe.Cmds(), done: make(chan error, 1)}
	c.deadline, _ = ctx.Deadline()
	if t.waiting = append(t.waiting, c); len(t.waiting) == 1 {
		time.AfterFunc(t.patience, t.relieve)
	}
	t.mu.Unlock()
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		if t.leave(c) {
			return c.fail(context.Cause(ctx))
		}
		return <-c.done
	}
}

// relieve starts another round trip for callers that have waited for patience.
func (t *Trips) relieve() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) > 0 && t.underway < crowd {
		t.underway++
		go t.share()
	}
}

// leave removes a caller from the queue, and reports whether it was in it.
func (t *Trips) leave(c *caller) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n, w := range t.waiting {
		if w == c {
			t.waiting = append(t.waiting[:n:n], t.waiting[n+1:]...)
			return true
		}
	}
	return false
}

// end lets waiting callers start.
func (t *Trips) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.underway--
		return
	}
	go t.share()
}

// share makes round trips until no caller waits.
func (t *Trips) share() {
	for {
		t.mu.Lock()
		n := min(len(t.waiting), most)
		if n == 0 {
			t.underway--
			t.mu.Unlock()
			return
		}
		some := t.waiting[:n:n]
		t.waiting = t.waiting[n:]
		t.mu.Unlock()
		t.carry(some)
	}
}

// carry makes one round trip for some callers, within their earliest deadline.
func (t *Trips) carry(some []*caller) {
	earliest := deadline(some)
	ctx, cancel := until(earliest)
	defer cancel()
	pipe := t.client.Pipeline()
	for _, c := range some {
		_ = pipe.BatchProcess(ctx, c.commands...) // It only collects them.
	}
	_, _ = pipe.Exec(ctx) // Each command has its own error.
	now := time.Now()
	cut := !earliest.IsZero() && !now.Before(earliest)
	var again []*caller
	for _, c := range some {
		err := c.first()
		if err != nil && cut && (c.deadline.IsZero() || now.Before(c.deadline)) {
			again = append(again, c)
			continue
		}
		c.done <- err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(again, t.waiting...)
}

// deadline returns the earliest deadline of some callers; zero for none.
func deadline(some []*caller) (earliest time.Time) {
	for _, c := range some {
		if earliest.IsZero() || !c.deadline.IsZero() && c.deadline.Before(earliest) {
			earliest = c.deadline
		}
	}
	return earliest
}

// until returns a context with that deadline. Without one the client's timeouts apply.
func until(end time.Time) (context.Context, context.CancelFunc) {
	if end.IsZero() {
		return context.WithCancel(context.Background())
	}
	return context.WithDeadline(context.Background(), end)
}

// first returns the first error of a caller's commands.
func (c *caller) first() error {
	for _, cmd := range c.commands {
		if err := cmd.Err(); err != nil {
			return err
		}
	}
	return nil
}

// fail sets the error of a caller's commands and returns it.
func (c *caller) fail(err error) error {
	for _, cmd := range c.commands {
		cmd.SetErr(err)
	}
	return err
}
