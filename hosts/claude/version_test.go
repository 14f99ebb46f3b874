package claude_test

import (
	"testing"

	"github.com/askbridge/askbridge/hosts/claude"
)

func TestFailClosedDependsOnVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]struct{ can, known bool }{
		"2.1.294": {false, true},
		"2.1.295": {true, true},
		"2.2.0":   {true, true},
		"3.0.0":   {true, true},
		"1.9.999": {false, true},
		"2.1":     {false, false},
		"2.1.x":   {false, false},
		"":        {false, false},
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			if can, known := claude.CanFailClosed(version); can != want.can || known != want.known {
				t.Errorf("got %v, %v", can, known)
			}
		})
	}
}
