package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// crushPermission reads a permission request, as the server's event permission_request has
// it. What goes back is the body for POST /v1/workspaces/{id}/permissions/grant, which
// repeats the request. Allowed for the session is whatever the same tool does in the same
// folder under the same name of an action, with any input.
// https://github.com/charmbracelet/crush/blob/37f36e9/internal/proto/permission.go,
// https://github.com/charmbracelet/crush/blob/37f36e9/internal/permission/permission.go
func (c *call) crushPermission(f fields, data json.RawMessage) {
	c.request.ToolCallID = c.text("tool_call_id", f.take("tool_call_id"))
	c.ids(f, "session_id", "")
	f.take("id")
	tool, action := c.text("tool_name", f.take("tool_name")), c.text("action", f.take("action"))
	folder, description := c.text("path", f.take("path")), c.text("description", f.take("description"))
	input := f.take("params")
	if len(fieldList(f["contexts"])) == 0 {
		f.take("contexts")
	}
	f.take("pending_contexts")
	f.take("deny_reason")
	c.cwd = folder
	reply := func(word string) js { return object(at("permission", js(data)), at("action", str(word))) }
	p := &prompt{
		title: "May Crush use " + brief(tool) + "?", tool: tool, path: "params", input: input, deaf: true,
		context: inFolder(folder), refuse: func(string) js { return reply("deny") },
	}
	if missing(input) {
		p.shown = lines(shownText(description), shownRest(f))
	} else {
		p.shown = lines(shownInput(input), shownRest(f))
	}
	if p.shown == "" {
		c.badAt("params", ask.ErrSyntax, "is not there, so nobody could see what would be done")
	}
	p.ways = []way{
		{label: claudeAllow, reply: reply("allow")},
		{
			label: "Allow for this session: every " + brief(tool), reach: PersistSession, reply: reply("allow_session"),
			says: "Whatever " + shownText(brief(tool)) + " does under the name “" + shownText(brief(action)) + "” in this folder runs without asking until the session ends, with any input",
		},
		{label: claudeDeny, reply: reply("deny")},
	}
	c.asksFor(p)
}
