// Package roundtrip lets the callers of a Redis client share round trips while many are under way. [Trips] is its one
// entrance. What it gains, and why it is not the client's own way of doing so: docs/decisions/0056-busy-callers-share-redis-round-trips.md.
package roundtrip

import (
	"context"
	"math"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

const (
	// few is how many round trips a caller finds under way and still makes its own. So
	// whoever calls while there is little to do waits for nobody.
	few = 2
	// most is how many callers share one.
	most = 64
	// crowd is how many round trips are under way at most when Redis is far away. It is
	// fewer than the client has connections.
	crowd = 8
	// patience is how long callers wait for a round trip to end before they start another.
	// Near Redis one takes less; far from it callers would wait for most of their deadline.
	patience = 5 * time.Millisecond
)

// Trips are the round trips of one client. A caller has one to itself until a few are
// under way; those that come then wait for one to end, but not for long, and share the
// next. In a Cluster, where their commands are for several servers, each caller has one to
// itself. Make it with [New]; it may be used by many at a time.
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
	done     chan error // gets its error when the replies are there
}

// New returns the round trips of a client.
func New(client goredis.UniversalClient) *Trips {
	room := few
	if _, cluster := client.(*goredis.ClusterClient); cluster {
		room = math.MaxInt
	}
	return &Trips{client: client, room: room, patience: patience}
}

// Do sends the commands that fill puts into the pipeline it is given, and returns when their
// replies are there, with the first error among them. Each command knows its own result.
//
// The end of ctx ends the call at once as long as nothing has been sent. Later its
// deadline does, and whether the commands were carried out is not known then. A round trip
// that the deadline of one caller ends is made once more for those that have time left, so
// commands have to do no harm when they are carried out twice.
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

// relieve starts another round trip for those that have waited long enough.
func (t *Trips) relieve() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) > 0 && t.underway < crowd {
		t.underway++
		go t.share()
	}
}

// leave takes a caller out of those that wait, and reports whether it still did.
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

// end makes room for those that wait.
func (t *Trips) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.underway--
		return
	}
	go t.share()
}

// share makes round trips for those that wait until nobody does.
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

// carry makes one round trip for some callers, in which none is kept beyond its deadline.
func (t *Trips) carry(some []*caller) {
	earliest := deadline(some)
	ctx, cancel := until(earliest)
	defer cancel()
	pipe := t.client.Pipeline()
	for _, c := range some {
		_ = pipe.BatchProcess(ctx, c.commands...) // It only collects them.
	}
	_, _ = pipe.Exec(ctx) // Each command knows its own error.
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

// deadline is the earliest one of some callers; zero where none has any.
func deadline(some []*caller) (earliest time.Time) {
	for _, c := range some {
		if earliest.IsZero() || !c.deadline.IsZero() && c.deadline.Before(earliest) {
			earliest = c.deadline
		}
	}
	return earliest
}

// until is a context with that deadline. Where there is none, the client's limits count.
func until(end time.Time) (context.Context, context.CancelFunc) {
	if end.IsZero() {
		return context.WithCancel(context.Background())
	}
	return context.WithDeadline(context.Background(), end)
}

// first is the first error among a caller's commands.
func (c *caller) first() error {
	for _, cmd := range c.commands {
		if err := cmd.Err(); err != nil {
			return err
		}
	}
	return nil
}

// fail gives all of a caller's commands an error and returns it.
func (c *caller) fail(err error) error {
	for _, cmd := range c.commands {
		cmd.SetErr(err)
	}
	return err
}
