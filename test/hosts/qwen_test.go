//go:build hosts

package hosts

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// qwenCode is Qwen Code in its headless mode.
var qwenCode = &headless{
	tool: "mcp__askbridge__ask_user", address: "httpUrl",
	block: func(w *world) string { return w.guide("qwen-mcp") },
	configure: func(w *world, server any) {
		w.write(".qwen/settings.json", string(encode(w.T, map[string]any{
			"mcpServers": servers(server),
			"security":   map[string]any{"auth": map[string]any{"selectedType": "openai"}, "folderTrust": map[string]any{"enabled": false}},
			"telemetry":  map[string]any{"enabled": false},
			"privacy":    map[string]any{"usageStatisticsEnabled": false},
			"memory":     map[string]any{"enableManagedAutoMemory": false},
			"ui":         map[string]any{"enableFollowupSuggestions": false},
			"general":    map[string]any{"enableAutoUpdate": false, "disableAutoUpdate": true, "disableUpdateNag": true},
		})))
	},
	run: func(w *world) ([]string, string, []string) {
		return qwenEnvironment(w), "qwen", []string{"--approval-mode", "default", "--allowed-tools", "mcp__askbridge__ask_user", "-p", "please begin"}
	},
}

// qwenEnvironment points Qwen Code at the scripted model.
func qwenEnvironment(w *world) []string {
	return w.environment("OPENAI_API_KEY=scripted", "OPENAI_BASE_URL="+w.model.URL()+"/v1", "OPENAI_MODEL=scripted", "QWEN_CODE_DISABLE_TELEMETRY=1")
}

// newQwen starts Qwen Code behind an editor.
func newQwen(t *testing.T, mode string, flags []string, turns ...model.Turn) *editor {
	t.Helper()
	w := newWorld(t, "qwen", turns...)
	qwenCode.configure(w, nil)
	return w.opensEditor(qwenEnvironment(w), []string{"qwen", "--acp", "--approval-mode", mode}, flags...)
}

const (
	qwenOne     = `{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,"options":[{"label":"Postgres","description":"On our servers"},{"label":"SQLite","description":"One file"}]}]}`
	qwenSeveral = `{"questions":[{"question":"Which region?","header":"Region","multiSelect":false,"options":[{"label":"Europe","description":"Near"},{"label":"Asia","description":"Far"}]},
		{"question":"Which checks?","header":"Checks","multiSelect":true,"options":[{"label":"Smoke","description":"A minute"},{"label":"Load","description":"An hour"}]}]}`
)

var qwenScenarios = []scenario{
	{"headless, chat answers over MCP on standard input", qwenCode.asksOverMCP("qwen", (*headless).stdio)},
	{"headless, chat answers over MCP on HTTP", qwenCode.asksOverMCP("qwen", (*headless).http)},
	{"over ACP, chat answers questions and decides about a command", func(t *testing.T) {
		e := newQwen(t, "default", nil,
			model.Turn{Calls: []model.Call{{Tool: "ask_user_question", Input: qwenOne}}},
			model.Turn{Calls: []model.Call{{Tool: "ask_user_question", Input: qwenSeveral}}},
			shell("touch made; expr 40 + 2"), model.Turn{Say: "All done."})
		e.begins()
		e.play(`dana sees "Which database?" "SQLite – One file"
dana picks "SQLite"`)
		e.reads("call_1", "**Database**: SQLite")
		e.play(`dana picks "Asia" under "Which region?"
dana picks "Smoke" under "Which checks?"
dana picks "Load" under "Which checks?"
dana presses "Submit"`)
		e.reads("call_2", "**Region**: Asia", "**Checks**: Smoke, Load")
		e.play(`dana sees "touch made; expr 40 + 2" "[Allow]"
dana presses "Allow"`)
		e.reads("call_3", "42")
	}},
	{"over ACP in both places, an option that switches the mode is not offered", func(t *testing.T) {
		e := newQwen(t, "auto", []string{"--both"}, shell("touch made"),
			model.Turn{Say: "The classifier of auto mode reads this and fails."}, model.Turn{Say: "All done."})
		e.begins()
		asked := e.requested("session/request_permission")
		if !strings.Contains(string(asked.Params), "proceed_once_and_switch_to_default") {
			t.Errorf("Qwen Code offers no switch of its mode: %s", asked.Params)
		}
		e.play(`dana sees "touch made" "[Allow] [Reject]"
dana presses "Allow"`)
		e.reads("call_1")
		e.await("the end of the editor's dialog", func(m *message) bool { return m.Method == "$/cancel_request" })
	}},
}
