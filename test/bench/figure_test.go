package bench

import (
	"strings"
	"testing"
	"time"
)

func TestFigureRow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		figure Figure
		met    bool
		row    string
	}{
		{"below the most", atMost("k", "size", 18, "MiB", 20, ""), true, "| size | 18 MiB | ≤ 20 | met |  |"},
		{"above the most", atMost("k", "ask", 1.414, "× floor", 1.4, "%d rounds", 3), false, "| ask | 1.41 × floor | ≤ 1.40 | **missed** | 3 rounds |"},
		{"nothing asked", Figure{Name: "load", Value: 123.4}, true, "| load | 123  |  |  |  |"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.figure.Met() != tt.met {
				t.Errorf("met = %v", !tt.met)
			}
			if row := tt.figure.Row(); !strings.Contains(row, tt.row) {
				t.Errorf("row is %s", row)
			}
		})
	}
}

func TestTimesAndMedians(t *testing.T) {
	t.Parallel()
	some := times{5, 1, 4, 2, 3}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := some.at(share); got != want {
			t.Errorf("at %v: %v, want %v", share, got, want)
		}
	}
	if got := (times{}).at(0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if middle, spread := median([]float64{4, 1, 2}); middle != 2 || spread != 1.5 {
		t.Errorf("median %v, spread %v", middle, spread)
	}
}
