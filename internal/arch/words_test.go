package arch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// wordsFile has, in each line, a word that the project once had for a thing the field has a name
// for, that name, and the files in which the word stays, since it is the name of something in data
// that exists. ARCHITECTURE.md has the glossary.
const wordsFile = "testdata/words.txt"

// oldWord is the current word, and the files in which the old one stays.
type oldWord struct {
	now  string
	kept []string
}

func oldWords(t *testing.T) map[string]oldWord {
	t.Helper()
	data, err := os.ReadFile(wordsFile)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]oldWord{}
	for line := range strings.Lines(string(data)) {
		word, rest, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Fatalf("%s: %q has no name", wordsFile, line)
		}
		now, kept, _ := strings.Cut(rest, ": ")
		words[word] = oldWord{now, strings.Fields(kept)}
	}
	if len(words) == 0 {
		t.Fatalf("%s has no words", wordsFile)
	}
	return words
}

// humps splits a line at everything that is no letter, and camel case at its
// humps.
var humps = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)

func TestOldWordsDoNotComeBack(t *testing.T) {
	t.Parallel()
	words := oldWords(t)
	for _, name := range tracked(t) {
		switch {
		case !slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".lua", ".sh"}, filepath.Ext(name)):
			continue
		case name == "CHANGELOG.md", strings.HasPrefix(name, "docs/decisions/"):
			continue // They describe the past.
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(data), "\n") {
			for _, word := range humps.FindAllString(line, -1) {
				word = strings.ToLower(word)
				instead, old := words[word]
				if !old {
					instead, old = words[strings.TrimSuffix(word, "s")]
				}
				if old && !slices.Contains(instead.kept, name) {
					t.Errorf("%s:%d contains %q: use %s", name, n+1, word, instead.now)
				}
			}
		}
	}
}

// tracked lists the files that git knows, relative to the root.
func tracked(t *testing.T) []string {
	t.Helper()
	names, err := gitFiles()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// gitFiles runs git once for all tests.
var gitFiles = sync.OnceValues(func() ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	return strings.Split(strings.Trim(string(out), "\x00"), "\x00"), nil
})
