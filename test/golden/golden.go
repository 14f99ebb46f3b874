package golden

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// update is the only flag of this name: a test that needs it imports this package.
var update = flag.Bool("update", false, "rewrite golden files from what the code does now (refused in CI)")

// writing makes read-change-write of a golden file one step, since several
// tests of a package may hold sections of the same file.
var writing sync.Mutex

// Updating reports whether this run rewrites golden files. It fails the test if CI is set, where golden files may
// only be compared. Pass the result to tools with their own update mode, such as testscript's UpdateScripts.
func Updating(tb testing.TB) bool {
	tb.Helper()
	if *update && inCI(os.Getenv("CI")) {
		tb.Fatal("golden: -update is refused when CI is set: run it on your machine and commit the difference")
	}
	return *update
}

func inCI(value string) bool {
	return value != "" && value != "0" && !strings.EqualFold(value, "false")
}

// Check fails the test if the file at path differs from got, and shows the difference. With -update it writes the
// file instead, and creates missing folders.
func Check[T ~string | ~[]byte](tb testing.TB, path string, got T) {
	tb.Helper()
	if Updating(tb) {
		write(tb, path, []byte(got))
		return
	}
	want, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		tb.Errorf("golden: %s does not exist; %s would write:\n%s", path, rerun(tb), string(got))
	case err != nil:
		tb.Errorf("golden: %v", err)
	case string(want) != string(got):
		differ(tb, path, string(want), string(got))
	}
}

// Each runs f as a parallel subtest for every txtar file that matches the pattern, named after the file. Without a
// match the test fails, because a renamed folder must not look like success.
func Each(t *testing.T, pattern string, f func(t *testing.T, c *Case)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("golden: %s: %v", pattern, err)
	}
	if len(paths) == 0 {
		t.Fatalf("golden: no file matches %s", pattern)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			f(t, Archive(t, path))
		})
	}
}

// Case is one txtar file: a comment for the reader, then named sections with inputs and expected outputs.
type Case struct {
	// Path is the path of the file.
	Path string
	// Comment is the text before the first section.
	Comment string

	tb       testing.TB
	sections []txtar.File
}

// Archive reads one case. The file must exist, even with -update, because a person writes the inputs.
func Archive(tb testing.TB, path string) *Case {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("golden: %v", err)
	}
	archive := txtar.Parse(data)
	seen := map[string]bool{}
	for _, f := range archive.Files {
		if seen[f.Name] {
			tb.Fatalf("golden: %s: duplicate section %s", path, f.Name)
		}
		seen[f.Name] = true
	}
	return &Case{Path: path, Comment: string(archive.Comment), tb: tb, sections: archive.Files}
}

// Has reports whether the case has the section.
func (c *Case) Has(name string) bool { return c.index(name) >= 0 }

// Names lists the sections in file order.
func (c *Case) Names() []string {
	names := make([]string, len(c.sections))
	for i, f := range c.sections {
		names[i] = f.Name
	}
	return names
}

// Get returns a section's text and fails the test if the section is missing. Use Has first for an optional section.
func (c *Case) Get(name string) string {
	c.tb.Helper()
	i := c.index(name)
	if i < 0 {
		c.tb.Fatalf("golden: %s has no section %s; it has %s", c.Path, name, strings.Join(c.Names(), ", "))
	}
	return string(c.sections[i].Data)
}

// Check fails the test if the section differs from got. With -update it rewrites only that section, and appends it
// if it is new. A final newline is implied, as in txtar.
func (c *Case) Check(name, got string) {
	c.tb.Helper()
	got = closed(got)
	if len(txtar.Parse([]byte(got)).Files) > 0 {
		c.tb.Fatalf("golden: %s: the text for section %s holds a line that looks like a txtar marker:\n%s", c.Path, name, got)
	}
	if Updating(c.tb) {
		replace(c.tb, c.Path, name, got)
		return
	}
	if !c.Has(name) {
		c.tb.Errorf("golden: %s has no section %s; %s would add:\n%s", c.Path, name, rerun(c.tb), got)
		return
	}
	if want := closed(c.Get(name)); want != got {
		differ(c.tb, c.Path+" section "+name, want, got)
	}
}

func (c *Case) index(name string) int {
	return slices.IndexFunc(c.sections, func(f txtar.File) bool { return f.Name == name })
}

// replace reads the file again, because another test may have rewritten another section meanwhile.
func replace(tb testing.TB, path, name, got string) {
	tb.Helper()
	writing.Lock()
	defer writing.Unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("golden: %v", err)
	}
	archive := txtar.Parse(data)
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		archive.Files = append(archive.Files, txtar.File{Name: name})
		i = len(archive.Files) - 1
	}
	archive.Files[i].Data = []byte(got)
	write(tb, path, txtar.Format(archive))
}

// write replaces the file atomically, and does not touch an unchanged file.
func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatalf("golden: %v", err)
	}
	next := path + ".new"
	if err := os.WriteFile(next, data, 0o644); err != nil {
		tb.Fatalf("golden: %v", err)
	}
	if err := os.Rename(next, path); err != nil {
		tb.Fatalf("golden: %v", err)
	}
	tb.Logf("golden: wrote %s", path)
}

func differ(tb testing.TB, what, want, got string) {
	tb.Helper()
	tb.Errorf("golden: %s differs (- is the file, + is what came out); if the new text is right, run %s and review the difference\n%s",
		what, rerun(tb), cmp.Diff(want, got))
}

// rerun returns the command that accepts the new text of this test.
func rerun(tb testing.TB) string {
	tb.Helper()
	return "go test -run '^" + tb.Name() + "$' -update"
}

func closed(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
