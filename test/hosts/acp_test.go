//go:build hosts

package hosts

import (
	"encoding/json"
	"slices"
)

// editor is a client of the Agent Client Protocol that starts an agent through askbridge connect acp.
// https://agentclientprotocol.com/protocol/v1/overview
type editor struct {
	*rpc

	session string
	prompt  string
}

// opensEditor starts an agent's command and a session, with askbridge as docs/hosts.md configures it in an editor. Dana
// decides about permissions.
func (w *world) opensEditor(env, agent []string, flags ...string) *editor {
	w.Helper()
	var config struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"agent_servers"`
	}
	if err := json.Unmarshal([]byte(w.guide("acp-editor")), &config); err != nil {
		w.Fatal(err)
	}
	server := config.Servers["Gemini with askbridge"]
	for name, value := range server.Env {
		env = append(env, name+"="+value)
	}
	end := max(0, slices.Index(server.Args, "--"))
	args := slices.Concat(server.Args[:end], []string{"--bridge", w.bridge()}, flags, []string{"--", w.program(agent[0])}, agent[1:])
	e := &editor{rpc: w.speak(w.command(env, server.Command, args...))}
	e.call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}}})
	e.session = e.member(e.call("session/new", map[string]any{"cwd": w.work, "mcpServers": []any{}}), "sessionId")
	return e
}

// begins sends a prompt.
func (e *editor) begins() {
	e.Helper()
	e.prompt = e.begin("session/prompt", map[string]any{"sessionId": e.session, "prompt": []any{map[string]any{"type": "text", "text": "please begin"}}})
}

// cancels cancels the turn, and waits until it has ended.
func (e *editor) cancels() {
	e.Helper()
	e.send(map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]any{"sessionId": e.session}})
	e.await("the end of the turn", func(m *message) bool { return m.Method == "" && string(m.ID) == e.prompt })
}

// allows answers a permission request that arrived in the editor.
func (e *editor) allows() {
	e.Helper()
	asked := e.requested("session/request_permission")
	var p struct {
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	if err := json.Unmarshal(asked.Params, &p); err != nil {
		e.Fatal(err)
	}
	for _, o := range p.Options {
		if o.Kind == "allow_once" {
			e.respond(asked, encode(e.T, map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.ID}}))
			return
		}
	}
	e.Fatalf("no option allows it once: %s", asked.Params)
}
