package arch

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines is how many lines of Go the project may have outside its tests, which include the folder test, and the doubles
// of the platforms. A change that needs more raises it by what it needs and gives the reason in its commit.
const maxLines = 107_000

func TestProjectSize(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, name := range tracked(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || within(name, "chatsim") || within(name, "test") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(data, []byte("\n"))
	}
	t.Logf("%d lines", lines)
	if lines > maxLines {
		t.Errorf("%d lines of Go outside tests and chatsim, limit %d", lines, maxLines)
	}
}
