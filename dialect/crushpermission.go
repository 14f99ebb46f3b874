package dialect

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/visible"
)

// crushPermission reads a permission request, as the server's event permission_request has
// it. What goes back is the body for POST /v1/workspaces/{id}/permissions/grant, which
// repeats the request. Allowed for the session is whatever the same tool does in the same
// folder under the same name of an action, with any input.
// https://github.com/charmbracelet/crush/blob/37f36e9/internal/proto/permission.go,
// https://github.com/charmbracelet/crush/blob/37f36e9/internal/permission/permission.go
func (c *call) crushPermission(f fields, data json.RawMessage) {
	c.request.ToolCallID = c.text("tool_call_id", f["tool_call_id"])
	c.ids(maps.Clone(f), "session_id", "")
	tool, action := c.text("tool_name", f["tool_name"]), c.text("action", f["action"])
	input, place := f["params"], fields{"cwd": f["path"], homeMember: f[homeMember]}
	covered := c.covered(f, "tool_name", "action", "path", "params")
	for _, name := range crushEmpty {
		if empty := string(f[name]); empty == "[]" || empty == `""` {
			delete(covered, name)
		}
	}
	reply := func(word string) js { return object(at("permission", js(data)), at("action", str(word))) }
	p := &prompt{
		title: "May Crush use " + named(tool) + " to “" + named(action) + "”?", tool: tool, path: "params", input: input, deaf: true,
		refuse: func(string) js { return reply("deny") },
	}
	if missing(input) {
		if description, ok := plainText(f["description"]); ok && description != "" {
			p.shown, input = agentWords+visible.Quote(description), f["description"]
		} else {
			c.badAt("params", ask.ErrSyntax, "is not there, so nobody could see what would be done")
		}
		if slices.Contains(crushEdits, tool) {
			p.shown = lines(p.shown, noContent)
		}
		c.covers(tool, place, action, input, covered)
	} else {
		var inner any
		p.shown, p.words, inner = toolInput(input, c.isShell(tool))
		c.covers(tool, place, action, inner, covered)
	}
	p.shown = withPrompt(p.shown, shownParts("", covered))
	p.ways = []way{
		{label: claudeAllow, reply: reply("allow")},
		{
			label: "Allow for this session: every " + brief(tool), reach: PersistSession, reply: reply("allow_session"),
			says: "Whatever " + named(tool) + " does under the name “" + named(action) + "” in this folder runs without asking until the session ends, with any input",
		},
		{label: claudeDeny, reply: reply("deny")},
	}
	c.asksFor(p)
}

// crushEmpty are members that may be empty, which means the same as absent.
var crushEmpty = []string{"contexts", "pending_contexts", "deny_reason"}

// crushEdits are the tools that change files.
var crushEdits = []string{"edit", "multiedit", "write"}
