//go:build hosts

package hosts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// permits has permissions decided by Dana.
var permits = []string{"--permissions", "--responder", dana}

var claudePermissionScenarios = []scenario{
	{"session rules run equal calls unasked", func(t *testing.T) {
		c := newClaude(t, permits)
		file := filepath.Join(c.work, "a.txt")
		write := func(text string) model.Call {
			return model.Call{Tool: "Write", Input: string(encode(t, map[string]string{"file_path": file, "content": text}))}
		}
		c.model.Expect(calls(
			model.Call{Tool: "Bash", Input: `{"command":"npm test","description":"Run the tests"}`},
			model.Call{Tool: "Bash", Input: `{"command":"npm test -- --watch","description":"Run them again"}`},
			write("one\n"), write("two\n"),
		)...)
		c.opens("--permission-mode", "default")
		c.play(`dana sees "Allow for this session: Bash(npm test *) – The command “npm test” runs without asking, with any arguments, until this session ends."
dana sees "In the agent's words: \"Run the tests\""
dana presses "Allow for this session:…"`)
		c.reads("call_2", "Exit code")
		c.play(`dana sees "Allow for this session: Edit(/` + file + `)"
dana presses "Allow for this session:…"`)
		c.reads("call_4", "updated successfully")
		if n := c.cards("May the agent use"); n != 2 {
			t.Errorf("%d cards", n)
		}
		for _, folder := range []string{c.home, c.work} {
			found, err := filepath.Glob(filepath.Join(folder, ".claude", "settings*.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range found {
				if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "npm test") || strings.Contains(string(text), "a.txt") {
					t.Errorf("%s has a rule: %s, %v", path, text, err)
				}
			}
		}
	}},
}
