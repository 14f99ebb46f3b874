package slack

import (
	"context"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// maxKnown is the maximum number of cached facts of one kind.
const maxKnown = 4096

// maxKnownEach is [maxKnown] for each of several installations.
const maxKnownEach = 256

// known caches lookups of people or groups, and coalesces concurrent lookups.
type known[V any] struct {
	ask    func(ctx context.Context, id string) (V, error)
	facts  *lru.Cache[string, fact[V]]
	asking singleflight.Group
}

// fact is the last successful lookup and, if a later one failed, its error.
type fact[V any] struct {
	value  V
	at     time.Time // time of the lookup of value; zero if there was none
	err    error
	failed time.Time // time of err
}

// newKnown returns a cache of the most recent facts.
func newKnown[V any](ask func(ctx context.Context, id string) (V, error), most int) *known[V] {
	facts, _ := lru.New[string, fact[V]](most) // New fails only for a size below one.
	return &known[V]{ask: ask, facts: facts}
}

// peek returns the cached fact without a lookup.
func (k *known[V]) peek(id string) fact[V] {
	f, _ := k.facts.Get(id)
	return f
}

// get returns the cached fact if it is enough, and looks it up otherwise. Failed lookups are
// cached too, except those that the caller cancelled.
func (k *known[V]) get(ctx context.Context, id string, enough func(fact[V]) bool) fact[V] {
	for {
		f := k.peek(id)
		if enough(f) {
			return f
		}
		mine := false
		answered := k.asking.DoChan(id, func() (any, error) {
			mine = true
			if f := k.peek(id); enough(f) {
				return f, nil // Another caller completed the lookup meanwhile.
			}
			return k.learn(ctx, id), nil
		})
		select {
		case a := <-answered:
			if mine {
				return a.Val.(fact[V])
			}
		case <-ctx.Done():
			f.err, f.failed = fmt.Errorf("slack: look up %s: %w", id, context.Cause(ctx)), time.Now()
			return f
		}
	}
}

func (k *known[V]) learn(ctx context.Context, id string) fact[V] {
	began := time.Now()
	value, err := k.ask(ctx, id)
	f := fact[V]{value: value, at: began}
	if err != nil {
		f = k.peek(id)
		f.err, f.failed = err, time.Now()
		if ctx.Err() != nil {
			return f
		}
	}
	k.facts.Add(id, f)
	return f
}

// maxJobs is the queue length. Lookups beyond it are made on demand.
const maxJobs = 256

// jobs is a queue of background lookups, which run sequentially while Listen runs.
type jobs struct {
	mu     sync.Mutex
	queue  []job
	queued map[string]bool
	more   chan struct{}
}

type job struct {
	id string
	do func(context.Context)
}

func newJobs() *jobs {
	return &jobs{queued: map[string]bool{}, more: make(chan struct{}, 1)}
}

// add queues a job unless it is already queued.
func (e *jobs) add(id string, do func(context.Context)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.queued[id] || len(e.queue) >= maxJobs {
		return
	}
	e.queued[id] = true
	e.queue = append(e.queue, job{id: id, do: do})
	select {
	case e.more <- struct{}{}:
	default:
	}
}

func (e *jobs) next() (job, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) == 0 {
		return job{}, false
	}
	first := e.queue[0]
	e.queue = e.queue[1:]
	delete(e.queued, first.id)
	return first, true
}

// run executes jobs until ctx ends.
func (e *jobs) run(ctx context.Context) {
	for ctx.Err() == nil {
		if job, ok := e.next(); ok {
			job.do(ctx)
			continue
		}
		select {
		case <-e.more:
		case <-ctx.Done():
		}
	}
}
