package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// The tool ask_user_question of the requirements REQ-AUQ-001 to 006: one to four questions with two to four options whose description
// is optional. Answers map the question text to the labels joined by commas, or to the typed text. The agent learns that a set was
// cancelled and continues without answers. Sub-agents are rejected. While people choose, the state shows the questions.
const reqAUQSource = "https://github.com/scottopell/phoenix-ide/blob/main/specs/ask-user-question/requirements.md"

const reqAUQSubAgent = "Only parent conversations can ask the user questions; a sub-agent cannot use ask_user_question."

func reqAUQ() Dialect {
	return Dialect{
		Name: "req-auq", Family: "req-auq", Host: "Agents built on REQ-AUQ", Tool: "ask_user_question", Source: reqAUQSource,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question are joined by commas; the members that mark a cancelled or waiting set are askbridge's.",
		studied:  "the requirements REQ-AUQ-001 to REQ-AUQ-006 as they were first; those at 045ffef have other numbers, November 2026",
		headless: noScreen,
		read: func(c *call, data json.RawMessage) {
			c.requireMainAgent(reqAUQSubAgent)
			if c.ReadSet(data, question.Claude); c.Unread {
				return
			}
			c.CountQuestions()
			for _, it := range c.Items {
				if it.Sent < 2 || len(it.Options) > 4 {
					c.Reject(it.At+".options", ask.ErrOptionCount, "each question needs 2-4 options, not %d", len(it.Options))
				}
				if it.Header.Text == "" {
					c.Tolerate(it.At+".header", ask.ErrSyntax, "a short label is missing")
				}
			}
			c.Unique("question", question.ItemText)
		},
		write: func(c *call, picks []answer.Pick) Result {
			return asJSON(js.Object(js.At("answers", answer.Map(&c.Set, picks, answer.ByText))))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Refused {
				return asText(text).asError()
			}
			if e == Pending {
				return asJSON(js.Object(js.At("status", `"awaiting_user_response"`), js.At("questions", js.Text(c.Raw))))
			}
			status := string(e)
			switch e {
			case Declined:
				// The requirements call a dismissal cancelling.
				status = "cancelled"
			case Cancelled:
				status = "withdrawn"
			}
			r := asJSON(js.Object(js.At("answers", "{}"), js.At("status", js.String(status)), js.At("message", js.String(text))))
			r.IsError = e != Declined && e != Replied && e != Cancelled && e != Superseded
			return r
		},
	}
}
