//go:build mutants

package mutants

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/test/faults"
)

// suite is a package of tests that run the built program. They are compiled once, and only the program is mutated.
type suite struct {
	once sync.Once
	path string
	err  error
}

var suites = map[string]*suite{"test/faults": {}, "test/chaos": {}}

// compiled is the suite of a directory as a program.
func (s *suite) compiled(t *testing.T, dir, where string) string {
	t.Helper()
	s.once.Do(func() {
		s.path = filepath.Join(dir, filepath.Base(where)+".test")
		cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "faults", "-o", s.path, "./"+where)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			s.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if s.err != nil {
		t.Fatalf("build the suite %s: %v", where, s.err)
	}
	return s.path
}

// Mutants are built once and run briefly, so optimization and debug information are a waste of time.
const (
	unoptimized = "-gcflags=github.com/askbridge/askbridge/...=-N -l -dwarf=false"
	stripped    = "-ldflags=-s -w"
)

// event is a line of go test -json.
type event struct{ Action, Test, Output string }

// runs runs a test under an overlay with a build cache, and returns its output and whether it failed.
func (k killer) runs(t *testing.T, dir, cache, overlay string) (output string, failed bool) {
	t.Helper()
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(k.test), "/", "$/^") + "$"
	args := []string{"test", "-json", "-vet=off", "-count=1", "-timeout=2m", unoptimized, stripped, "-overlay", overlay, "-run", pattern, "./" + k.where}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	var flags []string
	if s := suites[k.where]; s != nil {
		cmd = exec.CommandContext(t.Context(), "go", "tool", "test2json", "-t", s.compiled(t, dir, k.where), "-test.v=test2json", "-test.timeout=3m", "-test.run", pattern)
		cmd.Dir = filepath.Join(root, k.where)
		flags = []string{`GOFLAGS=-overlay=` + overlay + ` "` + unoptimized + `"`}
	}
	cmd.Env = slices.Concat(os.Environ(), []string{"GOCACHE=" + cache}, flags)
	out, err := cmd.Output()
	if exit := (&exec.ExitError{}); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var all strings.Builder
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		all.WriteString(e.Output)
		failed = failed || e.Action == "fail" && e.Test == strings.ReplaceAll(k.test, " ", "_")
	}
	return all.String(), failed
}

// complaint matches the first line of a test failure.
var complaint = regexp.MustCompile(`\n +\w+\.go:\d+: .*`)

// part selects one of several parts of the list.
var part = flag.String("part", "1/1", "run the `n/m`th part of the mutants")

// parted returns the mutants of the part.
func parted(t *testing.T) []mutant {
	t.Helper()
	var n, of int
	if _, err := fmt.Sscanf(*part, "%d/%d", &n, &of); err != nil || n < 1 || n > of {
		t.Fatalf("-part %s is none of a whole, such as 2/3", *part)
	}
	var these []mutant
	for i, m := range mutants() {
		if i%of == n-1 {
			these = append(these, m)
		}
	}
	return these
}

func TestMutants(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	these := parted(t)
	t.Logf("part %s: %d of %d mutants", *part, len(these), len(mutants()))
	t.Run("kill", func(t *testing.T) {
		for _, m := range these {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				files, err := m.sources()
				if err != nil {
					t.Fatal(err)
				}
				overlay, cache := faults.Overlay(t, t.TempDir(), files), cache(t)
				for _, k := range m.killers {
					output, failed := k.runs(t, dir, cache, overlay)
					switch {
					case !failed:
						t.Errorf("%s does not notice:\n%s", k.test, output)
					case !strings.Contains(output, k.output):
						t.Errorf("%s fails, and not with %q:\n%s", k.test, k.output, output)
					default:
						t.Logf("killed by %s:%s", k.test, complaint.FindString(output))
					}
				}
			})
		}
	})
}
