package double

import (
	"sync/atomic"
	"time"
)

// Clock is what time it is in a double. It goes with the machine's, or ahead of it. The zero value is ready.
type Clock struct{ ahead atomic.Int64 }

// Now is the time of the double.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Since is how long ago a time of the double was.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Advance puts the clock forward.
func (c *Clock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// Reset puts the clock back to the machine's.
func (c *Clock) Reset() { c.ahead.Store(0) }
