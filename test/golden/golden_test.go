package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `What this case shows.

-- in.json --
{"a":1}
-- out.txt --
one
-- empty --
`

// These tests switch the package's own flag, so they run one after another.

func TestCheckAcceptsEqualText(t *testing.T) {
	path := file(t, "want\n")
	got := run(t, func(tb testing.TB) {
		Check(tb, path, "want\n")
		Check(tb, path, []byte("want\n"))
	})
	if got != "" {
		t.Errorf("Check complained: %s", got)
	}
}

func TestCheckShowsDiffAndCommand(t *testing.T) {
	path := file(t, "first\nold line\n")
	got := run(t, func(tb testing.TB) { Check(tb, path, "first\nnew line\n") })
	for _, want := range []string{path, "old line", "new line", "-update", t.Name()} {
		if !strings.Contains(got, want) {
			t.Errorf("failure does not mention %q:\n%s", want, got)
		}
	}
}

func TestCheckFailsOnAMissingFile(t *testing.T) {
	got := run(t, func(tb testing.TB) { Check(tb, filepath.Join(t.TempDir(), "no.txt"), "text") })
	if !strings.Contains(got, "does not exist") {
		t.Errorf("failure = %q, want it to say that the file does not exist", got)
	}
}

func TestUpdateCreatesFileAndFolders(t *testing.T) {
	updating(t, "")
	path := filepath.Join(t.TempDir(), "testdata", "deep", "new.txt")
	if got := run(t, func(tb testing.TB) { Check(tb, path, "new\n") }); got != "" {
		t.Fatalf("Check complained: %s", got)
	}
	if got := read(t, path); got != "new\n" {
		t.Errorf("file = %q, want %q", got, "new\n")
	}
}

func TestUpdateIsRefusedInCI(t *testing.T) {
	for ci, refused := range map[string]bool{"true": true, "1": true, "yes": true, "": false, "0": false, "False": false} {
		t.Run("CI="+ci, func(t *testing.T) {
			updating(t, ci)
			path := file(t, "old\n")
			got := run(t, func(tb testing.TB) { Check(tb, path, "new\n") })
			if refused != strings.Contains(got, "refused") {
				t.Errorf("failure = %q, want refused = %v", got, refused)
			}
			want := "new\n"
			if refused {
				want = "old\n"
			}
			if text := read(t, path); text != want {
				t.Errorf("file = %q, want %q", text, want)
			}
		})
	}
}

func TestArchiveSections(t *testing.T) {
	c := Archive(t, file(t, sample))
	if got := c.Get("in.json"); got != "{\"a\":1}\n" {
		t.Errorf("Get(in.json) = %q", got)
	}
	if got := c.Comment; got != "What this case shows.\n\n" {
		t.Errorf("Comment = %q", got)
	}
	if got, want := c.Names(), []string{"in.json", "out.txt", "empty"}; !slices.Equal(got, want) {
		t.Errorf("Names = %q, want %q", got, want)
	}
	if c.Has("other") || !c.Has("empty") {
		t.Error("Has is wrong about other or empty")
	}
	c.Check("out.txt", "one")
	c.Check("out.txt", "one\n")
	c.Check("empty", "")
}

func TestArchiveFailuresNameFileAndSection(t *testing.T) {
	tests := map[string]struct {
		do   func(c *Case)
		want []string
	}{
		"a missing input":      {func(c *Case) { c.Get("nope") }, []string{"no section nope", "in.json, out.txt"}},
		"a missing expected":   {func(c *Case) { c.Check("nope", "x") }, []string{"no section nope", "-update"}},
		"another text":         {func(c *Case) { c.Check("out.txt", "two") }, []string{"section out.txt differs", "one", "two"}},
		"text with a marker":   {func(c *Case) { c.Check("out.txt", "a\n-- b --\n") }, []string{"looks like a txtar marker"}},
		"text where none goes": {func(c *Case) { c.Check("empty", "x") }, []string{"section empty differs"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := file(t, sample)
			got := run(t, func(tb testing.TB) { tt.do(Archive(tb, path)) })
			for _, want := range append(tt.want, path) {
				if !strings.Contains(got, want) {
					t.Errorf("failure does not mention %q:\n%s", want, got)
				}
			}
		})
	}
}

func TestArchiveRejectsDuplicateSection(t *testing.T) {
	path := file(t, "-- a --\n-- a --\n")
	if got := run(t, func(tb testing.TB) { Archive(tb, path) }); !strings.Contains(got, "duplicate section a") {
		t.Errorf("failure = %q", got)
	}
}

func TestUpdateReplacesAndAppendsSections(t *testing.T) {
	updating(t, "")
	path := file(t, sample)
	got := run(t, func(tb testing.TB) {
		c := Archive(tb, path)
		c.Check("out.txt", "two")
		c.Check("extra", "three\n")
	})
	if got != "" {
		t.Fatalf("Check complained: %s", got)
	}
	want := strings.Replace(sample, "one\n", "two\n", 1) + "-- extra --\nthree\n"
	if text := read(t, path); text != want {
		t.Errorf("file =\n%s\nwant\n%s", text, want)
	}
}

func TestConcurrentUpdatesOfOneFile(t *testing.T) {
	updating(t, "")
	path := file(t, sample)
	t.Run("at once", func(t *testing.T) {
		for i := range 16 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				Archive(t, path).Check(fmt.Sprintf("s%d", i), "x")
			})
		}
	})
	if got, want := len(Archive(t, path).Names()), 3+16; got != want {
		t.Errorf("%d sections, want %d", got, want)
	}
}

func TestEachRunsEveryCase(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(sample), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := make(chan string, 2)
	t.Run("all", func(t *testing.T) {
		Each(t, filepath.Join(dir, "*.txtar"), func(t *testing.T, c *Case) {
			t.Helper()
			names <- strings.TrimPrefix(t.Name(), "TestEachRunsEveryCase/all/") + " " + filepath.Base(c.Path)
		})
	})
	got := []string{<-names, <-names}
	slices.Sort(got)
	if want := []string{"a a.txtar", "b b.txtar"}; !slices.Equal(got, want) {
		t.Errorf("ran %q, want %q", got, want)
	}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.txtar")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func updating(t *testing.T, ci string) {
	t.Helper()
	t.Setenv("CI", ci)
	before := *update
	*update = true
	t.Cleanup(func() { *update = before })
}

// run gives f a test that notes failures instead of failing, and returns them.
func run(t *testing.T, f func(tb testing.TB)) string {
	t.Helper()
	fake := &recorder{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(theEnd) {
				panic(r)
			}
		}()
		f(fake)
	}()
	return fake.text.String()
}

// theEnd is what a recorder panics with where a test would end.
const theEnd = "the test ended"

type recorder struct {
	testing.TB

	text strings.Builder
}

func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	fmt.Fprintf(&r.text, format+"\n", args...)
}

func (r *recorder) Fatal(args ...any) {
	fmt.Fprintln(&r.text, args...)
	panic(theEnd)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(theEnd)
}
