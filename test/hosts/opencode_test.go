//go:build hosts

package hosts

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// opencode is a server of OpenCode with askbridge next to it.
type opencode struct {
	*world

	url, session string
}

const (
	openCodeAsks = `{"questions":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"On our servers"},{"label":"SQLite","description":"One file"}]}]}`
)

// newOpenCode configures OpenCode and chooses its address.
func newOpenCode(t *testing.T) *opencode {
	t.Helper()
	o := &opencode{world: newWorld(t, "opencode")}
	o.write(".config/opencode/opencode.json", string(encode(t, map[string]any{
		"autoupdate": false, "share": "disabled", "model": "scripted/scripted", "small_model": "scripted/scripted",
		"permission": map[string]any{"bash": "ask", "edit": "ask"},
		"provider": map[string]any{"scripted": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Scripted",
			"options": map[string]any{"baseURL": o.model.URL() + "/v1", "apiKey": "scripted"},
			"models":  map[string]any{"scripted": map[string]any{"name": "Scripted", "tool_call": true}},
		}},
	})))
	o.url = "http://127.0.0.1:" + o.freePort()
	return o
}

func (o *opencode) env() []string {
	return o.environment("OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1")
}

// serves starts the server of OpenCode without a screen, and askbridge next to it.
func (o *opencode) serves(flags ...string) *opencode {
	o.Helper()
	_, port, _ := strings.Cut(strings.TrimPrefix(o.url, "http://"), ":")
	output, _ := o.start(o.command(o.env(), "opencode", "serve", "--print-logs", "--hostname", "127.0.0.1", "--port", port))
	// OpenCode never answers a request that arrives before this line.
	o.until("OpenCode listens", func() bool { return strings.Contains(output.String(), "server listening on") })
	o.joins(flags...)
	return o
}

// commands are those of docs/hosts.md: OpenCode, and askbridge next to it.
func (o *opencode) commands() [][]string {
	o.Helper()
	_, port, _ := strings.Cut(strings.TrimPrefix(o.url, "http://"), ":")
	return o.lines("opencode-connect", "4096", port)
}

// joins starts askbridge next to the server.
func (o *opencode) joins(flags ...string) {
	o.Helper()
	o.start(o.connects(o.env(), o.commands()[1], flags...))
}

// prompts begins a session in which the model follows a script.
func (o *opencode) prompts(turns ...model.Turn) {
	o.Helper()
	o.model.Expect(turns...)
	o.session = o.member(o.post("/session", map[string]any{"title": "scripted"}), "id")
	o.proceeds()
}

// proceeds sends a prompt to the session.
func (o *opencode) proceeds() {
	o.Helper()
	o.post("/session/"+o.session+"/prompt_async", map[string]any{
		"model": map[string]any{"providerID": "scripted", "modelID": "scripted"},
		"parts": []any{map[string]any{"type": "text", "text": "please go on"}},
	})
}

// aborts ends the turn of the session, as its own screen does.
func (o *opencode) aborts() {
	o.Helper()
	o.post("/session/"+o.session+"/abort", nil)
}

func (o *opencode) request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, o.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json") // OpenCode never answers a GET with this header.
	}
	return http.DefaultClient.Do(req)
}

// post calls the API of the server.
func (o *opencode) post(path string, body any) json.RawMessage {
	o.Helper()
	resp, err := o.request(o.ctx, http.MethodPost, path, encode(o.T, body))
	if err != nil {
		o.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		o.Fatalf("POST %s: %d, %v: %s", path, resp.StatusCode, err, data)
	}
	return data
}

// freePort is a port that is free now.
func (w *world) freePort() string {
	w.Helper()
	var lc net.ListenConfig
	ln, err := lc.Listen(w.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		w.Fatal(err)
	}
	return port
}

// openCodeTurn is a script in which the model calls a tool and then ends.
func openCodeTurn(id, tool, input string) []model.Turn {
	return []model.Turn{{Calls: []model.Call{{ID: id, Tool: tool, Input: input}}}, {Say: "All done."}}
}

const openCodeAsksThree = `{"questions":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"On our servers"},{"label":"SQLite","description":"One file"}]},` +
	`{"question":"Which checks?","header":"Checks","multiple":true,"options":[{"label":"Smoke","description":"Fast"},{"label":"Load","description":"Slow"},{"label":"Lint","description":"Style"}]},` +
	`{"question":"Which region?","header":"Region","options":[{"label":"eu","description":"Frankfurt"},{"label":"us","description":"Ohio"}]}]}`

// openCodeQuestions are the questions of one server.
func openCodeQuestions(t *testing.T) {
	t.Helper()
	o := newOpenCode(t).serves()
	o.prompts(openCodeTurn("picked", "question", openCodeAsks)...)
	o.play(`dana picks "SQLite"`)
	o.reads("picked", `"Which database?"="SQLite"`)

	o.prompts(openCodeTurn("three", "question", openCodeAsksThree)...)
	o.play(`dana picks "Postgres"
dana picks "Smoke"
dana picks "Lint"
dana writes "Mars" under "Which region?"
dana submits`)
	o.reads("three", `"Which database?"="Postgres"`, `"Which checks?"="Smoke, Lint"`, `"Which region?"="Mars"`)

	o.prompts(openCodeTurn("there", "question", openCodeAsks)...)
	o.play(`dana sees "[SQLite]"`)
	o.post("/question/"+o.pending("/question")+"/reply", map[string]any{"answers": [][]string{{"Postgres"}}})
	o.reads("there", `"Which database?"="Postgres"`)
	o.play(`dana sees "it was answered in OpenCode"`)

	// OpenCode ends the turn for a dismissal, and its model reads of it with the next prompt.
	o.prompts(openCodeTurn("dismissed", "question", openCodeAsks)[0])
	o.play(`dana dismisses
dana sees "Dismissed by @Dana"`)
	o.idles()
	o.model.Expect(model.Turn{Say: "All done."})
	o.proceeds()
	o.reads("dismissed", "The user dismissed this question")

	o.prompts(openCodeTurn("aborted", "question", openCodeAsks)[0])
	o.play(`dana sees "[SQLite]"`)
	o.aborts()
	o.play(`dana no longer sees "[SQLite]"
dana sees "the agent's turn has ended"`)

	o.prompts(openCodeTurn("restarted", "question", openCodeAsks)...)
	o.play(`dana sees "[SQLite]"`)
	o.stopBridge()
	o.startBridge()
	o.play(`dana picks "SQLite"`)
	o.reads("restarted", `"Which database?"="SQLite"`)
}

