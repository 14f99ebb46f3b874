// Command gotest runs "go test -json" with the given arguments and prints a short
// report: each package when it ends, the output of failed tests, the slowest
// tests, and the totals.
//
// A skipped test counts as failed. Some tests need programs that "make setup"
// installs, and a run without them must not look green.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (bool, error) {
	start := time.Now()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	r := newReport(out)
	readErr := r.read(events)
	waitErr := cmd.Wait()
	if readErr != nil {
		return false, readErr
	}
	// A failure without an event, such as a pattern that matches no packages.
	if waitErr != nil && r.failed == 0 {
		r.failed++
	}
	r.close(time.Since(start))
	return r.failed == 0 && r.passed > 0, nil
}

// event is one line of "go test -json"; see "go doc test2json".
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

type testID struct{ pkg, name string }

type report struct {
	out            io.Writer
	passed, failed int

	output  map[testID]*strings.Builder // Output of running tests; the name "" is the package itself.
	tests   map[string]int              // Ended tests by package.
	bad     map[string]int              // Failed and skipped tests by package.
	slowest []timed
	broken  []string
}

type timed struct {
	testID

	seconds float64
}

func newReport(out io.Writer) *report {
	return &report{
		out:    out,
		output: map[testID]*strings.Builder{},
		tests:  map[string]int{},
		bad:    map[string]int{},
	}
}

func (r *report) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(r.out, "%s", line) // Not an event: an error message of go test.
			} else {
				r.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		b := r.output[id]
		if b == nil {
			b = &strings.Builder{}
			r.output[id] = b
		}
		b.WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e)
		} else {
			r.endTest(id, e)
		}
	}
}

func (r *report) endTest(id testID, e event) {
	r.tests[id.pkg]++
	r.slowest = append(r.slowest, timed{id, e.Elapsed})
	if e.Action == "pass" {
		r.passed++
		delete(r.output, id)
		return
	}
	r.failed++
	r.bad[id.pkg]++
	what := "FAIL"
	if e.Action == "skip" {
		what = "SKIP (counts as failed: no test may be skipped)"
	}
	r.broken = append(r.broken, fmt.Sprintf("%s %s %s", what, id.pkg, id.name))
	fmt.Fprintf(r.out, "\n=== %s %s %s\n", what, id.pkg, id.name)
	r.show(id)
}

func (r *report) endPackage(e event) {
	if e.Action == "fail" {
		// A panic, a timeout, a race outside any test or a build failure.
		if r.bad[e.Package] == 0 {
			r.failed++
			r.broken = append(r.broken, "FAIL "+e.Package)
		}
		var left []testID
		for id := range r.output {
			if id.pkg == e.Package {
				left = append(left, id)
			}
		}
		slices.SortFunc(left, func(a, b testID) int { return cmp.Compare(a.name, b.name) })
		for _, id := range left {
			if id.name != "" {
				fmt.Fprintf(r.out, "\n=== UNFINISHED %s %s\n", id.pkg, id.name)
			}
			r.show(id)
		}
	}
	delete(r.output, testID{pkg: e.Package})
	word := map[string]string{"pass": "ok", "fail": "FAIL", "skip": "-"}[e.Action]
	if r.bad[e.Package] > 0 {
		word = "FAIL"
	}
	if n := r.tests[e.Package]; n > 0 || word == "FAIL" {
		fmt.Fprintf(r.out, "%-4s %-60s %7.2fs %5d tests\n", word, e.Package, e.Elapsed, n)
	}
}

func (r *report) show(id testID) {
	b := r.output[id]
	if b == nil {
		return
	}
	for line := range strings.Lines(b.String()) {
		if !bookkeeping(line) {
			fmt.Fprint(r.out, line)
		}
	}
	delete(r.output, id)
}

// bookkeeping reports whether a line only marks the start, pause or failure of a test.
func bookkeeping(line string) bool {
	for _, prefix := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "FAIL\n"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

func (r *report) close(took time.Duration) {
	slices.SortFunc(r.slowest, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	slow := r.slowest[:min(5, len(r.slowest))]
	if len(slow) > 0 && slow[0].seconds >= 1 {
		fmt.Fprintln(r.out, "\nslowest tests")
		for _, t := range slow {
			fmt.Fprintf(r.out, "  %7.2fs %s %s\n", t.seconds, t.pkg, t.name)
		}
	}
	if len(r.broken) > 0 {
		fmt.Fprintf(r.out, "\n%s\n", strings.Join(r.broken, "\n"))
	}
	if r.passed+r.failed == 0 {
		fmt.Fprintln(r.out, "no test ran")
	}
	fmt.Fprintf(r.out, "\ntests took %s\n%d passed, %d failed\n", took.Round(100*time.Millisecond), r.passed, r.failed)
}
