package double

import (
	"sync/atomic"
	"time"
)

// Clock is the time of a double: the machine's time plus an offset. The zero value is ready to
// use.
type Clock struct{ ahead atomic.Int64 }

// Now returns the double's time.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Since returns the time elapsed since t on the double's clock.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// Reset sets the clock back to the machine's time.
func (c *Clock) Reset() { c.ahead.Store(0) }
