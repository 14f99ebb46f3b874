package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// Opal's ask_user: one question with free text, choices or both. The client answers the request client/ask_user with
// {"answer": …} and without a time limit. A sub-agent has the tool ask_parent instead, whose questions the parent forwards and
// whose failures begin with other words. The rules are from the documentation page "User Input"; the error for a call without a
// question is only in the released source.
const opalSource = "https://hex.pm/packages/opal/0.1.10/files/lib/opal/tool/ask_parent.ex"

const (
	opalLineLength   = 60
	opalFailed       = "User input request failed: "
	opalParentFailed = "Question failed: "
)

// opalLine is what the tool's meta returns: the question's first 60 characters, or the tool's name.
func opalLine(items []question.Item) string {
	if len(items) == 0 || items[0].Text.Empty() {
		return "ask_user"
	}
	r := []rune(items[0].Text.Text)
	return string(r[:min(len(r), opalLineLength)])
}

func opal() Dialect {
	return Dialect{
		Name: "opal", Family: "opal", Host: "Opal", Tool: "ask_user", Source: opalSource,
		Limits:   Limits{MaxQuestions: 1},
		Evidence: Exact, noDeadline: true,
		Note:     "One question at a time, free text always allowed; a cancelled question is an error, since the form has no other.",
		studied:  "page \"User Input\"; source of 0.1.10, and of 0.1.17, which has no sub-agents, November 2026",
		headless: "the client answers `client/ask_user`; without one that is an error",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.enveloped(data)
			if !ok {
				return
			}
			c.IDs(f, "session_id", "")
			c.Sent = 1
			if js.Missing(f["question"]) {
				c.RejectAsHost("question", ask.ErrEmptyQuestion, "Missing required parameter: question")
			}
			c.ReadQuestion("", f, question.Shape{Text: []string{"question"}, Options: []string{"choices"}, Label: []string{"label"}})
			c.Rest("", f)
			c.line = opalLine(c.Items)
			if c.opts.SubAgent {
				c.Request.Context = "Asked by a sub-agent"
			}
		},
		write: func(c *call, picks []answer.Pick) Result {
			return asJSON(c.rpcResult(js.Object(js.At("answer", answer.Joined(&c.Set, picks[0]).JSON))))
		},
		end: func(c *call, e Ending, text string) Result {
			switch {
			case !c.rpcID.Empty() && e != Pending:
				// The tool adds its own words to a failed request.
				return c.rpcError(e, text)
			case e == Pending, e == Refused:
				return fail(c, e, text)
			case c.opts.SubAgent:
				return asText(opalParentFailed + text).asError()
			}
			return asText(opalFailed + text).asError()
		},
	}
}
