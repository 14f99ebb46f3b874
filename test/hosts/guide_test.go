//go:build hosts

package hosts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guidePage is the page whose blocks the scenarios use. A block belongs to a scenario if its fence names it: "sh hosts claude-hook".
const guidePage = "../../docs/hosts.md"

var guideBlock = regexp.MustCompile("(?ms)^```\\w+ hosts ([\\w-]+)\n(.*?)^```$")

// guides are the blocks of the page by their names, as people copy them.
func guides(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(guidePage)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range guideBlock.FindAllStringSubmatch(string(page), -1) {
		all[m[1]] = m[2]
	}
	return all
}

// guide returns a block of docs/hosts.md with the addresses and the token of this world.
func (w *world) guide(name string) string {
	w.Helper()
	text, ok := guides(w.T)[name]
	if !ok {
		w.Fatalf("docs/hosts.md has no block called %s", name)
	}
	return strings.NewReplacer("http://127.0.0.1:8080", w.bridge(), "your-token", token).Replace(text)
}

// follows runs a block of docs/hosts.md in a shell, in the folder of the host, with more flags for its last command.
func (w *world) follows(name string, env []string, flags ...string) string {
	w.Helper()
	return w.must(w.command(env, "sh", "-ec", strings.TrimSpace(w.guide(name))+" "+strings.Join(flags, " ")))
}

func TestEveryBlockOfTheGuideIsUsedByAScenario(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(source)
	}
	for name := range guides(t) {
		if !regexp.MustCompile(`(guided?|follows)\("` + regexp.QuoteMeta(name) + `"`).MatchString(sources.String()) {
			t.Errorf("docs/hosts.md: no scenario uses the block %s", name)
		}
	}
}
