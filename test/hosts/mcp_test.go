//go:build hosts

package hosts

import (
	"cmp"
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
	// flags are given to askbridge mcp.
	flags []string
	// address is the member that holds the address of a server over HTTP; empty means url.
	address string
}

// stdio is the server as a command, in the form that most hosts read.
func (h *headless) stdio(w *world) any {
	args := append([]string{"mcp", "--url", w.bridge(), "--to", place}, h.flags...)
	return map[string]any{"command": w.program("askbridge"), "args": args, "env": map[string]string{"ASKBRIDGE_TOKEN": token}}
}

// http is the server over HTTP, in the form that most hosts read.
func (h *headless) http(w *world) any {
	address := w.bridge() + "/mcp"
	if len(h.flags) == 2 { // --tool-name and the name
		address += "?tool_name=" + h.flags[1]
	}
	return map[string]any{cmp.Or(h.address, "url"): address, "headers": map[string]string{"Authorization": "Bearer " + token}}
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
