package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Roo Code's ask_followup_question: one question with two to four suggestions, each a text and perhaps a mode to switch to. The
// result is the text inside a user_message element.
// https://github.com/RooCodeInc/Roo-Code/blob/main/src/core/prompts/tools/native-tools/ask_followup_question.ts
const rooSource = "https://github.com/RooCodeInc/Roo-Code/blob/main/src/core/prompts/tools/native-tools/ask_followup_question.ts"

func roo() Dialect {
	return Dialect{
		Name: "roo", Family: "roo", Host: "Roo Code", Tool: "ask_followup_question", Source: rooSource,
		Limits:   Limits{MaxQuestions: 1, MinOptions: 2, MaxOptions: 4},
		Evidence: Lossy,
		Note:     "Typed text and a suggestion look the same; a suggestion's mode is shown but not switched to.",
		studied:  "source at cb83656, 2026-04-14",
		headless: "its command line takes the first suggestion after a time",
		read: func(c *call, data json.RawMessage) {
			c.readOne(data, question.Shape{
				Text: []string{"question"}, Options: []string{"follow_up", "options"},
				Label: []string{"text", "label"}, OptionKey: "mode",
			})
			for _, it := range c.Items {
				c.CountOptions(it, "has %d suggestions; the host asks for 2 to 4", len(it.Options))
				for j, o := range it.Options {
					if o.Key.Text == "" {
						continue
					}
					c.Advise("follow_up"+question.Index(j)+".mode", "the bridge does not switch the mode to %q", quote.Brief(o.Key.Text))
					c.Request.Questions[0].Options[j].Description = "Mode: " + o.Key.Text
				}
			}
		},
		write: func(c *call, picks []answer.Pick) Result {
			return asText("<user_message>\n" + answer.Joined(&c.Set, picks[0]).Text + "\n</user_message>")
		},
		end: fail,
	}
}
