package api

import (
	"context"
	"net/http"
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
)

// caller is an agent with what it has used of its limits.
type caller struct {
	Agent
	rate *rate.Limiter

	mu      sync.Mutex
	open    int
	counted time.Time
}

func newCaller(a Agent) *caller {
	c := &caller{Agent: a}
	if a.Rate > 0 {
		c.rate = rate.NewLimiter(rate.Limit(float64(a.Rate)/60), a.Rate)
	}
	return c
}

// spend takes one request from the agent's rate.
func (c *caller) spend() *Problem {
	if c.rate == nil {
		return nil
	}
	r := c.rate.Reserve()
	wait := r.Delay()
	if wait == 0 {
		return nil
	}
	r.Cancel()
	return problem(http.StatusTooManyRequests, "this token may hand in %d requests per minute", c.Rate).later(wait)
}

// reserve counts a new request against the agent's quota. The caller gives it
// back when nothing new came of it. A call that comes back for a request which
// is open already is let through.
func (c *caller) reserve(ctx context.Context, b *bridge.Bridge, r *ask.Request) (giveBack func(), err error) {
	if c.MaxOpen == 0 {
		return func() {}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open >= c.MaxOpen || time.Since(c.counted) > quotaTrust {
		open, again, err := c.count(ctx, b, r)
		if err != nil {
			return nil, err
		}
		c.open, c.counted = open, time.Now()
		if open >= c.MaxOpen && !again {
			return nil, problem(http.StatusTooManyRequests,
				"%d requests of this token are open, which is all it may have; wait for answers or cancel some", open).later(quotaPause)
		}
	}
	c.open++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open--
	}, nil
}

// count returns how many requests of the agent are open, and whether r is one
// of them.
func (c *caller) count(ctx context.Context, b *bridge.Bridge, r *ask.Request) (open int, again bool, err error) {
	q, id := bridge.Query{Tenant: c.Tenant, Limit: 100}, b.IDOf(r)
	for {
		page, err := b.List(ctx, q)
		if err != nil {
			return 0, false, err
		}
		for _, old := range page {
			if old.Agent == c.Name {
				open++
				again = again || old.ID == id
			}
		}
		if len(page) < q.Limit {
			return open, again, nil
		}
		q.After = &page[len(page)-1]
	}
}
