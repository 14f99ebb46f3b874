package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// Gemini CLI's ask_user: one to four questions of type choice, text or yesno. Answers are texts by question number; several labels
// are joined, with typed text last. A dismissal is a sentence and no error.
// https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/ask-user.ts
const geminiSource = "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/ask-user.ts"

const geminiDismissed = "User dismissed ask_user dialog without answering."

func gemini() Dialect {
	return Dialect{
		Name: "gemini", Family: "gemini", Host: "Gemini CLI", Tool: "ask_user", Source: geminiSource, canSkip: true,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4, Header: 16},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question and typed text are joined by commas.",
		studied:  "source at 5411f11, 2026-08-21; schema and its validator at 0831a77, November 2026",
		headless: noTool,
		read:     readGemini,
		write: func(c *call, picks []answer.Pick) Result {
			return asJSON(js.Object(js.At("answers", answer.Map(&c.Set, picks, answer.ByIndex))))
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
	s := question.Claude
	s.Kind, s.Known = "type", []string{"placeholder"}
	named := data[0] != '{' || js.FieldsOf(data)["questions"] != nil || js.FieldsOf(data)["question"] != nil
	if c.ReadSet(data, s); c.Unread {
		return
	}
	switch most := c.MaxQuestions(); {
	case !named:
		c.RejectAsHost("questions", ask.ErrNoQuestions, "params must have required property 'questions'")
	case c.Sent == 0:
		c.RejectAsHost("questions", ask.ErrNoQuestions, "params/questions must NOT have fewer than 1 items")
	case c.Sent > most:
		c.RejectAsHost("questions", ask.ErrTooManyQuestions, "params/questions must NOT have more than %d items", most)
	}
	// The host checks all questions against its schema before it applies its own rules.
	for i := range c.Items {
		geminiSchema(c, i)
	}
	for i := range c.Items {
		geminiQuestion(c, i)
	}
}

// geminiSchema checks a question like the host, in the words of its validator Ajv. The host checks the members in this order and
// stops at the first problem. A question without a type but with options is read as a choice, the host's default.
// https://github.com/google-gemini/gemini-cli/blob/0831a77/packages/core/src/utils/schemaValidator.ts,
// https://github.com/google-gemini/gemini-cli/blob/0831a77/packages/core/src/tools/definitions/model-family-sets/gemini-3.ts
func geminiSchema(c *call, i int) {
	it := &c.Items[i]
	at := fmt.Sprintf("params/questions/%d", i)
	lacks := func(say func(string, error, string, ...any), path, at, name string, kind error) {
		say(path+"."+name, kind, "%s must have required property '%s'", at, name)
	}
	if !it.Has["question"] {
		lacks(c.RejectAsHost, it.At, at, "question", ask.ErrEmptyQuestion)
	}
	if !it.Has["header"] {
		lacks(c.TolerateAsHost, it.At, at, "header", ask.ErrSyntax)
	}
	switch n := len(it.Options); {
	case slices.Contains([]string{"choice", "text", "yesno"}, it.Kind):
	case it.Kind != "":
		c.RejectAsHost(it.At+".type", ask.ErrSyntax, "%s/type must be equal to one of the allowed values", at)
	case c.Strict || it.Sent < 2 || n > 4:
		lacks(c.RejectAsHost, it.At, at, "type", ask.ErrSyntax)
	default:
		c.Advise(it.At+".type", "is required by the host; it was read as 'choice'")
	}
	for j, o := range it.Options {
		at := fmt.Sprintf("%s/options/%d", at, j)
		if !o.Has["label"] && o.Label.Empty() {
			lacks(c.RejectAsHost, question.OptionPath(*it, j), at, "label", ask.ErrEmptyLabel)
		}
		if !o.Has["description"] {
			lacks(c.TolerateAsHost, question.OptionPath(*it, j), at, "description", ask.ErrSyntax)
		}
	}
}

// geminiBreaks replaces line breaks that a model escaped twice, as the host does.
var geminiBreaks = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n")

// geminiQuestion applies the type of a question and the rules outside the host's schema.
func geminiQuestion(c *call, i int) {
	it, q := &c.Items[i], &c.Request.Questions[i]
	q.Text, q.Header = geminiBreaks.Replace(q.Text), geminiBreaks.Replace(q.Header)
	for j := range q.Options {
		o := &q.Options[j]
		o.Label, o.Description = geminiBreaks.Replace(o.Label), geminiBreaks.Replace(o.Description)
	}
	switch it.Kind {
	case "text":
		it.Options, q.Options, it.Multi, q.MultiSelect = nil, nil, false, false
		return
	case "yesno":
		it.Multi = false
		c.YesNo(it, q)
		return
	case "choice":
		switch {
		case it.Sent < 2:
			c.RejectAsHost(it.At+".options", ask.ErrOptionCount, "Question %d: type='choice' requires 'options' array with 2-4 items.", i+1)
		case len(it.Options) > 4:
			c.RejectAsHost(it.At+".options", ask.ErrOptionCount, "Question %d: 'options' array must have at most 4 items.", i+1)
		}
	}
	for j, o := range it.Options {
		if o.Has["label"] && strings.TrimSpace(o.Label.Text) == "" {
			c.RejectAsHost(question.OptionPath(*it, j)+".label", ask.ErrEmptyLabel, "Question %d, option %d: 'label' is required and must be a non-empty string.", i+1, j+1)
		}
	}
}
