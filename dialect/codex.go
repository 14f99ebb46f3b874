package dialect

import (
	"encoding/json"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// OpenAI Codex's request_user_input: one to three questions with an ID and two or three options. Answers are lists by ID. Typed text is
// a note next to the host's own free choice. App-server clients receive the same as item/tool/requestUserInput. Without
// autoResolutionMs there is no time limit. Requests for permission are in codexapproval.go.
// https://github.com/openai/codex/tree/main/codex-rs (core/src/tools/handlers, app-server-protocol,
// tui/src/bottom_pane/request_user_input)
const codexSource = "https://github.com/openai/codex/tree/main/codex-rs"

const (
	codexNoOptions = "request_user_input requires non-empty options for every question"
	codexCancelled = "request_user_input was cancelled before receiving a response"
	codexFree      = "None of the above"
	codexNote      = "user_note: "
	// codexClient is the form of a question from an app server to its client.
	codexClient = "client"
)

func codex() Dialect {
	return Dialect{
		Name: "codex", Family: "codex", Host: "OpenAI Codex", Tool: "request_user_input", Source: codexSource, canSkip: true, canNote: true,
		Limits:   Limits{MaxQuestions: 3, MinOptions: 2, MaxOptions: 3},
		Evidence: Exact,
		Note:     "Single-select only. Typed text, and an end without an answer, reach the model as notes. Secret questions are refused.",
		studied:  "source and app-server/README.md at 001cdd2, 2026; reports in its issues",
		verified: "Codex 0.171.0 on 2026-11-28",
		headless: "`codex app-server` asks its client, in this form; `codex exec` rejects the call",
		uncovered: map[string]string{
			"threadId":    "the bridge compares sessions itself",
			"turnId":      "an ID",
			"itemId":      "an ID",
			"approvalId":  "an ID",
			"startedAtMs": "a time",

			"commandActions":                  "Codex's own interpretation of the command, which the card shows in full; without a command it is covered",
			"availableDecisions":              "the answers that Codex accepts: each is an option of the card, or is not offered",
			"proposedExecpolicyAmendment":     "as availableDecisions",
			"proposedNetworkPolicyAmendments": "as availableDecisions",
		},
		read: func(c *call, data json.RawMessage) {
			if method := codexAsks(js.FieldsOf(data)); method != "" {
				codexPermission(c, method, data)
				return
			}
			s := question.Claude
			s.Multi, s.Key = nil, "id"
			s.Known = []string{"isOther", "isSecret"}
			f, ok := c.Top(data, s)
			if !ok {
				return
			}
			f = c.rpc(f)
			if !c.rpcID.Empty() || !js.Missing(f["itemId"]) {
				c.form = codexClient
			}
			c.IDs(f, "threadId", "itemId")
			f.Take("turnId")
			f.Take("isBlocking")
			if ms := f.Take("autoResolutionMs", "auto_resolution_ms"); !js.Missing(ms) {
				var n int64
				if json.Unmarshal(ms, &n) == nil && n > 0 && n <= int64(ask.MaxExpiresIn/time.Millisecond) {
					c.Request.ExpiresIn = time.Duration(n) * time.Millisecond
				}
			}
			if c.ReadList("questions", f.Take("questions"), s); c.Unread {
				return
			}
			c.Rest("", f)
			c.CountQuestions()
			for _, it := range c.Items {
				if it.Sent == 0 {
					c.RejectAsHost(it.At+".options", ask.ErrOptionCount, codexNoOptions)
				}
				if it.Key.Text == "" {
					c.RejectAsHost(it.At+".id", ask.ErrSyntax, "missing field `id`")
				}
				if c.Flag(it.At+".isSecret", it.Extra["isSecret"]) {
					// Everyone in the channel would see the answer.
					c.Reject(it.At+".isSecret", ask.ErrSyntax, "asks for a secret, which must not be typed into a chat")
				}
				c.CountOptions(it, "%d given; the host asks for 2 or 3", len(it.Options))
			}
			c.Unique("id", question.ItemKey)
		},
		write: func(c *call, picks []answer.Pick) Result {
			var answers []js.Member
			for _, p := range picks {
				values := p.Labels
				if p.Other != "" {
					values = []js.Token{js.Quote(codexFree), js.Quote(codexNote + p.Other)}
				}
				if p.Notes != "" {
					values = append(values, js.Quote(codexNote+p.Notes))
				}
				answers = append(answers, p.Key.At(js.Object(js.At("answers", js.List(values)))))
			}
			return asJSON(c.rpcResult(js.Object(js.At("answers", js.Object(answers...)))))
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return noOutput()
			case Failed, Refused, Answered, Partial:
			case Declined, Cancelled, Superseded, Expired, Replied:
				if c.form == codexClient {
					return codexNoAnswer(c, e, text).asError()
				}
				if e != Expired && e != Replied {
					text = codexCancelled
				}
			}
			if !c.rpcID.Empty() {
				return c.rpcError(e, text)
			}
			return asText(text).asError()
		},
	}
}

// codexNoAnswer explains to the model that there is no answer, as a note on the first question. An app server accepts no other
// text: after an error its model reads an empty map of answers and cannot know that people were asked.
func codexNoAnswer(c *call, e Ending, text string) Result {
	if e != Expired && e != Replied {
		text += " Do not assume an answer."
	}
	var answers []js.Member
	for n, it := range c.Items {
		values := []js.Token{}
		if n == 0 {
			values = append(values, js.Quote(codexNote+text))
		}
		answers = append(answers, it.Key.At(js.Object(js.At("answers", js.List(values)))))
	}
	return asJSON(c.rpcResult(js.Object(js.At("answers", js.Object(answers...)))))
}
