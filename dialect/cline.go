package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// Cline's ask_question: one question with two to five options as texts. The result is the text of the answer.
// https://github.com/cline/cline/blob/main/sdk/packages/core/src/extensions/tools/definitions.ts
const clineSource = "https://github.com/cline/cline/blob/main/sdk/packages/core/src/extensions/tools/definitions.ts"

func cline() Dialect {
	return Dialect{
		Name: "cline", Family: "cline", Host: "Cline", Tool: "ask_question", Source: clineSource,
		Limits:     Limits{MaxQuestions: 1, MinOptions: 2, MaxOptions: 5},
		noDeadline: true, Evidence: Lossy,
		Note:     "A bare text: typed text and a label look the same.",
		studied:  "source at 21cb8d2, 2026-08-22",
		headless: "the program that embeds it answers, in this form; without one " + noTool,
		read: func(c *call, data json.RawMessage) {
			c.readOne(data, question.Shape{Text: []string{"question"}, Options: []string{"options"}, Label: []string{"label"}})
			for _, it := range c.Items {
				if n := len(it.Options); it.Sent > 0 && (n < 2 || n > 5) {
					c.Reject("options", ask.ErrOptionCount, "%d given; the host asks for 2 to 5", n)
				}
			}
		},
		write: func(c *call, picks []answer.Pick) Result { return asText(answer.Joined(&c.Set, picks[0]).Text) },
		end:   fail,
	}
}
