package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
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
		read:     readGemini,
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

func readGemini(c *call, data json.RawMessage) {
	s := claudeShape
	s.kind, s.known = "type", []string{"placeholder"}
	named := data[0] != '{' || members(data)["questions"] != nil || members(data)["question"] != nil
	if c.readSet(data, s); c.unread {
		return
	}
	switch most := c.maxQuestions(); {
	case !named:
		c.bad("questions", ask.ErrNoQuestions, "params must have required property 'questions'")
	case c.sent == 0:
		c.bad("questions", ask.ErrNoQuestions, "params/questions must NOT have fewer than 1 items")
	case c.sent > most:
		c.bad("questions", ask.ErrTooManyQuestions, "params/questions must NOT have more than %d items", most)
	}
	// The host checks every question against its schema before it applies a rule of its own to any.
	for i := range c.items {
		c.geminiSchema(i)
	}
	for i := range c.items {
		c.geminiQuestion(i)
	}
}

// geminiSchema checks a question as the host does, in the words of its validator, Ajv. The host has the members in this
// order, and stops at the first that is wrong. A question without a type but with options for a choice is read as one, since
// that is the host's default.
// https://github.com/google-gemini/gemini-cli/blob/0831a77/packages/core/src/utils/schemaValidator.ts,
// https://github.com/google-gemini/gemini-cli/blob/0831a77/packages/core/src/tools/definitions/model-family-sets/gemini-3.ts
func (c *call) geminiSchema(i int) {
	it := &c.items[i]
	at := fmt.Sprintf("params/questions/%d", i)
	lacks := func(say func(string, error, string, ...any), path, at, name string, kind error) {
		say(path+"."+name, kind, "%s must have required property '%s'", at, name)
	}
	if !it.has["question"] {
		lacks(c.bad, it.at, at, "question", ask.ErrEmptyQuestion)
	}
	if !it.has["header"] {
		lacks(c.tolerate, it.at, at, "header", ask.ErrSyntax)
	}
	switch n := len(it.options); {
	case slices.Contains([]string{"choice", "text", "yesno"}, it.kind):
	case it.kind != "":
		c.bad(it.at+".type", ask.ErrSyntax, "%s/type must be equal to one of the allowed values", at)
	case c.strict || it.sent < 2 || n > 4:
		lacks(c.bad, it.at, at, "type", ask.ErrSyntax)
	default:
		c.advise(it.at+".type", "is required by the host; it was read as 'choice'")
	}
	for j, o := range it.options {
		at := fmt.Sprintf("%s/options/%d", at, j)
		if !o.has["label"] && o.label.empty() {
			lacks(c.bad, optionPath(*it, j), at, "label", ask.ErrEmptyLabel)
		}
		if !o.has["description"] {
			lacks(c.tolerate, optionPath(*it, j), at, "description", ask.ErrSyntax)
		}
	}
}

// geminiBreaks are line breaks that a model escaped twice, which the host shows as line breaks.
var geminiBreaks = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n")

// geminiQuestion makes a question of the type that was sent, and applies the rules that the host's schema does not hold.
func (c *call) geminiQuestion(i int) {
	it, q := &c.items[i], &c.request.Questions[i]
	q.Text, q.Header = geminiBreaks.Replace(q.Text), geminiBreaks.Replace(q.Header)
	for j := range q.Options {
		o := &q.Options[j]
		o.Label, o.Description = geminiBreaks.Replace(o.Label), geminiBreaks.Replace(o.Description)
	}
	switch it.kind {
	case "text":
		it.options, q.Options, it.multi, q.MultiSelect = nil, nil, false, false
		return
	case "yesno":
		it.multi = false
		c.yesNo(it, q)
		return
	case "choice":
		switch {
		case it.sent < 2:
			c.bad(it.at+".options", ask.ErrOptionCount, "Question %d: type='choice' requires 'options' array with 2-4 items.", i+1)
		case len(it.options) > 4:
			c.bad(it.at+".options", ask.ErrOptionCount, "Question %d: 'options' array must have at most 4 items.", i+1)
		}
	}
	for j, o := range it.options {
		if o.has["label"] && strings.TrimSpace(o.label.text) == "" {
			c.bad(optionPath(*it, j)+".label", ask.ErrEmptyLabel, "Question %d, option %d: 'label' is required and must be a non-empty string.", i+1, j+1)
		}
	}
}
