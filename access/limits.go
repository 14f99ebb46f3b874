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
)

const (
	// quotaTrust is how long a count of open requests is believed. Replicas
	// count for themselves in between, so the quota is a brake, not a lock.
	quotaTrust = time.Minute
	// quotaPause is what an agent at its quota is asked to wait.
	quotaPause = 10 * time.Second
	// streamPause is what an agent with all its streams is asked to wait.
	streamPause = 10 * time.Second
	// freeWait is how long a call has to wait for people to cost nothing.
	freeWait = 5 * time.Second
	// waitPause is what an agent with all its waits is asked to wait.
	waitPause = 5 * time.Second
	// platformPause is what an agent is asked to wait for a platform.
	platformPause = 5 * time.Second
)

// limits are what a caller has used of its token.
type limits struct {
	// asks is nil where any number is allowed.
	asks, calls *rate.Limiter

	mu sync.Mutex
	// free is the number of calls that cost nothing, since others have waited; at most as many as per minute.
	waits, streams, free int

	quota struct {
		sync.Mutex

		open    int
		counted time.Time
	}
}

func newLimits(a *Agent) *limits {
	l := &limits{calls: perMinute(cmp.Or(a.Calls, DefaultCalls))}
	if a.Rate > 0 {
		l.asks = perMinute(a.Rate)
	}
	return l
}

func perMinute(n int) *rate.Limiter { return rate.NewLimiter(rate.Limit(float64(n)/60), n) }

// spend takes one call from those that the caller may make per minute.
func (c *Caller) spend() error {
	c.mu.Lock()
	free := c.free > 0
	if free {
		c.free--
	}
	c.mu.Unlock()
	if free {
		return nil
	}
	if wait := delay(c.calls); wait > 0 {
		return refuse(Exhausted, "this token may make %d calls per minute", cmp.Or(c.Calls, DefaultCalls)).later(wait)
	}
	return nil
}

// spendAsk takes one request from those that the caller may hand in per minute.
func (c *Caller) spendAsk() error {
	if c.limits == nil || c.asks == nil {
		return nil
	}
	if wait := delay(c.asks); wait > 0 {
		return refuse(Exhausted, "this token may hand in %d requests per minute", c.Rate).later(wait)
	}
	return nil
}

// BeginWait takes one of the waits that the caller may have at a time, and
// reports whether there was one. Whoever got it gives it back with
// [Caller.EndWait].
func (c *Caller) BeginWait() bool {
	if c.limits == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits >= cmp.Or(c.MaxWaits, DefaultMaxWaits) {
		return false
	}
	c.waits++
	return true
}

// EndWait gives back what [Caller.BeginWait] took. A wait of five seconds or longer earns a call that does not count, up to as
// many calls as the token may make per minute.
func (c *Caller) EndWait(d time.Duration) {
	if c.limits == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits--
	if d >= freeWait && c.free < cmp.Or(c.Calls, DefaultCalls) {
		c.free++
	}
}

// Stream takes one of the event streams that the caller may hold at a time. It
// returns how to give it back, or a [*RefusedError].
func (c *Caller) Stream() (end func(), err error) {
	if c.limits == nil {
		return func() {}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	most := cmp.Or(c.MaxStreams, DefaultMaxStreams)
	if c.streams >= most {
		return nil, refuse(Exhausted, "this token may hold %d event streams", most).later(streamPause)
	}
	c.streams++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.streams--
	}, nil
}

// reserve counts a new request against the agent's quota. The caller gives it
// back when nothing new came of it. A call that comes back for a request which
// it has made before is let through.
func (c *Caller) reserve(ctx context.Context, r *ask.Request) (giveBack func(), err error) {
	if c.MaxOpen == 0 {
		return func() {}, nil
	}
	c.quota.Lock()
	defer c.quota.Unlock()
	if c.quota.open >= c.MaxOpen || time.Since(c.quota.counted) > quotaTrust {
		open, err := c.count(ctx)
		if err != nil {
			return nil, err
		}
		c.quota.open, c.quota.counted = open, time.Now()
		if open >= c.MaxOpen {
			if known, err := c.handedIn(ctx, r); err != nil {
				return nil, err
			} else if !known {
				return nil, refuse(Exhausted,
					"%d requests of this token are open, which is all it may have; wait for answers or cancel some", open).later(quotaPause)
			}
		}
	}
	c.quota.open++
	return func() {
		c.quota.Lock()
		defer c.quota.Unlock()
		c.quota.open--
	}, nil
}

// handedIn reports whether the same request was handed in before, whatever has become of it.
func (c *Caller) handedIn(ctx context.Context, r *ask.Request) (bool, error) {
	id := c.gate.bridge.IDOf(r)
	if id == "" {
		return false, nil
	}
	if _, err := c.Load(ctx, id); !errors.Is(err, bridge.ErrNotFound) {
		return true, err
	}
	return false, nil
}

// count returns how many requests of the agent are open, or of its whole tenant
// when those are few enough.
func (c *Caller) count(ctx context.Context) (open int, err error) {
	if all, err := c.gate.bridge.Open(ctx, c.Tenant); err != nil || all < c.MaxOpen {
		return all, err
	}
	for r, err := range c.gate.bridge.All(ctx, bridge.Query{Tenant: c.Tenant}) {
		if err != nil {
			return 0, err
		}
		if r.Agent == c.Name {
			open++
		}
	}
	return open, nil
}
