package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Figure is one measured value.
type Figure struct {
	// Name describes the measurement; Key is its short name.
	Name, Key string
	Value     float64
	Unit      string
	// Limit is the largest acceptable value, if Asked is set.
	Limit float64
	Asked bool
	// Detail explains the value and how far apart the rounds were.
	Detail string
	// Place is its position in a chart, if any.
	Place Place
}

// atMost is a figure with a limit.
func atMost(key, name string, value float64, unit string, limit float64, detail string, args ...any) Figure {
	return Figure{Key: key, Name: name, Value: value, Unit: unit, Limit: limit, Asked: true, Detail: fmt.Sprintf(detail, args...)}
}

// Met reports whether the figure is within its limit.
func (f Figure) Met() bool { return !f.Asked || f.Value <= f.Limit }

// Row formats the figure as a row of a Markdown table.
func (f Figure) Row() string {
	limit, verdict := "", ""
	if f.Asked {
		limit, verdict = "≤ "+number(f.Limit), "met"
		if !f.Met() {
			verdict = "**missed**"
		}
	}
	return fmt.Sprintf("| %s | %s %s | %s | %s | %s |", f.Name, number(f.Value), f.Unit, limit, verdict, f.Detail)
}

// number formats a value with three significant digits.
func number(v float64) string {
	switch {
	case v == float64(int64(v)):
		return fmt.Sprint(int64(v))
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10 || v <= -10:
		return fmt.Sprintf("%.1f", v)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00")
}

// times are samples of one duration.
type times []time.Duration

// at returns the given quantile: 0.5 is the median.
func (t times) at(share float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// median returns the median, and the range of the values as a share of it.
func median(values []float64) (middle, spread float64) {
	if len(values) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle = sorted[len(sorted)/2]
	if middle != 0 {
		spread = (sorted[len(sorted)-1] - sorted[0]) / middle
	}
	return middle, spread
}
