package ask

import (
	"encoding/json"
	"fmt"
	"time"
)

// The shortest and the longest hold, see [Request.Hold].
const (
	MinHold = time.Second
	MaxHold = 10 * time.Minute
)

// ParseHold parses a duration such as "10s". Zero, as in "0s", means no hold. Any other value
// outside [MinHold] to [MaxHold] is an error that matches [ErrHold].
func ParseHold(text string) (time.Duration, error) {
	span, err := time.ParseDuration(text)
	if err != nil || !holdable(span) {
		return 0, fmt.Errorf("%w: %q is no time from %s to %s, such as \"10s\"", ErrHold, shorten(text), MinHold, MaxHold)
	}
	return span.Truncate(time.Millisecond), nil
}

// CheckHold validates a hold; problems are reported at path.
func CheckHold(path string, hold time.Duration) []Problem {
	var c checker
	if !holdable(hold) {
		c.add(path, ErrHold, "must be between %s and %s, or 0 for none", MinHold, MaxHold)
	}
	return c.problems
}

func holdable(span time.Duration) bool { return span == 0 || span >= MinHold && span <= MaxHold }

func (d *decoder) hold(path string, data json.RawMessage) time.Duration {
	text := d.text(path, data)
	if text == "" {
		return 0
	}
	span, err := ParseHold(text)
	if err != nil {
		d.add(path, ErrHold, "%q is no time from %s to %s, such as \"10s\"", shorten(text), MinHold, MaxHold)
	}
	return span
}
