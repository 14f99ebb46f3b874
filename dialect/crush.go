package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Crush's question tool: one to five questions of four types, choices with ids,
// a description under each question; the result is text with the chosen ids.
// Cancelling is an error that also ends the agent's turn. Lengths are counted
// in bytes.
// https://github.com/charmbracelet/crush/blob/main/internal/question/question.go
const crushSource = "https://github.com/charmbracelet/crush/blob/main/internal/question/question.go"

const (
	crushCancelled   = "User cancelled this question"
	crushText        = 240
	crushDescription = 600
	crushLabel       = 200
)

func crush() Dialect {
	return Dialect{
		Name: "crush", Family: "crush", Host: "Crush", Tool: "question", Source: crushSource, leavesOut: true,
		Limits:   Limits{MaxQuestions: 5, MinOptions: 2, MaxOptions: 5},
		Evidence: Exact,
		Note:     "Answers name choices by id, typed text beside them.",
		read: func(c *call, data json.RawMessage) {
			s := shape{
				text: []string{"question"}, header: []string{"label"}, options: []string{"choices", "options"},
				label: []string{"label"}, optionKey: "id", kind: "type", key: "id", known: []string{"description"},
			}
			f, ok := c.top(data, s)
			if !ok {
				return
			}
			if !missing(f["tool_name"]) {
				c.crushPermission(f, data)
				return
			}
			c.id = c.token("id", f.take("id"))
			c.ids(f, "session_id", "tool_call_id")
			f.take("confirm_title")
			f.take("confirm_description")
			if c.set("questions", f.take("questions"), s); c.unread {
				return
			}
			c.rest("", f)
			switch {
			case c.sent == 0:
				c.bad("questions", ask.ErrNoQuestions, "at least one question is required")
			case c.sent > c.maxQuestions():
				c.bad("questions", ask.ErrTooManyQuestions, "exceeds maximum of %d questions per batch (got %d). Split into multiple batches and tell the user there will be follow-up questions", c.maxQuestions(), c.sent)
			}
			for i := range c.items {
				c.crushQuestion(i)
			}
		},
		write: func(c *call, picks []pick) Result {
			var parts []string
			for i, p := range picks {
				parts = append(parts, fmt.Sprintf("Q%d: %s\n%s", i+1, p.text.text, crushAnswer(p)))
			}
			return asText(strings.Join(parts, "\n\n"))
		},
		end: func(c *call, e Ending, text string) Result {
			r := fail(c, e, text)
			if e == Declined {
				r = asText(crushCancelled).asError()
				r.StopTurn = true
			}
			return r
		},
	}
}

func crushAnswer(p pick) string {
	var lines []string
	switch {
	case p.skipped:
		lines = append(lines, "User skipped this question")
	case p.kind == "yes_no":
		lines = append(lines, "User answered: "+p.keys[0].text)
	case len(p.keys) > 0:
		lines = append(lines, "User selected: "+string(labelList(p.keys)))
	}
	if p.other != "" {
		lines = append(lines, "User provided: "+p.other)
	}
	if p.notes != "" {
		lines = append(lines, "", "Notes:", "- "+p.notes)
	}
	return strings.Join(lines, "\n")
}

func (c *call) crushQuestion(i int) {
	it, q := &c.items[i], &c.request.Questions[i]
	description := c.text(it.at+".description", it.extra["description"])
	name := it.header.text
	if name == "" {
		name = it.text.text
	}
	wrong := func(say func(string, error, string, ...any), path string, kind error, format string, args ...any) {
		say(it.at+path, kind, "question %d: [%s]: %s", i+1, brief(name), fmt.Sprintf(format, args...))
	}
	switch it.kind {
	case "yes_no":
		c.yesNo(it, q)
	case "free_text":
		it.options, q.Options = nil, nil
	case "multi_choice":
		it.multi, q.MultiSelect = true, true
	case "single_choice":
	default:
		c.bad(it.at+".type", ask.ErrSyntax, "question %d [%s]: invalid type %q (must be yes_no, single_choice, multi_choice, or free_text)", i+1, brief(name), it.kind)
		return
	}
	if it.text.text == "" {
		wrong(c.bad, ".question", ask.ErrEmptyQuestion, "question text is required")
	} else if n := len(it.text.text); n > crushText {
		wrong(c.odd, ".question", ask.ErrTooLong, "text exceeds %d characters (got %d)", crushText, n)
	}
	if description == "" {
		wrong(c.odd, ".description", ask.ErrSyntax, "description is required")
	} else if n := len(description); n > crushDescription {
		wrong(c.odd, ".description", ask.ErrTooLong, "description exceeds %d characters (got %d)", crushDescription, n)
	}
	if description != "" {
		q.Text += "\n" + description
	}
	if it.kind != "single_choice" && it.kind != "multi_choice" {
		return
	}
	switch n, most := len(it.options), c.dialect.Limits.MaxOptions; {
	case it.sent < 2:
		wrong(c.bad, ".choices", ask.ErrOptionCount, `%s requires at least 2 choices in the "choices" array (got %d). Use "choices", not "options"`, it.kind, n)
	case n > most:
		wrong(c.bad, ".choices", ask.ErrOptionCount, "choices exceed maximum of %d (got %d)", most, n)
	}
	seen := map[string]bool{}
	for j, o := range it.options {
		path := fmt.Sprintf(".choices[%d]", j)
		switch {
		case o.key.text == "":
			wrong(c.bad, path+".id", ask.ErrSyntax, `choice %d must have an "id" field`, j+1)
		case seen[o.key.text]:
			wrong(c.bad, path+".id", ask.ErrDuplicateLabel, "choice %d has duplicate id %q", j+1, o.key.text)
		}
		seen[o.key.text] = true
		if n := len(o.label.text); n == 0 {
			wrong(c.bad, path+".label", ask.ErrEmptyLabel, `choice %d (%s) must have a "label" field`, j+1, o.key.text)
		} else if n > crushLabel {
			wrong(c.odd, path+".label", ask.ErrTooLong, "choice %d label exceeds %d characters (got %d)", j+1, crushLabel, n)
		}
		if n := len(o.description); n > crushLabel {
			wrong(c.odd, path+".description", ask.ErrTooLong, "choice %d description exceeds %d characters (got %d)", j+1, crushLabel, n)
		}
	}
}
