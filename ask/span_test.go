package ask

import (
	"testing"
	"time"
)

func TestParseSpan(t *testing.T) {
	t.Parallel()
	const most = 106_751 * 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "0": 0, "-5s": -5 * time.Second, "2d": 48 * time.Hour, "3650d": 87_600 * time.Hour, "-2d": -48 * time.Hour, "999999d": most, "-999999d": -most,
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", text, got, err, want)
		}
	}
	for _, wrong := range []string{"", "d", "1x", "1.5d", "2", "never", "99999999999999999999d"} {
		if got, err := ParseSpan(wrong); err == nil {
			t.Errorf("%q is %s", wrong, got)
		}
	}
}
