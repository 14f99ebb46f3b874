package arch

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// section returns the rows of the table under a heading of ARCHITECTURE.md, without its
// head.
func section(t *testing.T, heading string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("ARCHITECTURE.md has no section %q", heading)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	var rows []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") {
			rows = append(rows, line)
		}
	}
	if len(rows) < 2 {
		t.Fatalf("the section %q has no table", heading)
	}
	return rows[1:]
}

var quoted = regexp.MustCompile("`([^`]+)`")

func TestEveryPublicPackageHasItsPromise(t *testing.T) {
	t.Parallel()
	var promised []string
	for _, row := range section(t, "What is promised") {
		for _, m := range quoted.FindAllStringSubmatch(strings.Split(row, "|")[1], -1) {
			if slices.Contains(promised, m[1]) {
				t.Errorf("ARCHITECTURE.md promises something of %s twice", m[1])
			}
			promised = append(promised, m[1])
		}
	}
	there := public(t)
	for _, pkg := range there {
		if !slices.Contains(promised, pkg) {
			t.Errorf("%s is public, and ARCHITECTURE.md does not say what is promised of it: add it there, or put it under internal", pkg)
		}
	}
	for _, pkg := range promised {
		if !slices.Contains(there, pkg) {
			t.Errorf("ARCHITECTURE.md promises something of %s, which is no public package", pkg)
		}
	}
}

// onTheMap is what the table under a heading names in its column of that number.
func onTheMap(t *testing.T, heading string, column int) []string {
	t.Helper()
	var names []string
	for _, row := range section(t, heading) {
		for _, m := range quoted.FindAllStringSubmatch(strings.Split(row, "|")[column], -1) {
			names = append(names, m[1])
		}
	}
	return names
}

func TestEveryPackageIsOnTheMap(t *testing.T) {
	t.Parallel()
	mapped := onTheMap(t, "The shape", 1)
	packages := map[string]bool{}
	for _, f := range files(t) {
		packages[f.pkg] = true
	}
	for pkg := range packages {
		if !slices.ContainsFunc(mapped, func(name string) bool {
			folder, whole := strings.CutSuffix(name, "/")
			return pkg == name || whole && within(pkg, folder)
		}) {
			t.Errorf("ARCHITECTURE.md does not say what %s is", pkg)
		}
	}
	for _, name := range mapped {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("ARCHITECTURE.md has something on its map that is not there: %v", err)
		}
	}
}

func TestEveryFileOfTheEngineBelongsToAPart(t *testing.T) {
	t.Parallel()
	mapped := onTheMap(t, "The parts of the engine", 4)
	var found []string
	for _, f := range files(t) {
		if !f.test && (f.pkg == "bridge" || within(f.pkg, "bridge/internal")) {
			found = append(found, path.Base(f.name))
		}
	}
	for _, name := range found {
		if name != "doc.go" && !slices.Contains(mapped, name) {
			t.Errorf("ARCHITECTURE.md: no part of the engine has the file %s", name)
		}
	}
	for _, name := range mapped {
		if !slices.Contains(found, name) {
			t.Errorf("ARCHITECTURE.md: the engine has no file %s", name)
		}
	}
}

// mostWords is how many words of its own the project may have.
const mostWords = 25

func TestGlossaryIsShort(t *testing.T) {
	t.Parallel()
	if rows := section(t, "Words"); len(rows) > mostWords {
		t.Errorf("the glossary has %d entries, more than %d: say it in words that everybody knows", len(rows), mostWords)
	}
}

var (
	// walked matches a numbered step of a walk, with its continuation lines.
	walked = regexp.MustCompile(`(?m)^\d+\. .*(?:\n +.*)*`)
	// dotted matches a name with its package or type, such as `state.Records.Swap`.
	dotted = regexp.MustCompile("`((?:\\w+\\.)+\\w+)`")
	// linkedFile matches a link to a Go file.
	linkedFile = regexp.MustCompile(`\]\(([\w/]+\.go)\)`)
)

// TestWalksNameExistingCode checks that each name in a walk is declared in a file that its step links, or in the file
// of the step before it.
func TestWalksNameExistingCode(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, life, _ := strings.Cut(string(data), "\n## The life of a question\n")
	life, _, _ = strings.Cut(life, "\n## ")
	trees := syntax(t).trees
	var last []string
	names := 0
	for _, step := range walked.FindAllString(life, -1) {
		var linked []string
		for _, m := range linkedFile.FindAllStringSubmatch(step, -1) {
			linked = append(linked, m[1])
		}
		if linked == nil {
			linked = last
		}
		last = linked
		for _, m := range dotted.FindAllStringSubmatch(step, -1) {
			names++
			parts := strings.Split(m[1], ".")
			declared := func(file string) bool { return trees[file] != nil && declaredIn(trees[file])[parts[len(parts)-1]] }
			elsewhere := func(file string) bool { return path.Base(path.Dir(file)) == parts[0] && declared(file) }
			if !slices.ContainsFunc(linked, declared) && !slices.ContainsFunc(slices.Collect(maps.Keys(trees)), elsewhere) {
				t.Errorf("ARCHITECTURE.md: %s is declared neither in %q nor in a package %s", m[1], linked, parts[0])
			}
		}
	}
	if names < 20 {
		t.Errorf("the walks of ARCHITECTURE.md have %d names", names)
	}
}
