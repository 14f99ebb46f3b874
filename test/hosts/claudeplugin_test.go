//go:build hosts

package hosts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// pluginRoot is the folder with the marketplace of the plugin.
const pluginRoot = "../.."

// plugin installs the plugin as in docs/hosts.md, but from this checkout instead of GitHub.
func plugin(t *testing.T, decide string, turns ...model.Turn) *claude {
	t.Helper()
	c := newClaude(t, nil, turns...)
	root, err := filepath.Abs(pluginRoot)
	if err != nil {
		t.Fatal(err)
	}
	c.write("token", token)
	block := strings.NewReplacer("askbridge/askbridge", root, "decide=nobody", "decide="+decide, "token_file=none", "token_file="+filepath.Join(c.home, "token"))
	c.must(c.command(c.env(), "sh", "-ec", block.Replace(c.guide("claude-plugin"))))
	return c
}

var claudePluginScenarios = []scenario{
	{"the validator accepts plugin and marketplace", func(t *testing.T) {
		c := newClaude(t, nil)
		for _, args := range [][]string{{"--profile", "directory", filepath.Join(pluginRoot, "hosts/claude/plugin")}, {"--strict", pluginRoot}} {
			cmd := c.command(c.env(), "claude", append([]string{"plugin", "validate"}, args...)...)
			cmd.Dir, _ = os.Getwd()
			if out := c.must(cmd); !strings.Contains(out, "Validation passed") {
				t.Errorf("claude plugin validate %s:\n%s", args, out)
			}
		}
	}},
	{"the plugin answers questions and leaves permissions to the terminal", func(t *testing.T) {
		c := plugin(t, "nobody", calls(
			model.Call{Tool: "AskUserQuestion", Input: database}, model.Call{Tool: "Bash", Input: touch},
		)...)
		term := c.opens("--permission-mode", "default")
		term.shows("Which database?", "Postgres", "SQLite")
		c.play(`dana picks "Postgres"`)
		c.reads("call_1", `"Which database?"="Postgres"`)
		term.shows("Do you want to proceed?")
		if n := c.cards("May the agent use"); n != 0 {
			t.Errorf("%d permission cards although nobody decides in chat", n)
		}
		term.accepts("Do you want to proceed?")
		c.reads("call_2", "42")
	}},
	{"the plugin asks who decides about permissions", func(t *testing.T) {
		c := plugin(t, dana, calls(model.Call{Tool: "Bash", Input: touch})...)
		c.opens("--permission-mode", "default")
		c.play(`dana sees "@Dana can answer"
dana presses "Allow"`)
		c.reads("call_1", "42")
	}},
	{"the plugin's MCP server decides without a terminal", func(t *testing.T) {
		c := plugin(t, dana, calls(model.Call{Tool: "Bash", Input: touch})...)
		_, ended := c.start(c.command(c.env(), "claude", "-p", "--permission-prompt-tool", "mcp__plugin_askbridge_askbridge__approve", "please begin"))
		c.play(`dana presses "Allow"`)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		c.reads("call_1", "42")
	}},
}
