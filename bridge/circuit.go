package bridge

import (
	"errors"
	"sync"
	"time"

	"github.com/askbridge/askbridge/platform"
)

// circuitRest is how long a platform is left alone after it refused our
// credentials: at most four calls a minute, far from what gets an address
// blocked (10,000 invalid requests in 10 minutes on Discord,
// https://docs.discord.com/developers/topics/rate-limits).
const circuitRest = 15 * time.Second

// circuit stops calls to a platform that refuses our credentials, but for one
// trial in each rest period.
type circuit struct {
	// doubted is told when the circuit breaks, and when the credentials may be no
	// good.
	doubted chan struct{}

	mu    sync.Mutex
	broke *platform.Error
	until time.Time
	// suspected tells that a place refused us in a way that may be about our
	// credentials. They are not asked about before trusted.
	suspected bool
	trusted   time.Time
}

func newCircuit() *circuit { return &circuit{doubted: make(chan struct{}, 1)} }

// blocked returns nil, or the error that broke the circuit while it rests.
func (c *circuit) blocked(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broke != nil && now.Before(c.until) {
		return c.broke
	}
	return nil
}

// allow is blocked for a call that is made at once: after a rest, one passes.
func (c *circuit) allow(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broke == nil {
		return nil
	}
	if now.Before(c.until) {
		return c.broke
	}
	c.until = now.Add(circuitRest)
	return nil
}

// note takes the result of a call into account.
func (c *circuit) note(now time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	whole := c.broke == nil
	if c.turn(now, err); whole && c.broke != nil {
		c.doubt()
	}
}

// turn opens or closes the circuit where the error says so.
func (c *circuit) turn(now time.Time, err error) {
	var pe *platform.Error
	switch {
	case err == nil:
		c.broke = nil
	case errors.As(err, &pe) && pe.Kind == platform.Misconfigured:
		c.broke, c.until = pe, now.Add(circuitRest)
	}
}

// suspect has the platform asked whether the credentials are good.
func (c *circuit) suspect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.suspected {
		c.suspected = true
		c.doubt()
	}
}

func (c *circuit) doubt() {
	select {
	case c.doubted <- struct{}{}:
	default:
	}
}

// suspicious reports whether the platform should be asked about the credentials.
// It is not while its last good word is fresh, since a place can cause a suspicion
// as often as somebody likes.
func (c *circuit) suspicious(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.suspected && !now.Before(c.trusted)
}

// checked takes the platform's own word about the credentials into account.
func (c *circuit) checked(now time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn(now, err); err == nil {
		c.suspected, c.trusted = false, now.Add(circuitRest)
	}
}

// state returns the error that broke the circuit, if it is broken.
func (c *circuit) state() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broke == nil {
		return nil
	}
	return c.broke
}
