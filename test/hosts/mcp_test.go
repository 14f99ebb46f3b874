//go:build hosts

package hosts

import "testing"

// headless is a host that runs one prompt without a terminal and has the MCP server of askbridge.
type headless struct {
	// configure writes the configuration of the host, with this server.
	configure func(w *world, server any)
	// run is the command that runs one prompt.
	run func(w *world) (env []string, name string, args []string)
	// tool is what the host calls the tool that asks.
	tool string
	// flags are given to askbridge mcp.
	flags []string
}

// stdio is the server as a command, in the form that most hosts read.
func (h *headless) stdio(w *world) any {
	args := append([]string{"mcp", "--url", w.bridge(), "--to", place}, h.flags...)
	return map[string]any{"command": w.program("askbridge"), "args": args, "env": map[string]string{"ASKBRIDGE_TOKEN": token}}
}

// asksOverMCP is a question by the MCP tool, answered in chat.
func (h *headless) asksOverMCP(host string, server func(*headless, *world) any) func(*testing.T) {
	return func(t *testing.T) {
		w := newWorld(t, host, asks(h.tool, askUser)...)
		h.configure(w, server(h, w))
		env, name, args := h.run(w)
		w.start(w.command(env, name, args...))
		w.play(`dana picks "SQLite"`)
		w.reads("call_1", "Which database?", "SQLite")
	}
}

// geminiCLI is Gemini CLI in its headless mode. It takes tools called ask_user away there, so askbridge has another name.
var geminiCLI = &headless{
	tool: "mcp_askbridge_ask_person", flags: []string{"--tool-name", "ask_person"},
	configure: func(w *world, server any) {
		w.write(".gemini/settings.json", string(encode(w.T, map[string]any{
			"mcpServers": map[string]any{"askbridge": server},
			"security":   map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
			"telemetry":  map[string]any{"enabled": false},
			"privacy":    map[string]any{"usageStatisticsEnabled": false},
			"general":    map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "disableAutoUpdate": true, "disableUpdateNag": true},
		})))
	},
	run: func(w *world) ([]string, string, []string) {
		return geminiEnvironment(w), "gemini", []string{"-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", "please begin"}
	},
}

// geminiEnvironment points Gemini CLI at the scripted model.
func geminiEnvironment(w *world) []string {
	return w.environment("GEMINI_API_KEY=scripted", "GOOGLE_GEMINI_BASE_URL="+w.model.URL(), "GEMINI_CLI_TRUST_WORKSPACE=true")
}

var geminiScenarios = []scenario{
	{"headless, chat answers over MCP on standard input", geminiCLI.asksOverMCP("gemini", (*headless).stdio)},
}
