//go:build hosts

package hosts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// guided leaves the configuration to the commands of a block of docs/hosts.md.
func guided(block string) func(*headless, *world) any {
	return func(_ *headless, w *world) any {
		w.follows(block, w.environment("COPILOT_OFFLINE=true"))
		return nil
	}
}

// genericServer is the configuration that most hosts read.
func genericServer(w *world) string { return w.guide("mcp-json") }

// copilotCLI is GitHub Copilot CLI with a model provider of its own, which needs no account.
// https://docs.github.com/en/copilot/how-tos/copilot-cli
var copilotCLI = &headless{
	tool: "askbridge-ask_user", block: genericServer, address: "url",
	configure: func(w *world, server any) {
		if server != nil {
			w.write(".copilot/mcp-config.json", string(encode(w.T, map[string]any{"mcpServers": servers(server)})))
		}
	},
	run: func(w *world) ([]string, string, []string) {
		env := w.environment("COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL="+w.model.URL()+"/v1",
			"COPILOT_PROVIDER_API_KEY=scripted", "COPILOT_MODEL=gpt-4.1")
		return env, "copilot", []string{"--allow-tool", "askbridge(ask_user)", "-p", "please begin"}
	},
}

var copilotScenarios = []scenario{
	{"headless, chat answers over MCP on standard input", copilotCLI.asksOverMCP("copilot", guided("copilot-mcp"))},
	{"headless, chat answers over MCP over HTTP", copilotCLI.asksOverMCP("copilot", (*headless).http)},
	{"over ACP, a person allows a command in chat", copilotOverACP},
}

// copilotOverACP has a person allow a command of Copilot CLI, which runs behind askbridge connect acp.
func copilotOverACP(t *testing.T) {
	t.Helper()
	w := newWorld(t, "copilot", asks("bash", `{"command":"touch made","description":"Make a file"}`)...)
	env, _, _ := copilotCLI.run(w)
	w.opensEditor(env, []string{"copilot", "--acp"}).begins()
	w.play("dana sees \"touch made\"\ndana presses \"Allow once\"")
	w.reads("call_1")
	if _, err := os.Stat(filepath.Join(w.work, "made")); err != nil {
		t.Error(err)
	}
}

// clineCLI is the Cline CLI without a terminal, where it approves every tool call itself.
var clineCLI = &headless{
	tool: "askbridge__ask_user", block: genericServer,
	configure: func(w *world, server any) {
		w.must(w.command(w.environment(), "cline", "auth", "-p", "openai", "-k", "scripted", "-m", "gpt-4.1", "-b", w.model.URL()+"/v1"))
		if server != nil {
			w.write(".cline/data/settings/cline_mcp_settings.json", string(encode(w.T, map[string]any{"mcpServers": servers(server)})))
		}
	},
	run: func(w *world) ([]string, string, []string) {
		return w.environment(), "cline", []string{"please begin", "--json"}
	},
}

var clineScenarios = []scenario{
	{"headless, chat answers over MCP on standard input", clineCLI.asksOverMCP("cline", (*headless).stdio)},
	{"headless, chat answers over MCP over HTTP", clineCLI.asksOverMCP("cline", guided("cline-mcp"))},
	{"headless, its own question takes the first option without asking anyone", func(t *testing.T) {
		w := newWorld(t, "cline", asks("ask_question", `{"question":"Which fruit?","options":["Apple","Banana"]}`)...)
		clineCLI.configure(w, nil)
		env, name, args := clineCLI.run(w)
		w.start(w.command(env, name, args...))
		w.reads("call_1", "Apple")
		if n := w.cards("Which fruit?"); n != 0 {
			t.Errorf("%d cards", n)
		}
	}},
}

var mcpScenarios = []scenario{
	{"the inspector finds no fault with the tools", func(t *testing.T) {
		w := newWorld(t, "mcp")
		out := w.must(w.command(w.environment(), "mcp-inspector", "--cli", w.bridge()+"/mcp", "--header", "Authorization: Bearer "+token, "--method", "tools/list", "--strict"))
		for _, want := range []string{`"ask_user"`, `"wait_for_answer"`} {
			if !strings.Contains(out, want) {
				t.Errorf("no %s in:\n%s", want, out)
			}
		}
	}},
	{"the inspector asks over standard input", func(t *testing.T) {
		w := newWorld(t, "mcp")
		output, ended := w.start(w.command(w.environment(), "mcp-inspector", "--cli", askbridge(t), "mcp", "--url", w.bridge(), "-e", "ASKBRIDGE_TOKEN="+token,
			"--method", "tools/call", "--tool-name", "ask_user", "--tool-arg", "question=Which database?", `options=["Postgres","SQLite"]`))
		w.play(`dana picks "SQLite"`)
		if err := <-ended; err != nil || !strings.Contains(output.String(), `"selected": [`) {
			t.Errorf("%v, it prints %s", err, output)
		}
	}},
	{"the client 1.x goes on with wait_for_answer", func(t *testing.T) {
		w := newWorld(t, "mcp")
		output, ended := w.runs("mcp-sdk1.mjs", askbridge(t), "mcp", "--url", w.bridge(), "--budget", "1s")
		if err := output.Await(w.ctx, "pending"); err != nil {
			t.Fatal(err)
		}
		w.play(`dana picks "SQLite"`)
		if ended(); output.String() != "pending\nWhich database?\nSQLite\n" {
			t.Errorf("it got %q", output)
		}
	}},
	{"the client 2.x asks over HTTP", func(t *testing.T) {
		w := newWorld(t, "mcp")
		output, ended := w.runs("mcp-client2.mjs")
		w.play(`dana picks "SQLite"`)
		if ended(); output.String() != "Which database?\nSQLite\n" {
			t.Errorf("it got %q", output)
		}
	}},
}
