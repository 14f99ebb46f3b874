package dialect

import (
	"encoding/json"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// OpenAI Codex's request_user_input: one to three questions with an id and two
// or three options; answers by id as lists; typed text arrives as a note beside
// the host's own free choice. App-server clients get the same as the request
// item/tool/requestUserInput. A missing autoResolutionMs means no limit. For what it asks
// permission for, see codexapproval.go.
// https://github.com/openai/codex/tree/main/codex-rs (core/src/tools/handlers, app-server-protocol,
// tui/src/bottom_pane/request_user_input)
const codexSource = "https://github.com/openai/codex/tree/main/codex-rs"

const (
	codexNoOptions = "request_user_input requires non-empty options for every question"
	codexCancelled = "request_user_input was cancelled before receiving a response"
	codexFree      = "None of the above"
	codexNote      = "user_note: "
	// codexClient is the form of a question that an app server asks its client.
	codexClient = "client"
)

func codex() Dialect {
	return Dialect{
		Name: "codex", Family: "codex", Host: "OpenAI Codex", Tool: "request_user_input", Source: codexSource, leavesOut: true, takesNotes: true,
		Limits:   Limits{MaxQuestions: 3, MinOptions: 2, MaxOptions: 3},
		Evidence: Exact,
		Note:     "Single-select only. Typed text, and an end without an answer, reach the model as notes. Secret questions are refused.",
		read: func(c *call, data json.RawMessage) {
			if method := codexAsks(members(data)); method != "" {
				c.codexPermission(method, data)
				return
			}
			s := claudeShape
			s.multi, s.key = nil, "id"
			s.known = []string{"isOther", "isSecret"}
			f, ok := c.top(data, s)
			if !ok {
				return
			}
			f = c.rpc(f)
			if !c.rpcID.empty() || !missing(f["itemId"]) {
				c.form = codexClient
			}
			c.ids(f, "threadId", "itemId")
			f.take("turnId")
			f.take("isBlocking")
			if ms := f.take("autoResolutionMs", "auto_resolution_ms"); !missing(ms) {
				var n int64
				if json.Unmarshal(ms, &n) == nil && n > 0 && n <= int64(ask.MaxExpiresIn/time.Millisecond) {
					c.request.ExpiresIn = time.Duration(n) * time.Millisecond
				}
			}
			if c.set("questions", f.take("questions"), s); c.unread {
				return
			}
			c.rest("", f)
			c.countQuestions()
			for _, it := range c.items {
				if it.sent == 0 {
					c.bad(it.at+".options", ask.ErrOptionCount, codexNoOptions)
				}
				if it.key.text == "" {
					c.bad(it.at+".id", ask.ErrSyntax, "missing field `id`")
				}
				if c.flag(it.at+".isSecret", it.extra["isSecret"]) {
					// Chat would show the answer to everybody.
					c.badAt(it.at+".isSecret", ask.ErrSyntax, "asks for a secret, which must not be typed into a chat")
				}
				c.countOptions(it, "%d given; the host asks for 2 or 3", len(it.options))
			}
			c.unique("id", itemKey)
		},
		write: func(c *call, picks []pick) Result {
			var answers []member
			for _, p := range picks {
				values := p.labels
				if p.other != "" {
					values = []token{quote(codexFree), quote(codexNote + p.other)}
				}
				if p.notes != "" {
					values = append(values, quote(codexNote+p.notes))
				}
				answers = append(answers, member{p.key.json, object(at("answers", labelList(values)))})
			}
			return asJSON(c.rpcResult(object(at("answers", object(answers...)))))
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return Result{ContentType: "application/json"}
			case Failed, Refused, Answered, Partial:
			case Declined, Cancelled, Superseded, Expired, Replied:
				if c.form == codexClient {
					return c.codexNoAnswer(e, text).asError()
				}
				if e != Expired && e != Replied {
					text = codexCancelled
				}
			}
			if !c.rpcID.empty() {
				return c.rpcError(e, text)
			}
			return asText(text).asError()
		},
	}
}

// codexNoAnswer tells the model that there is no answer, as a note beside the first question. An app server takes no
// other text: after an error its model reads an empty map of answers and cannot know that people were asked.
func (c *call) codexNoAnswer(e Ending, text string) Result {
	if e != Expired && e != Replied {
		text += " Do not assume an answer."
	}
	var answers []member
	for n, it := range c.items {
		values := []token{}
		if n == 0 {
			values = append(values, quote(codexNote+text))
		}
		answers = append(answers, member{it.key.json, object(at("answers", labelList(values)))})
	}
	return asJSON(c.rpcResult(object(at("answers", object(answers...)))))
}
