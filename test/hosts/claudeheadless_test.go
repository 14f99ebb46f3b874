//go:build hosts

package hosts

import (
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// touch is a command that needs a permission in every mode but bypassPermissions.
const touch = `{"command":"touch here && echo $((40 + 2))","description":"Add two numbers"}`

// headless runs the guide's headless commands, with more flags for askbridge mcp.
func (c *claude) headless(flags ...string) {
	c.Helper()
	c.follows("claude-prompt-tool", c.env(), flags...)
	c.start(c.command(c.env(), "sh", "-ec", "exec "+c.guide("claude-headless")))
}

// calls is a script in which the model calls one tool after the other and then ends.
func calls(all ...model.Call) (turns []model.Turn) {
	for _, call := range all {
		turns = append(turns, model.Turn{Calls: []model.Call{call}})
	}
	return append(turns, model.Turn{Say: "All done."})
}

var claudeHeadlessScenarios = []scenario{
	{"headless, chat answers questions and permission prompts", func(t *testing.T) {
		c := newClaude(t, nil, calls(
			model.Call{Tool: "AskUserQuestion", Input: database}, model.Call{Tool: "AskUserQuestion", Input: checks},
			model.Call{Tool: "AskUserQuestion", Input: database}, model.Call{Tool: "AskUserQuestion", Input: database},
			model.Call{Tool: "Bash", Input: touch}, model.Call{Tool: "Bash", Input: touch}, model.Call{Tool: "Bash", Input: touch},
		)...)
		c.headless()
		c.play(`dana picks "SQLite"`)
		c.reads("call_1", `"Which database?"="SQLite"`)
		c.play(`dana picks "Smoke tests"
dana picks "Load tests"
dana submits`)
		c.reads("call_2", `"Which checks?"="Smoke tests`, `Load tests"`)
		c.play(`dana writes "MySQL 8" under "Which database?"`)
		c.reads("call_3", `"Which database?"="MySQL 8"`)
		c.play(`dana dismisses`)
		c.reads("call_4", "Dana cancelled the questions.")
		c.play(`dana presses "Allow"`)
		c.reads("call_5", "42")
		c.play(`dana presses "Deny"`)
		c.reads("call_6", "Dana denied this.")
		c.play(`dana presses "Other…"
dana fills "Use the staging one"
dana submits`)
		c.reads("call_7", "Dana denied this and wrote: Use the staging one")
	}},
	{"headless, a prompt without an answer is denied", func(t *testing.T) {
		c := newClaude(t, nil, calls(model.Call{Tool: "Bash", Input: touch}, model.Call{Tool: "AskUserQuestion", Input: database})...)
		c.headless("--budget", "1s")
		c.reads("call_1", "Denied: ")
		c.reads("call_2", "withdrawn before anyone answered")
		c.play(`dana sees "no answer in time"`)
	}},
}
