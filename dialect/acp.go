package dialect

import (
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// The Agent Client Protocol: elicitation/create has MCP's form, and
// session/request_permission offers options with ids.
// https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
const acpSource = "https://agentclientprotocol.com/protocol/tool-calls#requesting-permission"

func acp() Dialect {
	return Dialect{
		Name: "acp", Family: "elicitation", Host: "ACP agents", Tool: "elicitation/create, session/request_permission", Source: acpSource, leavesOut: true,
		Limits:   Limits{MaxQuestions: ask.MaxQuestions},
		Evidence: Lossy,
		Note:     "Forms as in MCP; a permission request takes one of its options and no text.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.enveloped(data)
			if !ok {
				return
			}
			c.ids(f, "sessionId", "toolCallId")
			if f["options"] == nil {
				c.elicitation(f)
				return
			}
			c.mayI(f)
		},
		write: func(c *call, picks []pick) Result {
			if c.permission {
				return c.permitted(at("outcome", `"selected"`), member{`"optionId"`, picks[0].keys[0].json})
			}
			return writeElicitation(c, picks)
		},
		end: func(c *call, e Ending, text string) Result {
			if !c.permission || e == Pending || e == Refused {
				return endElicitation(c, e, text)
			}
			if e != Declined {
				c.warn("the agent can only be told that the request was cancelled: %s", text)
			}
			return c.permitted(at("outcome", `"cancelled"`))
		},
	}
}

// mayI reads a request for a permission. The title is the agent's word for the tool
// call; its input, what it would change and where stand below it.
func (c *call) mayI(f fields) {
	title, shown := quote("May the agent go on?"), ""
	raw := f.take("toolCall")
	if !missing(raw) {
		if t, ok := c.fields("toolCall", raw); ok {
			c.request.ToolCallID = c.text("toolCall.toolCallId", t.take("toolCallId"))
			if said := c.token("toolCall.title", t.take("title")); said.text != "" {
				title = said
			}
			shown = shownCall(t)
		}
	}
	c.sent = 1
	kinds := f["options"]
	s := shape{text: []string{"question"}, options: []string{"options"}, label: []string{"name"}, optionKey: "optionId", known: []string{"kind", "_meta"}}
	c.question("", f, s)
	f.take("_meta")
	c.rest("", f)
	if c.unread {
		return
	}
	c.items[0].text = title
	c.request.Questions[0].Text, c.request.Questions[0].NoOther = title.text, true
	c.optionIDs(c.items[0])
	c.permit("toolCall", "the tool call", raw, shown, maxShown)
	c.reach(kinds)
	for n := range c.request.Questions[0].Options {
		if c.kindOf(kinds, n) == "allow_once" {
			c.offer(title.text, shown, n, n+1)
			return
		}
	}
}

// kindOf is what the agent calls the kind of an option.
func (c *call) kindOf(options json.RawMessage, n int) string {
	list, _ := c.list("options", options, "a list of options")
	if n >= len(list) {
		return ""
	}
	kind, _ := plainText(members(list[n]).take("kind"))
	return kind
}

// reach says below each option what the agent takes it for: the words on it are
// the agent's own.
func (c *call) reach(options json.RawMessage) {
	for i := range c.request.Questions[0].Options {
		switch c.kindOf(options, i) {
		case "allow_once":
			c.request.Questions[0].Options[i].Description = "Allows it this once"
		case "allow_always":
			c.request.Questions[0].Options[i].Description = "Allows it from now on, as far as the agent takes that"
		case "reject_once":
			c.request.Questions[0].Options[i].Description = "Refuses it this once"
		case "reject_always":
			c.request.Questions[0].Options[i].Description = "Refuses it from now on"
		}
	}
}

// shownCall is a tool call for people.
func shownCall(t fields) string {
	t.take("status")
	t.take("_meta")
	if input := t["rawInput"]; !missing(input) && missing(t["content"]) && missing(t["locations"]) {
		return shownInput(input)
	}
	var parts []string
	for _, name := range []string{"rawInput", "content", "locations"} {
		if !missing(t[name]) {
			parts = append(parts, name+": "+strictjson.Show(t[name]))
		}
	}
	return strings.Join(parts, "\n\n")
}

func (c *call) permitted(members ...member) Result {
	return asJSON(c.rpcResult(object(at("outcome", object(members...)))))
}
