package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// Cline's ask_question: one question with two to five options as texts; the
// result is the bare text of the answer.
// https://github.com/cline/cline/blob/main/sdk/packages/core/src/extensions/tools/definitions.ts
const clineSource = "https://github.com/cline/cline/blob/main/sdk/packages/core/src/extensions/tools/definitions.ts"

func cline() Dialect {
	return Dialect{
		Name: "cline", Family: "cline", Host: "Cline", Tool: "ask_question", Source: clineSource,
		Limits:     Limits{MaxQuestions: 1, MinOptions: 2, MaxOptions: 5},
		noDeadline: true, Evidence: Lossy,
		Note: "A bare text: typed text and a label cannot be told apart.",
		read: func(c *call, data json.RawMessage) {
			c.readOne(data, shape{text: []string{"question"}, options: []string{"options"}, label: []string{"label"}})
			for _, it := range c.items {
				if n := len(it.options); it.sent > 0 && (n < 2 || n > 5) {
					c.badAt("options", ask.ErrOptionCount, "%d given; the host asks for 2 to 5", n)
				}
			}
		},
		write: func(c *call, picks []pick) Result { return asText(c.joined(picks[0]).text) },
		end:   fail,
	}
}
