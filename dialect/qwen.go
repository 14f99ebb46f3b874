package dialect

import (
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
)

// Qwen Code's ask_user_question has the form of Claude's tool. A client sends answers by question number, and the model reads one
// line for each, with the header in bold. Declining is a plain result.
// https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/tools/askUserQuestion.ts
const qwenSource = "https://github.com/QwenLM/qwen-code/blob/main/packages/core/src/tools/askUserQuestion.ts"

const (
	qwenDeclined = "User declined to answer the questions."
	qwenPrefix   = "User has provided the following answers:\n\n"
	qwenNothing  = "No valid answers were provided."
)

func qwen() Dialect {
	return Dialect{
		Name: "qwen", Family: "qwen", Host: "Qwen Code, result for the model", Tool: "ask_user_question", Source: qwenSource, canSkip: true,
		Limits:   Limits{MaxQuestions: 4, MinOptions: 2, MaxOptions: 4, Header: ask.HeaderAdvice},
		Evidence: Lossy,
		Note:     "Labels of a multi-select question and typed text are joined by commas.",
		studied:  "source at 1190f0b, November 2026",
		verified: "Qwen Code 0.24.4 on 2026-11-28",
		headless: "clients over ACP and JSON streams answer; else the model reads that it cannot ask",
		read:     readQwen,
		write: func(c *call, picks []answer.Pick) Result {
			var lines []string
			for _, p := range picks {
				if !p.Skipped {
					lines = append(lines, "**"+p.Header.Text+"**: "+answer.Joined(&c.Set, p).Text)
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
	d.Name, d.Host, d.verified = "qwen-payload", "Qwen Code, payload of a client", ""
	d.write = func(c *call, picks []answer.Pick) Result {
		return asJSON(js.Object(js.At("answers", answer.Map(&c.Set, picks, answer.ByIndex))))
	}
	return d
}

func readQwen(c *call, data json.RawMessage) {
	if c.ReadSet(data, question.Claude, "metadata"); !c.Unread {
		qwenRules(c)
	}
}

// qwenRules applies the rules of the host.
func qwenRules(c *call) {
	most := c.MaxQuestions()
	if c.form == qwenForm && c.opts.MaxQuestions == 0 {
		most = qwen().Limits.MaxQuestions
	}
	if c.Sent == 0 || c.Sent > most {
		c.RejectAsHost("questions", question.CountError(c.Sent), `Parameter "questions" must contain between 1 and %d questions.`, most)
	}
	for i, it := range c.Items {
		if strings.TrimSpace(it.Text.Text) == "" {
			c.RejectAsHost(it.At+".question", ask.ErrEmptyQuestion, `Question %d: "question" must be a non-empty string.`, i+1)
		}
		if strings.TrimSpace(it.Header.Text) == "" {
			c.RejectAsHost(it.At+".header", ask.ErrSyntax, `Question %d: "header" must be a non-empty string.`, i+1)
		}
		if n := len(it.Options); it.Sent < 2 || n > 4 {
			c.RejectAsHost(it.At+".options", ask.ErrOptionCount, `Question %d: "options" must contain between 2 and 4 options.`, i+1)
		}
		for j, o := range it.Options {
			if strings.TrimSpace(o.Label.Text) == "" {
				c.RejectAsHost(question.OptionPath(it, j)+".label", ask.ErrEmptyLabel, `Question %d, Option %d: "label" must be a non-empty string.`, i+1, j+1)
			}
			if strings.TrimSpace(o.Description) == "" {
				c.TolerateAsHost(question.OptionPath(it, j)+".description", ask.ErrSyntax, `Question %d, Option %d: "description" must be a non-empty string.`, i+1, j+1)
			}
		}
	}
}
