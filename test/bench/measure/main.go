// Command measure runs the scenarios of test/bench and writes their figures into docs/performance.md, between the
// markers of each scenario.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/askbridge/askbridge/test/bench"
)

func main() {
	file := flag.String("o", "docs/performance.md", "the `file` to update, with charts in the folder performance next to it; empty writes nothing")
	only := flag.String("only", "", "run only these scenarios, a comma-separated list of names")
	profiles := flag.String("profiles", "", "write CPU profiles of the product into this `folder`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *file, *only, *profiles); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file, only, profiles string) error {
	say := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	suite, err := bench.Open(ctx, bench.Full, say)
	if err != nil {
		return err
	}
	defer suite.Close()
	suite.Profiles = profiles
	for _, s := range bench.Scenarios {
		if only != "" && !slices.Contains(strings.Split(only, ","), s.Name) {
			continue
		}
		say("%s …", s.Name)
		began := time.Now()
		figures, err := s.Run(suite, ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		for _, f := range figures {
			say("%s", f.Row())
		}
		if file == "" {
			continue
		}
		for _, c := range bench.Charts(figures) {
			if err := draw(filepath.Join(filepath.Dir(file), c.File()), c); err != nil {
				return err
			}
		}
		if err := write(file, s.Name, bench.Section(ctx, s, figures, time.Since(began))); err != nil {
			return err
		}
	}
	return nil
}

// draw writes a chart to a file.
func draw(file string, c bench.Chart) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(c.SVG()), 0o644)
}

// write replaces the text between the markers of a scenario.
func write(file, name, text string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- measured: "+name+" -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(string(data), begin)
	if !ok {
		return fmt.Errorf("%s: marker %q is missing", file, strings.TrimSpace(begin))
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return fmt.Errorf("%s: no end marker after %q", file, strings.TrimSpace(begin))
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o600)
}
