package ask_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestTraceParent(t *testing.T) {
	t.Parallel()
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for name, tt := range map[string]struct{ sent, want string }{
		"as it is written":                     {good, good},
		"not sampled":                          {good[:53] + "00", good[:53] + "00"},
		"of a later version, with more behind": {"01" + good[2:] + "-what-ever", good},
		"of a later version, as long":          {"cc" + good[2:], good},
		"of a later version, that runs on":     {"01" + good[2:] + "0", ""},
		"of this version, with more behind":    {good + "-00", ""},
		"of the version that is none":          {"ff" + good[2:], ""},
		"in capitals":                          {strings.ToUpper(good), ""},
		"of no trace":                          {"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", ""},
		"of no span":                           {good[:36] + strings.Repeat("0", 16) + "-01", ""},
		"cut off":                              {good[:54], ""},
		"with its dashes elsewhere":            {"00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01", ""},
		"with what is no digit":                {"00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", ""},
		"with a line break":                    {good[:54] + "\n", ""},
		"absent":                               {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ask.TraceParent(tt.sent); got != tt.want {
				t.Errorf("parsing %q = %q, want %q", tt.sent, got, tt.want)
			}
		})
	}
}
