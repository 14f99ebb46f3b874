//go:build hosts

package hosts

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// The inputs of Claude's tools.
const (
	database = `{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,"options":[
		{"label":"Postgres","description":"Runs on our servers"},{"label":"SQLite","description":"One file"}]}]}`
	checks = `{"questions":[{"question":"Which checks?","header":"Checks","multiSelect":true,"options":[
		{"label":"Smoke tests","description":"A minute"},{"label":"Load tests","description":"An hour"},{"label":"None","description":"Ship it"}]}]}`
)

// claude is Claude Code with the hook of askbridge.
type claude struct {
	*world
}

// newClaude installs the hook with these flags, as a person does, and writes down what Claude Code asks a new user.
func newClaude(t *testing.T, flags []string, turns ...model.Turn) *claude {
	t.Helper()
	c := &claude{newWorld(t, "claude", turns...)}
	c.write(".claude.json", string(encode(t, map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark", "autoUpdates": false,
		"customApiKeyResponses":         map[string]any{"approved": []string{"scripted-key-scripted-key"[5:]}},
		"projects":                      map[string]any{c.work: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
		"bypassPermissionsModeAccepted": true,
	})))
	if flags != nil {
		c.follows("claude-hook", c.environment(), flags...)
	}
	return c
}

// must runs a command that has to succeed.
func (w *world) must(cmd *exec.Cmd) string {
	w.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// env is the environment of Claude Code. https://code.claude.com/docs/en/settings#environment-variables
func (c *claude) env() []string {
	return c.environment(
		"ANTHROPIC_BASE_URL="+c.model.URL(), "ANTHROPIC_API_KEY=scripted-key-scripted-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"IS_SANDBOX=1",
	)
}

// opens starts Claude Code in a terminal and has it begin.
func (c *claude) opens(args ...string) *terminal {
	c.Helper()
	t := c.terminal(c.env(), "claude", append(args, "please begin")...)
	return t
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// asks is a script in which the model calls one tool and then ends.
func asks(tool, input string) []model.Turn {
	return []model.Turn{{Calls: []model.Call{{Tool: tool, Input: input}}}, {Say: "All done."}}
}

var claudeScenarios = []scenario{
	{"chat answers first", func(t *testing.T) {
		c := newClaude(t, []string{}, asks("AskUserQuestion", database)...)
		term := c.opens("--permission-mode", "default")
		term.shows("Which database?", "Postgres", "SQLite")
		c.play(`dana picks "Postgres"`)
		c.reads("call_1", `Your questions have been answered: "Which database?"="Postgres"`)
		term.shows("All done.")
	}},
	{"the terminal answers first", func(t *testing.T) {
		c := newClaude(t, []string{}, asks("AskUserQuestion", database)...)
		term := c.opens("--permission-mode", "default")
		term.shows("Which database?", "Enter to select")
		c.play(`dana sees "Which database?" "[SQLite]"`)
		term.keys("Down", "Enter")
		c.reads("call_1", `"Which database?"="SQLite"`)
		c.play(`dana sees "answered in the terminal: SQLite"`)
	}},
	{"dialog and card open together in auto mode", inMode("auto")},
	{"dialog and card open together in acceptEdits mode", inMode("acceptEdits")},
	{"dialog and card open together in plan mode", inMode("plan")},
	{"dialog and card open together in bypassPermissions mode", inMode("bypassPermissions")},
	{"chat answers alone in dontAsk mode", func(t *testing.T) {
		c := newClaude(t, []string{}, asks("AskUserQuestion", database)...)
		c.opens("--permission-mode", "dontAsk")
		c.play(`dana picks "SQLite"`)
		c.reads("call_1", `"Which database?"="SQLite"`)
	}},
}

// inMode is a question in a permission mode: the hook times out, then the terminal answers. It is
// asked once.
func inMode(mode string) func(*testing.T) {
	return func(t *testing.T) {
		c := newClaude(t, []string{"--wait", "5s"}, asks("AskUserQuestion", database)...)
		term := c.opens("--permission-mode", mode)
		term.shows("Which database?", "Enter to select")
		c.play(`dana sees "Which database?" "[SQLite]"
dana sees "nobody answered in time"`)
		term.keys("Down", "Enter")
		c.reads("call_1", `"Which database?"="SQLite"`)
		if n := c.cards("Which database?"); n != 1 {
			t.Errorf("%d cards for one question", n)
		}
	}
}
