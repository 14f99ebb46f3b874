//go:build hosts

package hosts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
)

// opencode is a server of OpenCode with askbridge beside it.
type opencode struct {
	*world

	url, session string
}

const (
	openCodeAsks = `{"questions":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"On our servers"},{"label":"SQLite","description":"One file"}]}]}`
)

// newOpenCode starts the server, connects askbridge and sends the first prompt.
func newOpenCode(t *testing.T, flags []string, turns ...model.Turn) *opencode {
	t.Helper()
	o := &opencode{world: newWorld(t, "opencode", turns...)}
	o.write(".config/opencode/opencode.json", string(encode(t, map[string]any{
		"autoupdate": false, "share": "disabled", "model": "scripted/scripted", "small_model": "scripted/scripted",
		"permission": map[string]any{"bash": "ask", "edit": "ask"},
		"provider": map[string]any{"scripted": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Scripted",
			"options": map[string]any{"baseURL": o.model.URL() + "/v1", "apiKey": "scripted"},
			"models":  map[string]any{"scripted": map[string]any{"name": "Scripted", "tool_call": true}},
		}},
	})))
	env := o.environment("OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1")
	port := o.freePort()
	o.url = "http://127.0.0.1:" + port
	said, _ := o.start(o.command(env, "opencode", "serve", "--print-logs", "--hostname", "127.0.0.1", "--port", port))
	// OpenCode never answers a request that arrives before this line.
	o.until("OpenCode listens", func() bool { return strings.Contains(said.String(), "server listening on") })
	args := append([]string{"connect", "opencode", "--url", o.url, "--bridge", o.bridge(), "--to", place}, flags...)
	o.start(o.command(env, "askbridge", args...))
	o.session = o.member(o.post("/session", map[string]any{"title": "scripted"}), "id")
	o.post("/session/"+o.session+"/prompt_async", map[string]any{
		"model": map[string]any{"providerID": "scripted", "modelID": "scripted"},
		"parts": []any{map[string]any{"type": "text", "text": "please begin"}},
	})
	return o
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

var openCodeScenarios = []scenario{
	{"chat answers a question", func(t *testing.T) {
		o := newOpenCode(t, nil, asks("question", openCodeAsks)...)
		o.play(`dana picks "SQLite"`)
		o.reads("call_1", `"Which database?"="SQLite"`)
	}},
	{"OpenCode's own screen answers first", func(t *testing.T) {
		o := newOpenCode(t, nil, asks("question", openCodeAsks)...)
		o.play(`dana sees "Which database?" "[SQLite]"`)
		var pending []struct {
			ID string `json:"id"`
		}
		resp, err := o.request(o.ctx, http.MethodGet, "/question", nil)
		if err == nil {
			err = json.NewDecoder(resp.Body).Decode(&pending)
			resp.Body.Close()
		}
		if err != nil || len(pending) != 1 {
			t.Fatalf("pending: %v, %v", pending, err)
		}
		o.post("/question/"+pending[0].ID+"/reply", map[string]any{"answers": [][]string{{"Postgres"}}})
		o.reads("call_1", `"Which database?"="Postgres"`)
		o.play(`dana sees "it was answered in OpenCode"`)
	}},
	{"a dismissed question ends the turn", func(t *testing.T) {
		o := newOpenCode(t, nil, model.Turn{Calls: []model.Call{{Tool: "question", Input: openCodeAsks}}})
		o.play(`dana dismisses`)
		o.play(`dana sees "Dismissed by @Dana"`)
	}},
	{"an aborted session closes its card", func(t *testing.T) {
		o := newOpenCode(t, nil, model.Turn{Calls: []model.Call{{Tool: "question", Input: openCodeAsks}}})
		o.play(`dana sees "[SQLite]"`)
		o.post("/session/"+o.session+"/abort", nil)
		o.play(`dana no longer sees "[SQLite]"`)
	}},
	{"an aborted session closes the card of a permission", func(t *testing.T) {
		o := newOpenCode(t, permitted, model.Turn{Calls: []model.Call{{Tool: "bash", Input: `{"command":"echo 42","description":"Say it"}`}}})
		o.play(`dana sees "echo 42" "[Allow]"`)
		o.post("/session/"+o.session+"/abort", nil)
		o.play(`dana no longer sees "[Allow]"`)
	}},
	{"chat allows a command", func(t *testing.T) {
		o := newOpenCode(t, permitted, asks("bash", `{"command":"echo $((40 + 2))","description":"Add"}`)...)
		o.play(`dana presses "Allow"`)
		o.reads("call_1", "42")
	}},
	{"chat denies a command", func(t *testing.T) {
		o := newOpenCode(t, permitted, model.Turn{Calls: []model.Call{{Tool: "bash", Input: `{"command":"touch denied","description":"Leave a file"}`}}})
		o.play(`dana presses "Deny"
dana sees "Deny" "Answered by @Dana"`)
	}},
	{"an edit is shown as a diff", func(t *testing.T) {
		path := filepath.Join("file.txt")
		o := newOpenCode(t, permitted, asks("write", fmt.Sprintf(`{"filePath":%q,"content":"one\ntwo\n"}`, path))...)
		o.play(`dana sees "+one\n+two"
dana presses "Allow"`)
		o.reads("call_1", "")
	}},
}

// permitted has permissions asked of Dana.
var permitted = []string{"--permissions", "--responder", dana}
