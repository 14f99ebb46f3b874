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

// clock orders interactions by the time people acted, in microseconds of Slack's time.
//
// A press carries Slack's own timestamp, action_ts. A submitted form carries none, so its order
// is that of the latest press plus the time elapsed here since that press arrived; the absolute
// time of this machine's clock, which may be wrong, does not matter. Over HTTP the order is
// clamped to the second of Slack's signed request timestamp, so that replaying the request
// cannot move it. A form sorts after the press that opened it, even if another replica received
// that press, and after everything that arrived before it.
type clock struct {
	mu sync.Mutex
	// pressed is the order of the latest press, and at its arrival time.
	pressed int64
	at      time.Time
	latest  int64 // the highest order returned so far
}

// acted returns the order of a press.
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

// submitted returns the order of a form. opened is the action_ts of the press that opened it;
// forms by earlier versions lack it. Without it and without any press, only this machine's
// clock is left.
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

// now returns Slack's time, or slightly less because a press takes a moment to arrive; zero
// before the first press.
func (c *clock) now(at time.Time) int64 {
	if c.pressed == 0 {
		return 0
	}
	return c.pressed + at.Sub(c.at).Microseconds()
}

// microseconds parses a Slack timestamp such as "1712.000100".
func microseconds(ts string) (int64, bool) {
	whole, fraction, _ := strings.Cut(ts, ".")
	if whole == "" || len(whole) > 12 || len(fraction) > 6 || !digits(whole) || !digits(fraction) {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+(fraction + "000000")[:6], 10, 64)
	return n, err == nil
}

func digits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
