package state

import (
	"sync/atomic"
	"time"
)

// clock reads the store's time from this process, so that a wrong clock here
// does no harm.
type Clock struct {
	ahead atomic.Int64
	heard atomic.Bool
}

func (c *Clock) Set(now time.Time) {
	c.ahead.Store(int64(time.Until(now)))
	c.heard.Store(true)
}

func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// soon is until when what is put off is done at once.
func (c *Clock) Soon() time.Time { return c.Now().Add(ShortWait) }

// here returns the local time at which the store's clock will show t.
func (c *Clock) Here(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-time.Duration(c.ahead.Load()))
}

// clockError is how far the store's time may be from what this process reckons.
const clockError = time.Second

// before reports whether the store's time is certainly before t.
func (c *Clock) Before(t time.Time) bool {
	return c.heard.Load() && c.Now().Add(clockError).Before(t)
}
