package redis

import (
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/store/internal/codec"
)

const (
	// imprecision is the maximum error of the estimated time in a swap. It catches clocks that jumped.
	imprecision = codec.Micros(time.Second / time.Microsecond)
	// lately is the maximum age of an estimate that is used without a check. Sweeps ask the server
	// every few seconds.
	lately = time.Minute
	// near is the distance below which the server checks a time. A larger error of the estimate
	// would need this machine to be frozen for hours together with all its clocks.
	near = codec.Micros(2 * time.Hour / time.Microsecond)
)

// serverClock estimates the server's time from its last reply and the local monotonic clock, so a step
// of the wall clock does not matter. It is late by the latency of that reply.
type serverClock struct {
	last atomic.Pointer[reading]
	// here is the local clock. Tests replace it.
	here func() time.Time
}

// reading is a time of the server's clock, and when it was received.
type reading struct {
	server codec.Micros
	here   time.Time
}

func (c *serverClock) learn(server codec.Micros) {
	c.last.Store(&reading{server: server, here: c.here()})
}

// now returns the estimate; zero before the server's first reply.
func (c *serverClock) now() codec.Micros {
	last := c.last.Load()
	if last == nil {
		return 0
	}
	return last.server + codec.Micros(c.here().Sub(last.here).Microseconds())
}

// certain returns the estimate, or zero if the server should be asked again: its last reply is too old,
// or this machine was suspended, which stops only the monotonic clock.
func (c *serverClock) certain() codec.Micros {
	last := c.last.Load()
	if last == nil {
		return 0
	}
	here := c.here()
	passed, onTheWall := here.Sub(last.here), here.Round(0).Sub(last.here.Round(0))
	if passed > lately || (onTheWall-passed).Abs() > time.Second {
		return 0
	}
	return last.server + codec.Micros(passed.Microseconds())
}
