package state

import (
	"sync/atomic"
	"time"
)

// Clock estimates the store's time, so that a wrong local clock does no harm.
type Clock struct {
	ahead atomic.Int64
	heard atomic.Bool
}

// Set sets the store's time.
func (c *Clock) Set(now time.Time) {
	c.ahead.Store(int64(time.Until(now)))
	c.heard.Store(true)
}

// Now returns the store's time.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Soon is the time until which a delayed call is made at once.
func (c *Clock) Soon() time.Time { return c.Now().Add(ShortWait) }

// Here converts the store's time to local time.
func (c *Clock) Here(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-time.Duration(c.ahead.Load()))
}

// clockError is the assumed error of the estimate.
const clockError = time.Second

// Before reports whether the store's time is certainly before t.
func (c *Clock) Before(t time.Time) bool {
	return c.heard.Load() && c.Now().Add(clockError).Before(t)
}
