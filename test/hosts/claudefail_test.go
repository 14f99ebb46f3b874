//go:build hosts

package hosts

import (
	"regexp"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

var sessionID = regexp.MustCompile(`"session_id":"([^"]+)"`)

// claudeFailScenarios are about hooks that fail or give up.
var claudeFailScenarios = []scenario{
	{"with --fail-closed a hook that fails blocks the action", func(t *testing.T) {
		c := newClaude(t, []string{"--fail-closed", "--permissions", "--responder", dana}, append(
			calls(model.Call{Tool: "AskUserQuestion", Input: database}, model.Call{Tool: "Bash", Input: touch}),
			calls(model.Call{Tool: "AskUserQuestion", Input: database})...)...)
		c.write(".config/askbridge/hook.token", "a token that the bridge does not know"[2:7]+"\n")
		term := c.opens("--permission-mode", "default")
		c.reads("call_1", "does not know this token")
		c.reads("call_2", "does not know this token")
		term.shows("All done.")
		term.close()
		c.opens("--permission-mode", "dontAsk")
		c.reads("call_3", `blocking because onFailure is "block"`)
	}},
	{"a deferred run reads the answer when it is resumed", func(t *testing.T) {
		c := newClaude(t, []string{"--defer", "--wait", "1s"}, calls(model.Call{Tool: "AskUserQuestion", Input: database})...)
		c.follows("claude-prompt-tool", c.env())
		run := []string{"-p", "--permission-prompt-tool", "mcp__askbridge__approve", "--output-format", "json"}
		output, ended := c.start(c.command(c.env(), "claude", append(run, "please begin")...))
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		session := sessionID.FindStringSubmatch(output.String())
		if session == nil {
			t.Fatalf("no session in %s", output)
		}
		c.play(`dana picks "SQLite"`)
		c.start(c.command(c.env(), "claude", append(run, "--resume", session[1])...))
		c.reads("call_1", `"Which database?"="SQLite"`)
	}},
}
