package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
)

// Crush's question tool: one to five questions of four types, with a description below each question and IDs for choices. The
// result is text with the chosen IDs. Cancelling is an error that also ends the agent's turn. Lengths are counted in bytes.
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
		Name: "crush", Family: "crush", Host: "Crush", Tool: "question", Source: crushSource, canSkip: true,
		Limits:   Limits{MaxQuestions: 5, MinOptions: 2, MaxOptions: 5},
		Evidence: Exact,
		Note:     "Answers name choices by id, with typed text next to them.",
		studied:  "source at 37f36e9, 2026-08-21",
		headless: "the server asks its clients, in this form; in `crush run` " + noTool,
		shells:   []string{"bash"}, // https://github.com/charmbracelet/crush/tree/37f36e9/internal/agent/tools
		uncovered: map[string]string{
			"id":           "an ID",
			"session_id":   "the bridge compares sessions itself",
			"tool_call_id": "an ID",
			"description":  "Crush's own words for params, which the card shows in full; without params it is covered",
		},
		read: func(c *call, data json.RawMessage) {
			s := question.Shape{
				Text: []string{"question"}, Header: []string{"label"}, Options: []string{"choices", "options"},
				Label: []string{"label"}, OptionKey: "id", Kind: "type", Key: "id", Known: []string{"description"},
			}
			f, ok := c.Top(data, s)
			if !ok {
				return
			}
			if !js.Missing(f["tool_name"]) {
				crushPermission(c, f, data)
				return
			}
			c.id = c.Token("id", f.Take("id"))
			c.IDs(f, "session_id", "tool_call_id")
			f.Take("confirm_title")
			f.Take("confirm_description")
			if c.ReadList("questions", f.Take("questions"), s); c.Unread {
				return
			}
			c.Rest("", f)
			switch {
			case c.Sent == 0:
				c.RejectAsHost("questions", ask.ErrNoQuestions, "at least one question is required")
			case c.Sent > c.MaxQuestions():
				c.RejectAsHost("questions", ask.ErrTooManyQuestions, "exceeds maximum of %d questions per batch (got %d). Split into multiple batches and tell the user there will be follow-up questions", c.MaxQuestions(), c.Sent)
			}
			for i := range c.Items {
				crushQuestion(c, i)
			}
		},
		write: func(c *call, picks []answer.Pick) Result {
			var parts []string
			for i, p := range picks {
				parts = append(parts, fmt.Sprintf("Q%d: %s\n%s", i+1, p.Text.Text, crushAnswer(p)))
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

// crushAnswer is the text for one answer.
func crushAnswer(p answer.Pick) string {
	var lines []string
	switch {
	case p.Skipped:
		lines = append(lines, "User skipped this question")
	case p.Kind == "yes_no":
		lines = append(lines, "User answered: "+p.Keys[0].Text)
	case len(p.Keys) > 0:
		lines = append(lines, "User selected: "+string(js.List(p.Keys)))
	}
	if p.Other != "" {
		lines = append(lines, "User provided: "+p.Other)
	}
	if p.Notes != "" {
		lines = append(lines, "", "Notes:", "- "+p.Notes)
	}
	return strings.Join(lines, "\n")
}

// crushQuestion applies the host's rules to one question.
func crushQuestion(c *call, i int) {
	it, q := &c.Items[i], &c.Request.Questions[i]
	description := c.Text(it.At+".description", it.Extra["description"])
	name := it.Header.Text
	if name == "" {
		name = it.Text.Text
	}
	wrong := func(say func(string, error, string, ...any), path string, kind error, format string, args ...any) {
		say(it.At+path, kind, "question %d: [%s]: %s", i+1, quote.Brief(name), fmt.Sprintf(format, args...))
	}
	switch it.Kind {
	case "yes_no":
		c.YesNo(it, q)
	case "free_text":
		it.Options, q.Options = nil, nil
	case "multi_choice":
		it.Multi, q.MultiSelect = true, true
	case "single_choice":
	default:
		c.RejectAsHost(it.At+".type", ask.ErrSyntax, "question %d [%s]: invalid type %q (must be yes_no, single_choice, multi_choice, or free_text)", i+1, quote.Brief(name), it.Kind)
		return
	}
	if it.Text.Text == "" {
		wrong(c.RejectAsHost, ".question", ask.ErrEmptyQuestion, "question text is required")
	} else if n := len(it.Text.Text); n > crushText {
		wrong(c.Tolerate, ".question", ask.ErrTooLong, "text exceeds %d characters (got %d)", crushText, n)
	}
	if description == "" {
		wrong(c.Tolerate, ".description", ask.ErrSyntax, "description is required")
	} else if n := len(description); n > crushDescription {
		wrong(c.Tolerate, ".description", ask.ErrTooLong, "description exceeds %d characters (got %d)", crushDescription, n)
	}
	if description != "" {
		q.Text += "\n" + description
	}
	if it.Kind != "single_choice" && it.Kind != "multi_choice" {
		return
	}
	switch n, most := len(it.Options), c.dialect.Limits.MaxOptions; {
	case it.Sent < 2:
		wrong(c.RejectAsHost, ".choices", ask.ErrOptionCount, `%s requires at least 2 choices in the "choices" array (got %d). Use "choices", not "options"`, it.Kind, n)
	case n > most:
		wrong(c.RejectAsHost, ".choices", ask.ErrOptionCount, "choices exceed maximum of %d (got %d)", most, n)
	}
	seen := map[string]bool{}
	for j, o := range it.Options {
		path := fmt.Sprintf(".choices[%d]", j)
		switch {
		case o.Key.Text == "":
			wrong(c.RejectAsHost, path+".id", ask.ErrSyntax, `choice %d must have an "id" field`, j+1)
		case seen[o.Key.Text]:
			wrong(c.RejectAsHost, path+".id", ask.ErrDuplicateLabel, "choice %d has duplicate id %q", j+1, o.Key.Text)
		}
		seen[o.Key.Text] = true
		if n := len(o.Label.Text); n == 0 {
			wrong(c.RejectAsHost, path+".label", ask.ErrEmptyLabel, `choice %d (%s) must have a "label" field`, j+1, o.Key.Text)
		} else if n > crushLabel {
			wrong(c.Tolerate, path+".label", ask.ErrTooLong, "choice %d label exceeds %d characters (got %d)", j+1, crushLabel, n)
		}
		if n := len(o.Description); n > crushLabel {
			wrong(c.Tolerate, path+".description", ask.ErrTooLong, "choice %d description exceeds %d characters (got %d)", j+1, crushLabel, n)
		}
	}
}
