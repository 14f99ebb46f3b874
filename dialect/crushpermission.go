package dialect

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/operation"
	"github.com/askbridge/askbridge/dialect/internal/preview"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/visible"
)

// crushPermission reads a request for permission from the server's event permission_request. The reply is the body of
// POST /v1/workspaces/{id}/permissions/grant, which repeats the request. Allowing it for the session allows the same action
// of the same tool in the same folder, with any input.
// https://github.com/charmbracelet/crush/blob/37f36e9/internal/proto/permission.go,
// https://github.com/charmbracelet/crush/blob/37f36e9/internal/permission/permission.go
func crushPermission(c *call, f js.Fields, data json.RawMessage) {
	c.Request.ToolCallID = c.Text("tool_call_id", f["tool_call_id"])
	c.IDs(maps.Clone(f), "session_id", "")
	tool, action := c.Text("tool_name", f["tool_name"]), c.Text("action", f["action"])
	input, place := f["params"], js.Fields{"cwd": f["path"], operation.Home: f[operation.Home]}
	covered := c.covered(f, "tool_name", "action", "path", "params")
	for _, name := range crushEmpty {
		if empty := string(f[name]); empty == "[]" || empty == `""` {
			delete(covered, name)
		}
	}
	reply := func(word string) js.Text {
		return js.Object(js.At("permission", js.Text(data)), js.At("action", js.String(word)))
	}
	p := &prompt{
		title: "May Crush use " + quote.Name(tool) + " to “" + quote.Name(action) + "”?", tool: tool, path: "params", input: input, silent: true,
		refuse: func(string) js.Text { return reply("deny") },
	}
	if js.Missing(input) {
		if description, ok := js.StringOf(f["description"]); ok && description != "" {
			p.shown, input = preview.AgentWords+visible.Quote(description), f["description"]
		} else {
			c.Reject("params", ask.ErrSyntax, "is missing, so people could not see what would be done")
		}
		if slices.Contains(crushEdits, tool) {
			p.shown = quote.Paragraphs(p.shown, preview.NoContent)
		}
		c.covers(tool, place, action, input, covered)
	} else {
		var inner any
		p.shown, p.words, inner = preview.ToolInput(input, c.isShell(tool))
		c.covers(tool, place, action, inner, covered)
	}
	p.shown = preview.WithPrompt(p.shown, preview.Parts("", covered))
	p.ways = []way{
		{label: labelAllow, reply: reply("allow")},
		{
			label: "Allow for this session: every " + quote.Brief(tool), reach: PersistSession, reply: reply("allow_session"),
			text: quote.Name(tool) + " may “" + quote.Name(action) + "” in this folder without asking until the session ends, with any input",
		},
		{label: labelDeny, denies: true, reply: reply("deny")},
	}
	c.askFor(p)
}

// crushEmpty are members that count as absent if they are empty.
var crushEmpty = []string{"contexts", "pending_contexts", "deny_reason"}

// crushEdits are the tools that change files.
var crushEdits = []string{"edit", "multiedit", "write"}
