//go:build hosts

package hosts

import (
	"encoding/json"
	"testing"
)

// headless is a host that runs one prompt without a terminal and has the MCP server of askbridge.
type headless struct {
	// configure writes the configuration of the host, with this server.
	configure func(w *world, server any)
	// run is the command that runs one prompt.
	run func(w *world) (env []string, name string, args []string)
	// tool is what the host calls the tool that asks.
	tool string
	// block returns the configuration in docs/hosts.md.
	block func(w *world) string
	// query and address are those of a server over HTTP: the query of the address, and the member that holds the address.
	query, address string
}

// stdio is the server as a command, as docs/hosts.md has it.
func (h *headless) stdio(w *world) any {
	var config struct {
		Servers map[string]map[string]any `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(h.block(w)), &config); err != nil {
		w.Fatal(err)
	}
	return config.Servers["askbridge"]
}

// http is the same server over HTTP.
func (h *headless) http(w *world) any {
	server := h.stdio(w).(map[string]any)
	for _, name := range []string{"command", "args", "env"} {
		delete(server, name)
	}
	server[h.address] = w.bridge() + "/mcp" + h.query
	server["headers"] = map[string]string{"Authorization": "Bearer " + token}
	return server
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

// servers are the MCP servers of a configuration; nil means none.
func servers(server any) map[string]any {
	if server == nil {
		return map[string]any{}
	}
	return map[string]any{"askbridge": server}
}
