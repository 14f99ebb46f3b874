package arch

import (
	"os"
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

// mostWords is how many words of its own the project may have.
const mostWords = 25

func TestTheGlossaryIsShort(t *testing.T) {
	t.Parallel()
	if rows := section(t, "Words"); len(rows) > mostWords {
		t.Errorf("the glossary has %d entries, more than %d: say it in words that everybody knows", len(rows), mostWords)
	}
}
