//go:build hosts

package hosts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// lines returns the commands of a block as words, one command a line. Pairs of old and new texts replace more addresses.
func (w *world) lines(name string, pairs ...string) (commands [][]string) {
	w.Helper()
	for line := range strings.Lines(strings.NewReplacer(pairs...).Replace(w.guide(name))) {
		commands = append(commands, strings.Fields(line))
	}
	return commands
}

// connects prepares "askbridge connect HOST …" of a block with more flags. It finds the bridge by the environment.
func (w *world) connects(env, words []string, flags ...string) *exec.Cmd {
	w.Helper()
	if len(words) < 4 || words[0] != "askbridge" || words[1] != "connect" {
		w.Fatalf("no command to connect a host: %q", words)
	}
	return w.command(append(env, "ASKBRIDGE_URL="+w.bridge()), words[0], slices.Concat(words[1:3], flags, words[3:])...)
}

// follows runs a block of docs/hosts.md in a shell, in the folder of the host, with more flags for its last command.
func (w *world) follows(name string, env []string, flags ...string) string {
	w.Helper()
	return w.must(w.command(env, "sh", "-ec", strings.TrimSpace(w.guide(name))+" "+strings.Join(flags, " ")))
}

func TestGuideBlocksAreTested(t *testing.T) {
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
		if !regexp.MustCompile(`(guided?|lines|follows)\("` + regexp.QuoteMeta(name) + `"`).MatchString(sources.String()) {
			t.Errorf("docs/hosts.md: no scenario uses the block %s", name)
		}
	}
}
