//go:build hosts

package hosts

import (
	"path/filepath"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// geminiCLI is Gemini CLI in its headless mode. It takes tools called ask_user away there, so askbridge has another name.
var geminiCLI = &headless{
	tool: "mcp_askbridge_ask_person", query: "?tool_name=ask_person", address: "httpUrl",
	block: func(w *world) string { return w.guide("gemini-mcp") },
	configure: func(w *world, server any) {
		w.write(".gemini/settings.json", string(encode(w.T, map[string]any{
			"mcpServers": servers(server),
			"tools":      map[string]any{"allowed": []string{"mcp_askbridge_ask_person", "mcp_askbridge_wait_for_answer"}},
			"security":   map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
			"telemetry":  map[string]any{"enabled": false},
			"privacy":    map[string]any{"usageStatisticsEnabled": false},
			"general":    map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "disableAutoUpdate": true, "disableUpdateNag": true},
		})))
	},
	run: func(w *world) ([]string, string, []string) {
		return geminiEnvironment(w), "gemini", []string{"-m", "gemini-2.5-pro", "-p", "please begin"}
	},
}

// geminiEnvironment points Gemini CLI at the scripted model.
func geminiEnvironment(w *world) []string {
	return w.environment("GEMINI_API_KEY=scripted", "GOOGLE_GEMINI_BASE_URL="+w.model.URL(), "GEMINI_CLI_TRUST_WORKSPACE=true")
}

// shell is a turn in which Gemini CLI or Qwen Code runs a command.
func shell(command string) model.Turn {
	return model.Turn{Calls: []model.Call{{Tool: "run_shell_command", Input: `{"command":"` + command + `","is_background":false}`}}}
}

// newGemini starts Gemini CLI behind an editor.
func newGemini(t *testing.T, turns []model.Turn, flags ...string) *editor {
	t.Helper()
	w := newWorld(t, "gemini", turns...)
	geminiCLI.configure(w, nil)
	return w.opensEditor(geminiEnvironment(w), []string{"gemini", "--acp", "-m", "gemini-2.5-pro"}, flags...)
}

var geminiScenarios = []scenario{
	{"headless, chat answers over MCP on standard input", geminiCLI.asksOverMCP("gemini", (*headless).stdio)},
	{"headless, chat answers over MCP on HTTP", geminiCLI.asksOverMCP("gemini", (*headless).http)},
	{"over ACP, chat decides about commands and files", func(t *testing.T) {
		e := newGemini(t, []model.Turn{
			shell("touch made; expr 40 + 2"), shell("touch denied"),
			{Calls: []model.Call{{Tool: "write_file", Input: `{"file_path":"new.txt","content":"one\ntwo\n"}`}}},
			shell("touch late"),
		})
		e.begins()
		e.play(`dana sees "touch made; expr 40 + 2" "[Allow]"
dana presses "Allow"`)
		e.reads("call_1", "42")
		e.play(`dana sees "touch denied" "[Reject]"
dana presses "Reject"`)
		e.reads("call_2", "canceled by the user")
		e.play(`dana sees "+one\n+two" "` + filepath.Base(e.work) + `"
dana presses "Allow"`)
		e.reads("call_3", "new.txt")
		e.play(`dana sees "touch late" "[Allow]"`)
		e.cancels()
		e.play(`dana sees "the agent's turn was cancelled"`)
	}},
	{"over ACP, the editor asks while the bridge is away", func(t *testing.T) {
		e := newGemini(t, []model.Turn{shell("touch made; expr 40 + 2"), {Say: "All done."}})
		e.stopBridge()
		e.begins()
		e.allows()
		e.reads("call_1", "42")
	}},
}
