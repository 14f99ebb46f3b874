package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// The tool ask_user_question after the requirements REQ-AUQ-001 to 006: one to four
// questions with two to four options, description optional; answers map the
// question text to the label, several joined by commas, free text as the
// value; a cancelled set is told to the agent, which goes on without answers;
// sub-agents are refused; while people choose, the state shows the questions.
const reqAUQSource = "https://github.com/scottopell/phoenix-ide/blob/main/specs/ask-user-question/requirements.md"

const reqAUQSubAgent = "Only parent conversations can ask the user questions; a sub-agent cannot use ask_user_question."

func reqAUQ() Dialect {
	return Dialect{
		Name: "req-auq", Family: "req-auq", Host: "Agents built on REQ-AUQ", Tool: "ask_user_question", Source: reqAUQSource,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question are joined by commas; the members that tell a cancelled or waiting set apart are ours.",
		read: func(c *call, data json.RawMessage) {
			c.mainAgentOnly(reqAUQSubAgent)
			if c.readSet(data, claudeShape); c.unread {
				return
			}
			c.countQuestions()
			for _, it := range c.items {
				if it.sent < 2 || len(it.options) > 4 {
					c.badAt(it.at+".options", ask.ErrOptionCount, "each question needs 2-4 options, not %d", len(it.options))
				}
				if it.header.text == "" {
					c.odd(it.at+".header", ask.ErrSyntax, "a short label is missing")
				}
			}
			c.unique("question", itemText)
		},
		write: func(c *call, picks []pick) Result {
			return asJSON(object(at("answers", c.answerMap(picks, byText))))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Refused {
				return asText(text).asError()
			}
			if e == Pending {
				return asJSON(object(at("status", `"awaiting_user_response"`), at("questions", js(c.raw))))
			}
			status := string(e)
			switch e {
			case Declined:
				// The requirements call it cancelling when a person does.
				status = "cancelled"
			case Cancelled:
				status = "withdrawn"
			}
			r := asJSON(object(at("answers", "{}"), at("status", str(status)), at("message", str(text))))
			r.IsError = e != Declined && e != Replied && e != Cancelled && e != Superseded
			return r
		},
	}
}
