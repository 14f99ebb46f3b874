//go:build hosts

package hosts

import (
	"fmt"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// kimiCode is Kimi Code in its headless mode.
var kimiCode = &headless{
	tool: "mcp__askbridge__ask_user", address: "url",
	block: genericServer,
	configure: func(w *world, server any) {
		w.write(".kimi-code/config.toml", fmt.Sprintf(`default_model = "scripted"
telemetry = false
[providers.scripted]
type = "openai"
base_url = %q
api_key = "scripted"
[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000
capabilities = ["tool_use"]
`, w.model.URL()+"/v1"))
		w.write(".kimi-code/mcp.json", string(encode(w.T, map[string]any{"mcpServers": servers(server)})))
	},
	run: func(w *world) ([]string, string, []string) {
		return kimiEnvironment(w), "kimi", []string{"-p", "please begin"}
	},
}

func kimiEnvironment(w *world) []string {
	return w.environment("KIMI_DISABLE_TELEMETRY=1", "KIMI_CODE_NO_AUTO_UPDATE=1")
}

// newKimi starts Kimi Code behind an editor.
func newKimi(t *testing.T, turns ...model.Turn) *editor {
	t.Helper()
	w := newWorld(t, "kimi", turns...)
	kimiCode.configure(w, nil)
	return w.opensEditor(kimiEnvironment(w), []string{"kimi", "acp"})
}

const kimiAsks = `{"questions":[{"question":"Which database?","header":"Database","multi_select":false,"options":[{"label":"Postgres","description":"On our servers"},{"label":"SQLite","description":"One file"}]}]}`

var kimiScenarios = []scenario{
	{"headless, chat answers over MCP on standard input", kimiCode.asksOverMCP("kimi", (*headless).stdio)},
	{"headless, chat answers over MCP on HTTP", kimiCode.asksOverMCP("kimi", (*headless).http)},
	{"over ACP, chat answers a question and decides about a command and a file", func(t *testing.T) {
		e := newKimi(t,
			model.Turn{Calls: []model.Call{{Tool: "AskUserQuestion", Input: kimiAsks}}},
			model.Turn{Calls: []model.Call{{Tool: "Bash", Input: `{"command":"touch made; expr 40 + 2"}`}}},
			model.Turn{Calls: []model.Call{{Tool: "Write", Input: `{"path":"new.txt","content":"one\ntwo\n"}`}}},
			model.Turn{Say: "All done."})
		e.begins()
		e.play(`dana sees "Which database?" "SQLite – One file"
dana picks "SQLite"
dana sees "Which database?" "Answered by @Dana"`)
		e.reads("call_1", `"Which database?":"SQLite"`)
		e.play(`dana sees "touch made; expr 40 + 2" "[Approve once]"
dana presses "Approve once"`)
		e.reads("call_2", "42")
		e.play(`dana sees "new.txt" "The agent did not send the content of this change." "[Approve once]"
dana presses "Approve once"`)
		e.reads("call_3")
	}},
}
