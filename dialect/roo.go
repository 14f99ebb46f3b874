package dialect

import (
	"encoding/json"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Roo Code's ask_followup_question: one question with two to four suggestions,
// each a text and perhaps a mode to switch to; the result is the text inside a
// user_message element.
// https://github.com/RooCodeInc/Roo-Code/blob/main/src/core/prompts/tools/native-tools/ask_followup_question.ts
const rooSource = "https://github.com/RooCodeInc/Roo-Code/blob/main/src/core/prompts/tools/native-tools/ask_followup_question.ts"

func roo() Dialect {
	return Dialect{
		Name: "roo", Family: "roo", Host: "Roo Code", Tool: "ask_followup_question", Source: rooSource,
		Limits:   Limits{MaxQuestions: 1, MinOptions: 2, MaxOptions: 4},
		Evidence: Lossy,
		Note:     "Typed text and a suggestion cannot be told apart; a suggestion's mode is shown but not switched to.",
		read: func(c *call, data json.RawMessage) {
			c.readOne(data, shape{
				text: []string{"question"}, options: []string{"follow_up", "options"},
				label: []string{"text", "label"}, optionKey: "mode",
			})
			for _, it := range c.items {
				c.countOptions(it, "has %d suggestions; the host asks for 2 to 4", len(it.options))
				for j, o := range it.options {
					if o.key.text == "" {
						continue
					}
					c.advise("follow_up"+indexed(j)+".mode", "the bridge does not switch the mode to %q", brief(o.key.text))
					c.request.Questions[0].Options[j].Description = "Mode: " + o.key.text
				}
			}
		},
		write: func(c *call, picks []pick) Result {
			return asText("<user_message>\n" + c.joined(picks[0]).text + "\n</user_message>")
		},
		end: fail,
	}
}

// userText puts what a form of one text can carry into one text: the bare
// answer of a single question, or questions and answers below each other.
func (c *call) userText(picks []pick) string {
	if len(picks) == 1 {
		return c.joined(picks[0]).text
	}
	var parts []string
	for _, p := range picks {
		if p.skipped {
			continue
		}
		lines := []string{p.text.text}
		for _, v := range p.values() {
			lines = append(lines, "- "+v.text)
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// inline reads the questions of a host without a form of its own: a set in the
// form of Claude's tool if there is one in data, else text as one question.
func (c *call) inline(path string, data json.RawMessage, text token) {
	var f fields
	if json.Unmarshal(data, &f) == nil && f["questions"] != nil {
		c.set(strings.TrimPrefix(path+".questions", "."), f["questions"], claudeShape)
		return
	}
	c.sent++
	c.add(item{at: path, text: text}, ask.Question{})
}
