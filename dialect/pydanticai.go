package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// Pydantic AI's deferred tools: a run ends with DeferredToolRequests, whose
// calls carry tool_call_id, tool_name and args; it goes on with
// DeferredToolResults, which hold any value by tool_call_id. The arguments are
// read in the form of Claude's tool, the value is a map from question text to
// label, with a list for a multi-select question.
// https://ai.pydantic.dev/deferred-tools/
const pydanticSource = "https://ai.pydantic.dev/deferred-tools/"

func pydanticAI() Dialect {
	return Dialect{
		Name: "pydantic-ai", Family: "pydantic-ai", Host: "Pydantic AI, deferred tools", Tool: "any", Source: pydanticSource, leavesOut: true,
		Evidence: Unverified,
		Note:     "The value is whatever the tool's type allows; the map by question text and the form of a set without an answer are ours.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.fields("", data)
			if !ok {
				c.unread = true
				return
			}
			if calls := f["calls"]; calls != nil {
				list, ok := c.list("calls", calls, "a list of tool calls")
				if !ok || len(list) != 1 {
					c.badAt("calls", ask.ErrSyntax, "holds %d calls; send one at a time", len(list))
					c.unread = true
					return
				}
				if f, ok = c.fields("calls[0]", list[0]); !ok {
					c.unread = true
					return
				}
			}
			c.id = c.token("tool_call_id", f.take("tool_call_id"))
			c.request.ToolCallID = c.id.text
			if args := f.take("args"); args != nil {
				data = c.opened("args", args)
			}
			if c.readSet(data, claudeShape, "tool_call_id"); c.unread {
				return
			}
			c.unique("question", itemText)
		},
		write: func(c *call, picks []pick) Result {
			var answers []member
			for _, p := range picks {
				switch {
				case p.skipped:
				case p.multi:
					answers = append(answers, member{p.text.json, labelList(p.values())})
				default:
					answers = append(answers, member{p.text.json, c.joined(p).json})
				}
			}
			return asJSON(c.pydanticResults(object(answers...)))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Pending {
				return asJSON(`{"calls":{}}`)
			}
			return asJSON(c.pydanticResults(object(at("status", str(string(e))), at("message", str(text))))).asError()
		},
	}
}

func (c *call) pydanticResults(value js) js {
	if c.id.empty() {
		return value
	}
	return object(at("calls", object(member{c.id.json, value})))
}
