package access

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/ratelimit"
)

const (
	// openTrust is how long a count of open requests is reused. Replicas count separately meanwhile, so the limit is
	// approximate.
	openTrust = time.Minute
	// freeWait is how long a call must wait for people to earn another one.
	freeWait = 5 * time.Second
	// The Retry-After of a caller with too many open requests, streams or waits, and of one that depends on a platform.
	openPause     = 10 * time.Second
	streamPause   = 10 * time.Second
	waitPause     = 5 * time.Second
	platformPause = 5 * time.Second
)

// Quota limits what an agent may use, and counts what it has used. All tokens of an agent share the counts, and a reload
// keeps them. A nil Quota has no limits.
type Quota struct {
	*usage

	name, tenant                                      string
	perMinute, maxOpen, maxCalls, maxWaits, maxStream int
}

// usage is what an agent has used.
type usage struct {
	requests, calls *rate.Limiter // requests is nil if they are not limited

	mu sync.Mutex
	// earned is the number of free calls earned by waiting, at most as many as allowed per minute.
	waits, streams, earned int

	counting sync.Mutex
	open     int
	counted  time.Time
}

func newQuota(a *Agent) *Quota {
	q := &Quota{
		name: a.Name, tenant: a.Tenant, perMinute: a.Rate, maxOpen: a.MaxOpen,
		maxCalls: cmp.Or(a.Calls, DefaultCalls), maxWaits: cmp.Or(a.MaxWaits, DefaultMaxWaits), maxStream: cmp.Or(a.MaxStreams, DefaultMaxStreams),
	}
	q.usage = &usage{calls: perMinute(q.maxCalls)}
	if a.Rate > 0 {
		q.requests = perMinute(a.Rate)
	}
	return q
}

func perMinute(n int) *rate.Limiter { return rate.NewLimiter(rate.Limit(float64(n)/60), n) }

// inherit continues the counts of another quota if it is of the same agent and has the same rates.
func (q *Quota) inherit(old *Quota) {
	if old.name == q.name && old.tenant == q.tenant && old.perMinute == q.perMinute && old.maxCalls == q.maxCalls {
		q.usage = old.usage
	}
}

// spendCall counts a call.
func (q *Quota) spendCall() error {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	free := q.earned > 0
	if free {
		q.earned--
	}
	q.mu.Unlock()
	if free {
		return nil
	}
	if wait := ratelimit.Take(q.calls); wait > 0 {
		return refuse(Exhausted, "this token may make %d calls per minute", q.maxCalls).later(wait)
	}
	return nil
}

// spendRequest counts a new request.
func (q *Quota) spendRequest() error {
	if q == nil || q.requests == nil {
		return nil
	}
	if wait := ratelimit.Take(q.requests); wait > 0 {
		return refuse(Exhausted, "this token may hand in %d requests per minute", q.perMinute).later(wait)
	}
	return nil
}

// BeginWait reports whether another call of the agent may wait. If so, end it with [Quota.EndWait].
func (q *Quota) BeginWait() bool {
	if q == nil {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waits >= q.maxWaits {
		return false
	}
	q.waits++
	return true
}

// EndWait ends a wait of [Quota.BeginWait]. If it lasted five seconds or longer, the agent earns a free call.
func (q *Quota) EndWait(d time.Duration) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waits--
	if d >= freeWait && q.earned < q.maxCalls {
		q.earned++
	}
}

// Stream begins an event stream. It returns a function that ends it, or a [*RefusedError] if the agent has too many.
func (q *Quota) Stream() (end func(), err error) {
	if q == nil {
		return func() {}, nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.streams >= q.maxStream {
		return nil, refuse(Exhausted, "this token may hold %d event streams", q.maxStream).later(streamPause)
	}
	q.streams++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.streams--
	}, nil
}

// reserve counts a new request of a caller against [Agent.MaxOpen]. It returns a function that takes the count back, for
// a request that was not created. A repeated request is always admitted.
func (q *Quota) reserve(ctx context.Context, c *Caller, r *ask.Request) (release func(), err error) {
	if q == nil || q.maxOpen == 0 {
		return func() {}, nil
	}
	q.counting.Lock()
	defer q.counting.Unlock()
	if q.open >= q.maxOpen || time.Since(q.counted) > openTrust {
		open, err := q.countOpen(ctx, c.gate.bridge)
		if err != nil {
			return nil, err
		}
		q.open, q.counted = open, time.Now()
		if open >= q.maxOpen {
			if known, err := repeated(ctx, c, r); err != nil {
				return nil, err
			} else if !known {
				return nil, refuse(Exhausted,
					"%d requests of this token are open, which is all it may have; wait for answers or cancel some", open).later(openPause)
			}
		}
	}
	q.open++
	return func() {
		q.counting.Lock()
		defer q.counting.Unlock()
		q.open--
	}, nil
}

// repeated reports whether a request exists already, in whatever state.
func repeated(ctx context.Context, c *Caller, r *ask.Request) (bool, error) {
	id := c.gate.bridge.IDOf(r)
	if id == "" {
		return false, nil
	}
	if _, err := c.Load(ctx, id); !errors.Is(err, bridge.ErrNotFound) {
		return true, err
	}
	return false, nil
}

// countOpen returns the number of the agent's open requests, or of its whole tenant if that is below the limit.
func (q *Quota) countOpen(ctx context.Context, b *bridge.Bridge) (open int, err error) {
	if all, err := b.Open(ctx, q.tenant); err != nil || all < q.maxOpen {
		return all, err
	}
	for r, err := range b.All(ctx, bridge.Query{Tenant: q.tenant}) {
		if err != nil {
			return 0, err
		}
		if r.Agent == q.name {
			open++
		}
	}
	return open, nil
}
