package dialect

import (
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Qwen Code's ask_user_question: the form of Claude's tool; a client hands over
// answers by question number, and the model reads one line for each, the header
// in bold. Declining is a plain result.
// https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/tools/askUserQuestion.ts
const qwenSource = "https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/tools/askUserQuestion.ts"

const (
	qwenDeclined = "User declined to answer the questions."
	qwenPrefix   = "User has provided the following answers:\n\n"
	qwenNothing  = "No valid answers were provided."
)

func qwen() Dialect {
	return Dialect{
		Name: "qwen", Family: "qwen", Host: "Qwen Code, result for the model", Tool: "ask_user_question", Source: qwenSource, leavesOut: true,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4, Header: ask.HeaderAdvice},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question and typed text are joined by commas.",
		read:     readQwen,
		write: func(c *call, picks []pick) Result {
			var lines []string
			for _, p := range picks {
				if !p.skipped {
					lines = append(lines, "**"+p.header.text+"**: "+c.joined(p).text)
				}
			}
			if lines == nil {
				lines = []string{qwenNothing}
			}
			return asText(qwenPrefix + strings.Join(lines, "\n"))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Declined {
				return asText(qwenDeclined)
			}
			return fail(c, e, text)
		},
	}
}

func qwenPayload() Dialect {
	d := qwen()
	d.Name, d.Host = "qwen-payload", "Qwen Code, payload of a client"
	d.write = func(c *call, picks []pick) Result {
		return asJSON(object(at("answers", c.answerMap(picks, byIndex))))
	}
	return d
}

func readQwen(c *call, data json.RawMessage) {
	if c.readSet(data, claudeShape, "metadata"); !c.unread {
		c.judgeQwen()
	}
}

// judgeQwen applies the rules of the host to questions that were read.
func (c *call) judgeQwen() {
	most := c.maxQuestions()
	if c.form == qwenForm && c.opts.MaxQuestions == 0 {
		most = qwen().Limits.MaxQuestions
	}
	if c.sent == 0 || c.sent > most {
		c.bad("questions", count(c.sent), `Parameter "questions" must contain between 1 and %d questions.`, most)
	}
	for i, it := range c.items {
		if strings.TrimSpace(it.text.text) == "" {
			c.bad(it.at+".question", ask.ErrEmptyQuestion, `Question %d: "question" must be a non-empty string.`, i+1)
		}
		if strings.TrimSpace(it.header.text) == "" {
			c.bad(it.at+".header", ask.ErrSyntax, `Question %d: "header" must be a non-empty string.`, i+1)
		}
		if n := len(it.options); it.sent < 2 || n > 4 {
			c.bad(it.at+".options", ask.ErrOptionCount, `Question %d: "options" must contain between 2 and 4 options.`, i+1)
		}
		for j, o := range it.options {
			if strings.TrimSpace(o.label.text) == "" {
				c.bad(optionPath(it, j)+".label", ask.ErrEmptyLabel, `Question %d, Option %d: "label" must be a non-empty string.`, i+1, j+1)
			}
			if strings.TrimSpace(o.description) == "" {
				c.tolerate(optionPath(it, j)+".description", ask.ErrSyntax, `Question %d, Option %d: "description" must be a non-empty string.`, i+1, j+1)
			}
		}
	}
}
