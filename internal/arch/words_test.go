package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// said are words that the project once had for things the field has a name for,
// with that name. ARCHITECTURE.md has the glossary.
var said = map[string]string{
	"brush":     "lock",
	"courier":   "delivery worker",
	"deed":      "action",
	"door":      "API, HTTP server, MCP server, hook or client",
	"easel":     "render lock",
	"errand":    "job",
	"glance":    "peek",
	"hail":      "announce",
	"herald":    "outcome cache",
	"lagging":   "delivery due",
	"linger":    "grace",
	"nudge":     "wake",
	"painted":   "rendered",
	"postponer": "write-behind",
	"repaint":   "update",
	"repainted": "updated",
	"ruling":    "decision",
	"shrug":     "warn",
	"suffer":    "apply a fault",
	"whisper":   "ephemeral reply",
}

// kept are the places where an old word stays, since it is stored, sent or said by
// others.
var kept = map[string][]string{
	"lagging": {"store/redis/keys.go", "store/file/table.go"}, // The name of an index in data that exists.
}

// wordsIn splits a line at everything that is no letter, and camel case at its
// humps.
var humps = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)

func TestOldWordsDoNotComeBack(t *testing.T) {
	t.Parallel()
	for _, name := range tracked(t) {
		switch {
		case !slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".lua", ".sh"}, filepath.Ext(name)):
			continue
		case name == "CHANGELOG.md", name == "internal/arch/words_test.go", strings.HasPrefix(name, "docs/decisions/"):
			continue // They tell what was.
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(data), "\n") {
			for _, word := range humps.FindAllString(line, -1) {
				word = strings.ToLower(word)
				now, old := said[word]
				if !old {
					now, old = said[strings.TrimSuffix(word, "s")]
					word = strings.TrimSuffix(word, "s")
				}
				if old && !slices.Contains(kept[word], name) {
					t.Errorf("%s:%d says %q: say %s", name, n+1, word, now)
				}
			}
		}
	}
}

// tracked lists the files that git knows, relative to the root.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	return strings.Split(strings.Trim(string(out), "\x00"), "\x00")
}
