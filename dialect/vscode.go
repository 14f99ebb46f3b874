package dialect

import (
	"encoding/json"

	"github.com/askbridge/askbridge/ask"
)

// VS Code's vscode_askQuestions: the header is the unique key of an answer
// (advice 50 characters, cut at 75), options may be missing, typed text is
// allowed unless switched off and stands beside the labels; a single option is
// taken where typed text is allowed in so many words. Dismissing is an answer in
// which every question is skipped.
const vscodeSource = "https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/tools/builtinTools/askQuestionsTool.ts"

const (
	vscodeHeader, vscodeMaxHeader = 50, 75
	vscodeLoneOption              = `Question "%s" must have at least two options, or set allowFreeformInput when providing a single option, or omit options for free text input.`
)

func vscode() Dialect {
	return Dialect{
		Name: "vscode", Family: "vscode", Host: "VS Code Copilot Chat", Tool: "vscode_askQuestions", Source: vscodeSource, leavesOut: true,
		Limits:   Limits{MinOptions: 2, Header: vscodeHeader},
		Evidence: Exact,
		Note:     "Every answer is kept whole; the recommended flag is not shown.",
		read: func(c *call, data json.RawMessage) {
			s := claudeShape
			s.other, s.known = "allowFreeformInput", []string{"recommended", "message"}
			if c.readSet(data, s); c.unread {
				return
			}
			if c.sent == 0 {
				c.bad("questions", ask.ErrNoQuestions, "No questions provided. The questions array must contain at least one question.")
			}
			for i, it := range c.items {
				q := &c.request.Questions[i]
				if more := c.text(it.at+".message", it.extra["message"]); more != "" {
					q.Text += "\n" + more
				}
				if it.header.text == "" {
					c.badAt(it.at+".header", ask.ErrSyntax, "is required, since answers are filed by it")
				}
				if n := len([]rune(it.header.text)); n > vscodeMaxHeader {
					c.odd(it.at+".header", ask.ErrTooLong, "has %d characters; the host cuts it at %d", n, vscodeMaxHeader)
				}
				if it.sent == 1 && (!it.has["allowFreeformInput"] || q.NoOther) {
					c.bad(it.at+".options", ask.ErrOptionCount, vscodeLoneOption, it.header.text)
				}
			}
			c.unique("header", itemHeader)
		},
		write: func(_ *call, picks []pick) Result { return asJSON(vscodeAnswers(picks)) },
		end: func(c *call, e Ending, text string) Result {
			if e != Declined {
				return fail(c, e, text)
			}
			picks, _ := c.picks(ask.Outcome{})
			return asJSON(vscodeAnswers(picks))
		},
	}
}

func vscodeAnswers(picks []pick) js {
	var answers []member
	for _, p := range picks {
		free := null
		if p.other != "" {
			free = str(p.other)
		}
		answers = append(answers, member{p.header.json, object(
			at("selected", labelList(p.labels)), at("freeText", free), at("skipped", boolean(p.skipped)),
		)})
	}
	return object(at("answers", object(answers...)))
}
