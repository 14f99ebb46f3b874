package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// Cursor's ACP extension cursor/ask_question: questions and options have ids,
// and there is no typed text. The shape of an answered outcome was inferred
// from the skipped and the cancelled one.
// https://cursor.com/docs/cli/acp
const cursorSource = "https://cursor.com/docs/cli/acp"

func cursor() Dialect {
	return Dialect{
		Name: "cursor", Family: "cursor", Host: "Cursor, ACP extension", Tool: "cursor/ask_question", Source: cursorSource, leavesOut: true,
		Limits:   Limits{MinOptions: 1},
		Evidence: Unverified,
		Note:     "The answered form is a guess; option ids only, so typed text is switched off.",
		read: func(c *call, data json.RawMessage) {
			f, ok := c.enveloped(data)
			if !ok {
				return
			}
			c.ids(f, "sessionId", "toolCallId")
			c.request.Context = c.text("title", f.take("title"))
			c.set("questions", f.take("questions"), shape{
				text: []string{"prompt", "question"}, options: []string{"options"}, label: []string{"label"},
				multi: []string{"allowMultiple"}, key: "id", optionKey: "id", labelsOnly: true,
			})
			if c.unread {
				return
			}
			c.rest("", f)
			for _, it := range c.items {
				if it.key.text == "" {
					c.badAt(it.at+".id", ask.ErrSyntax, "is required, since answers are filed by it")
				}
				c.optionIDs(it)
			}
			c.unique("id", itemKey)
		},
		write: func(c *call, picks []pick) Result {
			var answers []js
			for _, p := range picks {
				if !p.skipped {
					answers = append(answers, object(member{`"questionId"`, p.key.json}, at("selectedOptionIds", labelList(p.keys))))
				}
			}
			return c.cursorOutcome(at("outcome", `"answered"`), at("answers", array(answers)))
		},
		end: func(c *call, e Ending, text string) Result {
			switch e {
			case Pending:
				return Result{ContentType: "application/json"}
			case Refused:
				return c.rpcError(e, text)
			case Declined:
				return c.cursorOutcome(at("outcome", `"cancelled"`))
			}
			return c.cursorOutcome(at("outcome", `"skipped"`), at("reason", str(text)))
		},
	}
}

func (c *call) cursorOutcome(members ...member) Result {
	return asJSON(c.rpcResult(object(at("outcome", object(members...)))))
}

// optionIDs refuses options that a host with ids could not tell apart.
func (c *call) optionIDs(it item) {
	seen := map[string]bool{}
	for j, o := range it.options {
		switch {
		case o.key.text == "":
			c.badAt(c.path(it, "options")+indexed(j)+".id", ask.ErrSyntax, "is required, since answers name options by it")
		case seen[o.key.text]:
			c.badAt(c.path(it, "options")+indexed(j)+".id", ask.ErrDuplicateLabel, "%q is the id of another option too", brief(o.key.text))
		}
		seen[o.key.text] = true
	}
}
