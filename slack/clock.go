package slack

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// clock puts interactions in the order in which people acted, in microseconds.
//
// A press carries Slack's own time of it, action_ts. A submitted form carries
// no time at all. Its order is the time of arrival, held inside the second that
// Slack stamped on the HTTP request and signed: neither a wrong clock of ours nor
// somebody who sends the request again can shift it out of there. Over a socket
// there is no stamp, and nobody else to send anything. A form comes after what
// arrived before it, since whoever submits one has pressed the button that opened
// it; but never later than its second.
type clock struct{ latest atomic.Int64 }

// acted is the order of a press.
func (c *clock) acted(actionTS string, when arrival) int64 {
	order, ok := microseconds(actionTS)
	if !ok {
		return c.submitted(when)
	}
	for {
		latest := c.latest.Load()
		if order <= latest || c.latest.CompareAndSwap(latest, order) {
			return order
		}
	}
}

// submitted is the order of a form.
func (c *clock) submitted(when arrival) int64 {
	order, last := when.at.UnixMicro(), int64(math.MaxInt64)
	if when.sent > 0 {
		second := when.sent * time.Second.Microseconds()
		last = second + time.Second.Microseconds() - 1
		order = min(max(order, second), last)
	}
	for {
		latest := c.latest.Load()
		next := min(max(order, latest+1), last)
		if next <= latest || c.latest.CompareAndSwap(latest, next) {
			return next
		}
	}
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

func digits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
