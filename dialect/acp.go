package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// The Agent Client Protocol: elicitation/create has MCP's form, and
// session/request_permission offers options with ids.
// https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
const acpSource = "https://agentclientprotocol.com/protocol/tool-calls#requesting-permission"

// permission is the form of session/request_permission.
const permission = "permission"

func acp() Dialect {
	return Dialect{
		Name: "acp", Family: "elicitation", Host: "ACP agents", Tool: "elicitation/create, session/request_permission", Source: acpSource,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Forms as in MCP; a permission request takes one of its options and no text.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.fields("", data)
			if !ok {
				c.unread = true
				return
			}
			f = c.rpc(f)
			c.ids(f, "sessionId", "toolCallId")
			if f["options"] == nil {
				c.elicitation(f)
				return
			}
			c.permission(f)
		},
		write: func(c *call, picks []pick) Result {
			if picks[0].kind == permission {
				return c.permitted(at("outcome", `"selected"`), member{`"optionId"`, picks[0].keys[0].json})
			}
			return writeElicitation(c, picks)
		},
		end: func(c *call, e Ending, text string) Result {
			if len(c.items) != 1 || c.items[0].kind != permission || e == Pending || e == Refused {
				return endElicitation(c, e, text)
			}
			if e != Declined {
				c.warn("the agent can only be told that the request was cancelled: %s", text)
			}
			return c.permitted(at("outcome", `"cancelled"`))
		},
	}
}

func (c *call) permission(f fields) {
	title := quote("May the agent go on?")
	if call := f.take("toolCall"); !missing(call) {
		if t, ok := c.fields("toolCall", call); ok {
			c.request.ToolCallID = c.text("toolCall.toolCallId", t["toolCallId"])
			if said := c.token("toolCall.title", t["title"]); said.text != "" {
				title = said
			}
		}
	}
	c.sent = 1
	s := shape{text: []string{"question"}, options: []string{"options"}, label: []string{"name"}, optionKey: "optionId", known: []string{"kind", "_meta"}}
	c.question("", f, s)
	f.take("_meta")
	c.rest("", f)
	c.items[0].kind, c.items[0].text = permission, title
	c.request.Questions[0].Text, c.request.Questions[0].NoOther = title.text, true
	c.optionIDs(c.items[0])
}

func (c *call) permitted(members ...member) Result {
	return asJSON(c.rpcResult(object(at("outcome", object(members...)))))
}
