package bench

import (
	"path/filepath"
	"strings"
	"testing"
)

// The program panicked and hid the reason.
func TestFailedStartIsReported(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	w, err := (&Suite{programs: &programs{}}).world(t.Context(), setting{program: missing, kind: "slack"})
	if w != nil || err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a world %v with the error %v", w, err)
	}
}
