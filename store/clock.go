package store

import (
	"sync/atomic"
	"time"
)

// serverClock reckons the time of a server from the last time it told us and
// our own monotonic clock, so that a step of our wall clock does not matter. It
// runs behind by what the last reply took to arrive.
type serverClock struct {
	last atomic.Pointer[heard]
	// here is our own clock. Tests hold it.
	here func() time.Time
}

// heard is what the server's clock showed, and when we learned it.
type heard struct {
	server micros
	here   time.Time
}

func (c *serverClock) learn(server micros) {
	c.last.Store(&heard{server: server, here: c.here()})
}

// now returns the server's time; zero before it has told us once.
func (c *serverClock) now() micros {
	last := c.last.Load()
	if last == nil {
		return 0
	}
	return last.server + micros(c.here().Sub(last.here).Microseconds())
}
