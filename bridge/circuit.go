package bridge

import (
	"errors"
	"sync"
	"time"
)

// circuitRest is how long a platform is left alone after it refused our
// credentials: at most four calls a minute, far from what gets an address
// blocked (10,000 invalid requests in 10 minutes on Discord,
// https://docs.discord.com/developers/topics/rate-limits).
const circuitRest = 15 * time.Second

// circuit stops calls to a platform that refuses our credentials, but for one
// trial in each rest period.
type circuit struct {
	// opened is told when the circuit breaks.
	opened chan struct{}

	mu    sync.Mutex
	broke *PlatformError
	until time.Time
}

func newCircuit() *circuit { return &circuit{opened: make(chan struct{}, 1)} }

// allow returns nil, or the error that broke the circuit while it rests.
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
	var pe *PlatformError
	switch {
	case err == nil:
		c.broke = nil
	case errors.As(err, &pe) && pe.Kind == Misconfigured:
		if c.broke == nil {
			select {
			case c.opened <- struct{}{}:
			default:
			}
		}
		c.broke, c.until = pe, now.Add(circuitRest)
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