// pending waits until the server lists one prompt, and returns its id.
func (o *opencode) pending(route string) (id string) {
	o.Helper()
	o.until("one prompt waits at "+route, func() bool {
		var all []struct {
			ID string `json:"id"`
			// Session is compared because the server keeps listing what an aborted session asked.
			Session string `json:"sessionID"`
		}
		o.get(route, &all)
		for _, p := range all {
			if p.Session == o.session {
				id = p.ID
			}
		}
		return id != ""
	})
	return id
}

// idles waits until the session does nothing.
func (o *opencode) idles() {
	o.Helper()
	o.until("the session is idle", func() bool {
		var all map[string]struct {
			Type string `json:"type"`
		}
		o.get("/session/status", &all)
		return all[o.session].Type == "" || all[o.session].Type == "idle"
	})
}

// get reads from the API of the server.
func (o *opencode) get(path string, into any) {
	o.Helper()
	resp, err := o.request(o.ctx, http.MethodGet, path, nil)
	if err != nil {
		o.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		o.Fatalf("GET %s: %v", path, err)
	}
}

// openCodePermissions are the permissions of one server.
func openCodePermissions(t *testing.T) {
	t.Helper()
	o := newOpenCode(t).serves("--permissions", "--responder", dana)
	bash := func(command string) string {
		return string(encode(t, map[string]any{"command": command, "description": "Do it"}))
	}
	o.prompts(openCodeTurn("allowed", "bash", bash("echo $((40 + 2))"))...)
	o.play(`dana sees "wants to run a command" "in ` + o.work + `" "echo $((40 + 2))"
dana no longer sees "metadata"
dana picks "Allow"
dana sees "echo $((40 + 2))" "✓ Allow"`)
	o.reads("allowed", "42")

	// What is allowed for the session is not asked again.
	o.prompts(append(openCodeTurn("first", "bash", bash("ls ."))[:1], openCodeTurn("again", "bash", bash("ls .."))...)...)
	o.play(`dana picks "Allow for this session: ls *"`)
	o.reads("again", "")

	o.prompts(openCodeTurn("denied", "bash", bash("touch denied"))[0])
	o.play(`dana picks "Deny"
dana sees "touch denied" "✓ Deny"`)
	o.idles()

	o.prompts(openCodeTurn("worded", "bash", bash("rm -rf build"))...)
	o.play(`dana presses "Other…"
dana fills "Use make clean"
dana submits`)
	o.reads("worded", "Dana denied this and wrote: Use make clean")

	o.prompts(openCodeTurn("written", "write", `{"filePath":"file.txt","content":"one\ntwo\n"}`)...)
	o.play(`dana sees "wants to change files" "+one\n+two"
dana picks "Allow"`)
	o.reads("written", "")
	if data, err := os.ReadFile(filepath.Join(o.work, "file.txt")); err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("the file has %q, %v", data, err)
	}

	o.prompts(openCodeTurn("long", "bash", bash("echo "+strings.Repeat("x", 3500)))...)
	o.play(`dana sees "command.txt"
dana picks "Allow"`)
	o.reads("long", strings.Repeat("x", 100))

	o.prompts(openCodeTurn("aborted", "bash", bash("touch aborted"))[0])
	o.play(`dana sees "touch aborted" "[1. Allow]"`)
	o.aborts()
	o.play(`dana no longer sees "[1. Allow]"`)

	o.prompts(openCodeTurn("there", "bash", bash("touch there"))...)
	o.play(`dana sees "touch there" "[1. Allow]"`)
	o.post("/permission/"+o.pending("/permission")+"/reply", map[string]any{"reply": "once"})
	o.reads("there", "")
	o.play(`dana sees "it was answered in OpenCode"`)
}

// openCodeTerminal is OpenCode in a terminal, which listens because it has a port.
func openCodeTerminal(t *testing.T) {
	t.Helper()
	o := newOpenCode(t)
	o.model.Expect(append(openCodeTurn("chat", "question", openCodeAsks), openCodeTurn("terminal", "question", openCodeAsks)...)...)
	command := o.commands()[0]
	term := o.terminal(o.env(), command[0], append(command[1:], "--prompt", "please begin")...)
	term.shows("Which database?", "esc dismiss")
	o.joins()
	o.play(`dana picks "SQLite"`)
	o.reads("chat", `"Which database?"="SQLite"`)
	term.shows("All done.")
	term.keys("please go on", "Enter")
	o.play(`dana sees "[SQLite]"`)
	term.shows("Which database?", "esc dismiss")
	term.keys("Enter")
	o.reads("terminal", `"Which database?"="Postgres"`)
	o.play(`dana sees "it was answered in OpenCode"`)
}

var openCodeScenarios = []scenario{
	{"questions of a server", openCodeQuestions},
	{"permissions of a server", openCodePermissions},
	{"a terminal with a port", openCodeTerminal},
}
