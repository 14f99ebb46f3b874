package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// Cursor's ACP extension cursor/ask_question: questions and options have IDs, and there is no typed text. The answered outcome is
// inferred from the skipped and the cancelled one.
// https://cursor.com/docs/cli/acp
const cursorSource = "https://cursor.com/docs/cli/acp"

func cursor() Dialect {
	return Dialect{
		Name: "cursor", Family: "cursor", Host: "Cursor, ACP extension", Tool: "cursor/ask_question", Source: cursorSource, canSkip: true,
		Limits:   Limits{MinOptions: 1},
		Evidence: Unverified,
		Note:     "The answered form is a guess; option ids only, so typed text is switched off.",
		studied:  "reports of the extension, November 2026; there is no documentation of the answered form",
		headless: "an editor has one",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.enveloped(data)
			if !ok {
				return
			}
			c.IDs(f, "sessionId", "toolCallId")
			c.Request.Context = c.Text("title", f.Take("title"))
			c.ReadList("questions", f.Take("questions"), question.Shape{
				Text: []string{"prompt", "question"}, Options: []string{"options"}, Label: []string{"label"},
				Multi: []string{"allowMultiple"}, Key: "id", OptionKey: "id", LabelsOnly: true,
			})
			if c.Unread {
				return
			}
			c.Rest("", f)
			for _, it := range c.Items {
				if it.Key.Text == "" {
					c.Reject(it.At+".id", ask.ErrSyntax, "is required, since answers are filed by it")
				}
				c.OptionIDs(it)
			}
			c.Unique("id", question.ItemKey)
		},
		write: func(c *call, picks []answer.Pick) Result {
			var answers []js.Text
			for _, p := range picks {
				if !p.Skipped {
					answers = append(answers, js.Object(js.At("questionId", p.Key.JSON), js.At("selectedOptionIds", js.List(p.Keys))))
				}
			}
			return cursorOutcome(c, js.At("outcome", `"answered"`), js.At("answers", js.Array(answers)))
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return noOutput()
			case Refused:
				return c.rpcError(e, text)
			case Declined:
				return cursorOutcome(c, js.At("outcome", `"cancelled"`))
			}
			return cursorOutcome(c, js.At("outcome", `"skipped"`), js.At("reason", js.String(text)))
		},
	}
}

func cursorOutcome(c *call, members ...js.Member) Result {
	return asJSON(c.rpcResult(js.Object(js.At("outcome", js.Object(members...)))))
}
