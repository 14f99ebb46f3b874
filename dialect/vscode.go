package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// VS Code's vscode_askQuestions: the header is the unique key of an answer (at most 50 characters advised, cut at 75), and options
// are optional. Typed text is allowed by default and separate from the labels. A single option is accepted if typed text is allowed
// explicitly. A dismissal is an answer that skips every question.
const vscodeSource = "https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/tools/builtinTools/askQuestionsTool.ts"

const (
	vscodeHeader, vscodeMaxHeader = 50, 75
	vscodeLoneOption              = `Question "%s" must have at least two options, or set allowFreeformInput when providing a single option, or omit options for free text input.`
)

func vscode() Dialect {
	return Dialect{
		Name: "vscode", Family: "vscode", Host: "VS Code Copilot Chat", Tool: "vscode_askQuestions", Source: vscodeSource, canSkip: true,
		Limits:   Limits{MinOptions: 2, Header: vscodeHeader},
		Evidence: Exact,
		Note:     "Every answer is kept whole; the recommended flag is not shown.",
		studied:  "source, main of November 2026",
		headless: "an editor has one",
		read: func(c *call, data json.RawMessage) {
			s := question.Claude
			s.Other, s.Known = "allowFreeformInput", []string{"recommended", "message"}
			if c.ReadSet(data, s); c.Unread {
				return
			}
			if c.Sent == 0 {
				c.RejectAsHost("questions", ask.ErrNoQuestions, "No questions provided. The questions array must contain at least one question.")
			}
			for i, it := range c.Items {
				q := &c.Request.Questions[i]
				if more := c.Text(it.At+".message", it.Extra["message"]); more != "" {
					q.Text += "\n" + more
				}
				if it.Header.Text == "" {
					c.Reject(it.At+".header", ask.ErrSyntax, "is required, since answers are filed by it")
				}
				if n := len([]rune(it.Header.Text)); n > vscodeMaxHeader {
					c.Tolerate(it.At+".header", ask.ErrTooLong, "has %d characters; the host cuts it at %d", n, vscodeMaxHeader)
				}
				if it.Sent == 1 && (!it.Has["allowFreeformInput"] || q.NoOther) {
					c.RejectAsHost(it.At+".options", ask.ErrOptionCount, vscodeLoneOption, it.Header.Text)
				}
			}
			c.Unique("header", question.ItemHeader)
		},
		write: func(_ *call, picks []answer.Pick) Result { return asJSON(vscodeAnswers(picks)) },
		end: func(c *call, e Ending, text string) Result {
			if e != Declined {
				return fail(c, e, text)
			}
			picks, _ := answer.Picks(&c.Set, ask.Outcome{})
			return asJSON(vscodeAnswers(picks))
		},
	}
}

func vscodeAnswers(picks []answer.Pick) js.Text {
	var answers []js.Member
	for _, p := range picks {
		free := js.Null
		if p.Other != "" {
			free = js.String(p.Other)
		}
		answers = append(answers, p.Header.At(js.Object(
			js.At("selected", js.List(p.Labels)), js.At("freeText", free), js.At("skipped", js.Bool(p.Skipped)),
		)))
	}
	return js.Object(js.At("answers", js.Object(answers...)))
}
