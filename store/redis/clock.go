package redis

import (
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/store/internal/codec"
)

const (
	// imprecision is how far the time we reckon with may be from the server's
	// before a swap is refused. It is only there to catch a clock that jumped.
	imprecision = codec.Micros(time.Second / time.Microsecond)
	// lately is how long what a server told of its time is good enough to begin a
	// record with. Sweeps ask every few seconds.
	lately = time.Minute
	// near is when a moment is too close to be left to our reckoning, which
	// would have to be wrong by more than that: this machine frozen for hours
	// together with all its clocks, with nothing to show for it.
	near = codec.Micros(2 * time.Hour / time.Microsecond)
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
	server codec.Micros
	here   time.Time
}

func (c *serverClock) learn(server codec.Micros) {
	c.last.Store(&heard{server: server, here: c.here()})
}

// now returns the server's time; zero before it has told us once.
func (c *serverClock) now() codec.Micros {
	last := c.last.Load()
	if last == nil {
		return 0
	}
	return last.server + codec.Micros(c.here().Sub(last.here).Microseconds())
}

// certain is now, or zero when the server should be asked again: it has not
// told for long, or this machine slept meanwhile, which stops the monotonic
// clock and not the other one.
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
