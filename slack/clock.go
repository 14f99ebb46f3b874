package slack

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// clock puts interactions in the order in which people acted, in microseconds of
// Slack's time.
//
// A press carries Slack's own time of it, action_ts. A submitted form carries no
// time at all. Its order is that of the latest press, and as much more as has passed
// here since that one arrived: what this machine's clock shows, which may be wrong,
// has no part in it. Over HTTP it is held inside the second that Slack stamped on the
// request and signed, so that nobody who sends the request again can shift it out of
// there. A form comes after the press that opened it, whoever took that one, and after
// what arrived before it.
type clock struct {
	mu sync.Mutex
	// pressed is the order of the latest press, at is when it arrived.
	pressed int64
	at      time.Time
	latest  int64 // of all orders that were given out
}

// acted is the order of a press.
func (c *clock) acted(actionTS string, when arrival) int64 {
	order, ok := microseconds(actionTS)
	if !ok {
		return c.submitted("", when)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if order > c.pressed {
		c.pressed, c.at = order, when.at
	}
	c.latest = max(c.latest, order)
	return order
}

// submitted is the order of a form. Opened is the action_ts of the press that opened
// it, empty in forms of versions that did not keep it: where no press has arrived
// either, nothing but this machine's clock is left.
func (c *clock) submitted(opened string, when arrival) int64 {
	opening, known := microseconds(opened)
	c.mu.Lock()
	defer c.mu.Unlock()
	order := max(c.now(when.at), c.latest+1)
	if !known && c.pressed == 0 {
		order = max(order, when.at.UnixMicro())
	}
	if when.sent > 0 {
		second := when.sent * time.Second.Microseconds()
		order = min(max(order, second), second+time.Second.Microseconds()-1)
	}
	order = max(order, opening+1)
	c.latest = max(c.latest, order)
	return order
}

// now is Slack's time, or a little less, since a press takes a moment to arrive; zero
// until one has.
func (c *clock) now(at time.Time) int64 {
	if c.pressed == 0 {
		return 0
	}
	return c.pressed + at.Sub(c.at).Microseconds()
}

// microseconds reads one of Slack's timestamps, such as "1712.000100".
func microseconds(ts string) (int64, bool) {
	whole, fraction, _ := strings.Cut(ts, ".")
	if whole == "" || len(whole) > 12 || len(fraction) > 6 || !digits(whole) || !digits(fraction) {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+(fraction + "000000")[:6], 10, 64)
	return n, err == nil
}

// Written returns when a message was written. It implements [bridge.Dater].
func (*Connector) Written(message string) time.Time {
	if n, ok := microseconds(message); ok {
		return time.UnixMicro(n)
	}
	return time.Time{}
}

func digits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
