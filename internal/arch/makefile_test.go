package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// narrowed matches a recipe line of the Makefile that runs selected tests of a package.
var narrowed = regexp.MustCompile(`-run '?([^' ]+)'? .*?(\./[a-z/]+)`)

// TestMakefileSelectsExistingTests compares the names that recipes of the Makefile select with the tests of the package: "go
// test -run" passes where no name matches.
func TestMakefileSelectsExistingTests(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	recipes := narrowed.FindAllStringSubmatch(string(makefile), -1)
	if len(recipes) < 5 {
		t.Errorf("the Makefile selects tests in %d lines, want at least 5", len(recipes))
	}
	for _, m := range recipes {
		files, err := filepath.Glob(filepath.Join(root, m[2], "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no tests: %v", m[2], err)
		}
		var source strings.Builder
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
		for name := range strings.SplitSeq(strings.Trim(strings.ReplaceAll(m[1], "$$", ""), "^()"), "|") {
			if !regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name)).MatchString(source.String()) {
				t.Errorf("no test of %s begins with %s", m[2], name)
			}
		}
	}
}
