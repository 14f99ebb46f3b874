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
	"github.com/askbridge/askbridge/test/golden"
)

// suite is a package of tests that run the program as it is built for them. They are compiled
// once, and only the program is mutated.
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

// Mutants are built once and run for a moment, so time spent on their speed and on what
// a debugger wants is lost.
const (
	unoptimized = "-gcflags=github.com/askbridge/askbridge/...=-N -l -dwarf=false"
	stripped    = "-ldflags=-s -w"
)

// event is a line of go test -json.
type event struct{ Action, Test, Output string }

// runs a test under an overlay with a cache of builds and returns what it said and whether it failed.
func (k killer) runs(t *testing.T, dir, cache, overlay string) (said string, failed bool) {
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

// complaint is the first line in which a test says what is wrong.
var complaint = regexp.MustCompile(`\n +\w+\.go:\d+: .*`)

// part says which of how many parts of the list is run.
var part = flag.String("part", "1/1", "run the `n/m`th part of the mutants; the list takes the others to be as it has them")

// parted splits the list into those of the part and the others.
func parted(t *testing.T) (these, others []mutant) {
	t.Helper()
	var n, of int
	if _, err := fmt.Sscanf(*part, "%d/%d", &n, &of); err != nil || n < 1 || n > of {
		t.Fatalf("-part %s is none of a whole, such as 2/3", *part)
	}
	for i, m := range mutants() {
		if i%of == n-1 {
			these = append(these, m)
		} else {
			others = append(others, m)
		}
	}
	return these, others
}

func TestMutants(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var (
		mu     sync.Mutex
		killed = map[string]bool{}
	)
	these, others := parted(t)
	t.Logf("part %s: %d of %d mutants", *part, len(these), len(these)+len(others))
	t.Run("kill", func(t *testing.T) {
		for _, m := range these {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				overlay, cache := faults.Overlay(t, t.TempDir(), m.sources()), cache(t)
				for _, k := range m.killers {
					said, failed := k.runs(t, dir, cache, overlay)
					switch {
					case !failed:
						t.Errorf("%s does not notice:\n%s", k.test, said)
					case !strings.Contains(said, k.says):
						t.Errorf("%s fails, and not with %q:\n%s", k.test, k.says, said)
					default:
						t.Logf("killed by %s:%s", k.test, complaint.FindString(said))
					}
				}
				mu.Lock()
				defer mu.Unlock()
				killed[m.name] = !t.Failed()
			})
		}
	})
	if len(killed) == len(these) { // Else somebody runs a few only.
		for _, m := range others {
			killed[m.name] = true
		}
		golden.Check(t, doc, withList(t, killed))
	}
}

// doc is where the list stands for people.
const doc = root + "/docs/reliability.md"

const (
	listBegins = "<!-- Written by go test ./test/mutants -update -->\n"
	listEnds   = "<!-- End of the mutants -->\n"
)

// withList is the document with the list as it is now.
func withList(t *testing.T, killed map[string]bool) string {
	t.Helper()
	data, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(data), listBegins)
	_, after, ended := strings.Cut(rest, listEnds)
	if !begun || !ended {
		t.Fatalf("%s has no place for the list", doc)
	}
	return before + listBegins + list(killed) + listEnds + after
}

// list writes the mutants as Markdown.
func list(killed map[string]bool) string {
	var b strings.Builder
	b.WriteString("| Broken on purpose | Who notices |\n|---|---|\n")
	for _, m := range mutants() {
		var by []string
		for _, k := range m.killers {
			by = append(by, fmt.Sprintf("`%s` %s", k.where, strings.ReplaceAll(k.test, "_", " ")))
		}
		if !killed[m.name] {
			by = []string{"**nobody**"}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", m.name, strings.Join(by, "<br>"))
	}
	return b.String()
}
