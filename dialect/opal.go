package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// Opal's ask_user: one question, free text or choices or both; the client
// answers the request client/ask_user with {"answer": …}; there is no time
// limit. A sub-agent has a twin of the tool, ask_parent, whose questions its
// parent passes on; its failures begin with other words. The rules are those of
// the tool's documentation page, "User Input"; what a call without a question is
// told stands in the released source alone.
const opalSource = "https://hex.pm/packages/opal/0.1.10/files/lib/opal/tool/ask_parent.ex"

const (
	opalLineLength   = 60
	opalFailed       = "User input request failed: "
	opalParentFailed = "Question failed: "
)

// opalLine is what the tool's meta returns: the question's first 60 characters, or
// the tool's name.
func opalLine(items []item) string {
	if len(items) == 0 || items[0].text.empty() {
		return "ask_user"
	}
	r := []rune(items[0].text.text)
	return string(r[:min(len(r), opalLineLength)])
}

func opal() Dialect {
	return Dialect{
		Name: "opal", Family: "opal", Host: "Opal", Tool: "ask_user", Source: opalSource,
		Limits:   Limits{MaxQuestions: 1},
		Evidence: Exact, noDeadline: true,
		Note: "One question at a time, free text always allowed; a cancelled question is an error, since the form has no other.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.enveloped(data)
			if !ok {
				return
			}
			c.ids(f, "session_id", "")
			c.sent = 1
			if missing(f["question"]) {
				c.bad("question", ask.ErrEmptyQuestion, "Missing required parameter: question")
			}
			c.question("", f, shape{text: []string{"question"}, options: []string{"choices"}, label: []string{"label"}})
			c.rest("", f)
			c.line = opalLine(c.items)
			if c.opts.SubAgent {
				c.request.Context = "Asked by a sub-agent"
			}
		},
		write: func(c *call, picks []pick) Result {
			return asJSON(c.rpcResult(object(at("answer", c.joined(picks[0]).json))))
		},
		end: func(c *call, e Ending, text string) Result {
			switch {
			case !c.rpcID.empty() && e != Pending:
				// The tool puts its own words in front of a failed request.
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
