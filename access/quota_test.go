package access

import (
	"testing"
	"time"
)

func TestWaitsEarnAtMostOneMinuteOfCalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ waits, calls int }{
		"one wait earns one call":    {1, 11},
		"many waits earn a minute":   {1000, 20},
		"a short wait earns nothing": {0, 10},
	} {
		q := newQuota(&Agent{Calls: 10})
		for range 1000 {
			q.BeginWait()
		}
		for n := range 1000 {
			waited := time.Second
			if n < tt.waits {
				waited = freeWait
			}
			q.EndWait(waited)
		}
		calls := 0
		for q.spendCall() == nil && calls < 2000 {
			calls++
		}
		if calls != tt.calls {
			t.Errorf("%s: %d calls at once, want %d", name, calls, tt.calls)
		}
	}
}
