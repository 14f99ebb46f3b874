package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// Pydantic AI's deferred tools: a run ends with DeferredToolRequests, whose calls have tool_call_id, tool_name and args. It continues
// with DeferredToolResults, which hold any value by tool_call_id. The arguments have the form of Claude's tool, and the value is a
// map from question text to label, with a list for a multi-select question.
// https://ai.pydantic.dev/deferred-tools/
const pydanticSource = "https://ai.pydantic.dev/deferred-tools/"

func pydanticAI() Dialect {
	return Dialect{
		Name: "pydantic-ai", Family: "pydantic-ai", Host: "Pydantic AI, deferred tools", Tool: "any", Source: pydanticSource, canSkip: true,
		Evidence: Unverified,
		Note:     "The value is whatever the tool's type allows; the map by question text and the form of a set without an answer are askbridge's.",
		studied:  "documentation, November 2026",
		headless: noScreen,
		read: func(c *call, data json.RawMessage) {
			f, ok := c.Fields("", data)
			if !ok {
				c.Unread = true
				return
			}
			if calls := f["calls"]; calls != nil {
				list, ok := c.List("calls", calls, "a list of tool calls")
				if !ok || len(list) != 1 {
					c.Reject("calls", ask.ErrSyntax, "holds %d calls; send one at a time", len(list))
					c.Unread = true
					return
				}
				if f, ok = c.Fields("calls[0]", list[0]); !ok {
					c.Unread = true
					return
				}
			}
			c.id = c.Token("tool_call_id", f.Take("tool_call_id"))
			c.Request.ToolCallID = c.id.Text
			if args := f.Take("args"); args != nil {
				data = c.Opened("args", args)
			}
			if c.ReadSet(data, question.Claude, "tool_call_id"); c.Unread {
				return
			}
			c.Unique("question", question.ItemText)
		},
		write: func(c *call, picks []answer.Pick) Result {
			var answers []js.Member
			for _, p := range picks {
				switch {
				case p.Skipped:
				case p.Multi:
					answers = append(answers, p.Text.At(js.List(p.Values())))
				default:
					answers = append(answers, p.Text.At(answer.Joined(&c.Set, p).JSON))
				}
			}
			return asJSON(pydanticResults(c, js.Object(answers...)))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Pending {
				return asJSON(`{"calls":{}}`)
			}
			return asJSON(pydanticResults(c, js.Object(js.At("status", js.String(string(e))), js.At("message", js.String(text))))).asError()
		},
	}
}

func pydanticResults(c *call, value js.Text) js.Text {
	if c.id.Empty() {
		return value
	}
	return js.Object(js.At("calls", js.Object(c.id.At(value))))
}
