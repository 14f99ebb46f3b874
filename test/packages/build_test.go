//go:build packages

package packages

import (
	"os"
	"path/filepath"
	"testing"
)

// maxProgram is the limit for the size of the stripped program, as in the archives: 33 MiB.
const maxProgram = 33 << 20

// TestReproducibleBuild builds two clones in folders of their own, as the release does.
func TestReproducibleBuild(t *testing.T) {
	t.Parallel()
	var digests []string
	for range 2 {
		dir := clone(t)
		program := filepath.Join(dir, "askbridge")
		run(t, dir, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/askbridge")
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > maxProgram {
			t.Errorf("the program has %d bytes, more than %d", info.Size(), maxProgram)
		}
		digests = append(digests, digest(t, program))
	}
	if digests[0] != digests[1] {
		t.Errorf("one commit gives %s, and then %s", digests[0], digests[1])
	}
}
