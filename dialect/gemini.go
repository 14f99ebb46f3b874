package dialect

import (
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Gemini CLI's ask_user: one to four questions of type choice, text or yesno;
// answers by question number as text, several joined with typed text last; a
// dismissal is a plain sentence and no error.
// https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/ask-user.ts
const geminiSource = "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/ask-user.ts"

const geminiDismissed = "User dismissed ask_user dialog without answering."

func gemini() Dialect {
	return Dialect{
		Name: "gemini", Family: "gemini", Host: "Gemini CLI", Tool: "ask_user", Source: geminiSource, leavesOut: true,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4, Header: 16},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question and typed text are joined by commas.",
		read: func(c *call, data json.RawMessage) {
			s := claudeShape
			s.kind, s.known = "type", []string{"placeholder"}
			if c.readSet(data, s); c.unread {
				return
			}
			if c.sent == 0 {
				c.bad("questions", ask.ErrNoQuestions, "At least one question is required.")
			}
			for i := range c.items {
				c.geminiQuestion(i)
			}
		},
		write: func(c *call, picks []pick) Result {
			return asJSON(object(at("answers", c.answerMap(picks, byIndex))))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Declined {
				return asText(geminiDismissed)
			}
			return fail(c, e, text)
		},
	}
}

func (c *call) geminiQuestion(i int) {
	it, q := &c.items[i], &c.request.Questions[i]
	// The host shows line breaks that a model escaped twice as line breaks.
	q.Text = strings.ReplaceAll(q.Text, `\n`, "\n")
	for j := range q.Options {
		o := &q.Options[j]
		o.Label, o.Description = strings.ReplaceAll(o.Label, `\n`, "\n"), strings.ReplaceAll(o.Description, `\n`, "\n")
	}
	switch it.kind {
	case "text":
		it.options, q.Options, it.multi, q.MultiSelect = nil, nil, false, false
	case "yesno":
		it.multi = false
		c.yesNo(it, q)
	case "choice", "":
		if it.kind == "" {
			c.odd(it.at+".type", ask.ErrSyntax, "is required by the host; it was read as 'choice'")
		}
		switch {
		case len(it.options) < 2:
			c.bad(it.at+".options", ask.ErrOptionCount, "Question %d: type='choice' requires 'options' array with 2-4 items.", i+1)
		case len(it.options) > 4:
			c.bad(it.at+".options", ask.ErrOptionCount, "Question %d: 'options' array must have at most 4 items.", i+1)
		}
	default:
		c.badAt(it.at+".type", ask.ErrSyntax, "must be one of 'choice', 'text', 'yesno'")
	}
	for j, o := range it.options {
		if it.kind == "yesno" {
			break
		}
		if strings.TrimSpace(o.label.text) == "" {
			c.bad(optionPath(*it, j)+".label", ask.ErrEmptyLabel, "Question %d, option %d: 'label' is required and must be a non-empty string.", i+1, j+1)
		}
		if !o.has["description"] {
			c.tolerate(optionPath(*it, j)+".description", ask.ErrSyntax, "Question %d, option %d: 'description' is required and must be a string.", i+1, j+1)
		}
	}
}
