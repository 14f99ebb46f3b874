package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// OpenCode's question tool, answered over its HTTP API: lists of labels in
// question order, typed text as an entry, an empty list for a question without
// an answer; rejecting is a request of its own without a body.
// https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/question/index.ts
const openCodeSource = "https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/question/index.ts"

func openCode() Dialect {
	return Dialect{
		Name: "opencode", Family: "opencode", Host: "OpenCode", Tool: "question", Source: openCodeSource, leavesOut: true,
		Limits:   Limits{MinOptions: 1, Header: 30},
		Evidence: Exact,
		Note:     "Every answer is kept whole; any end without an answer is a rejection, whose reason the host does not carry.",
		read: func(c *call, data json.RawMessage) {
			s := claudeShape
			s.multi, s.other = []string{"multiple", "multiSelect"}, "custom"
			f, ok := c.top(data, s)
			if !ok {
				return
			}
			if call, ok := f["tool"]; ok {
				if t, ok := c.fields("tool", call); ok {
					c.request.ToolCallID = c.text("tool.callID", t["callID"])
				}
				f.take("tool")
			}
			c.ids(f, "sessionID", "")
			c.id = c.token("id", f.take("id"))
			if c.set("questions", f.take("questions"), s); c.unread {
				return
			}
			c.rest("", f)
			for _, it := range c.items {
				if it.header.text == "" {
					c.odd(it.at+".header", ask.ErrSyntax, "is required by the host")
				}
			}
		},
		write: func(c *call, picks []pick) Result {
			lists := make([]js, len(picks))
			for i, p := range picks {
				lists[i] = labelList(p.values())
			}
			r := asJSON(object(at("answers", array(lists))))
			r.Send = c.openCodeSend("reply")
			return r
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return Result{ContentType: "application/json"}
			case Refused:
				r := asText(text).asError()
				r.Send = c.openCodeSend("reject")
				return r
			case Replied:
				c.warn("the host can only be told that the questions were rejected: %s", text)
			}
			return Result{IsError: true, Send: c.openCodeSend("reject")}
		},
	}
}

// openCodeSend is empty for a bare tool input, which has no request to answer.
func (c *call) openCodeSend(verb string) string {
	if c.id.text == "" {
		return ""
	}
	return "POST /question/" + pathElement(c.id.text) + "/" + verb
}
