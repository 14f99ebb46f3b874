//go:build hosts

package hosts

import (
	"path/filepath"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// claudeSDKScenarios are about the Claude Agent SDK, whose callback canUseTool posts to /v1/ask/claude.
var claudeSDKScenarios = []scenario{
	{"canUseTool is answered by the HTTP API", func(t *testing.T) {
		c := &claude{newWorld(t, "claude-sdk", calls(
			model.Call{Tool: "AskUserQuestion", Input: database}, model.Call{Tool: "AskUserQuestion", Input: checks},
			model.Call{Tool: "Bash", Input: touch}, model.Call{Tool: "Bash", Input: touch},
		)...)}
		program, err := filepath.Abs("testdata/programs/claude-agent.mjs")
		if err != nil {
			t.Fatal(err)
		}
		sdk := filepath.Join(c.host, "node_modules", "@anthropic-ai", "claude-agent-sdk", "sdk.mjs")
		_, ended := c.start(c.command(append(c.env(), "AGENT_SDK="+sdk, "ASKBRIDGE_URL="+c.bridge()), "node", program))
		c.play(`dana picks "SQLite"`)
		c.reads("call_1", `"Which database?"="SQLite"`)
		c.play(`dana picks "Smoke tests"
dana picks "Load tests"
dana submits`)
		c.reads("call_2", `"Which checks?"="Smoke tests`, `Load tests"`)
		c.play(`dana presses "Allow"`)
		c.reads("call_3", "42")
		c.play(`dana presses "Other…"
dana fills "Use the staging one"
dana submits`)
		c.reads("call_4", "Dana denied this and wrote: Use the staging one")
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}},
}
