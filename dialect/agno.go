package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// Agno's ask_user_question. The rules are those of the tool's documentation
// page and its code: the questions come as a JSON string, a header has at most
// 12 characters, all four members are required, answers go in by question_N and
// come out by header, as lists, indented by two spaces.
//
// Where page and code word an error differently, the page is followed.
const agnoSource = "https://github.com/Biaoo/agent-ui/tree/main/backend/src/tools/ask_user_question"

const (
	agnoHeader = 12
	agnoMax    = 4
	// agnoLabelWords is the page's advice for a label.
	agnoLabelWords = 5
	agnoBadJSON    = "Invalid questions_json format: %s"
)

func agno() Dialect {
	return Dialect{
		Name: "agno", Family: "agno", Host: "Agno, function tool", Tool: "ask_user_question", Source: agnoSource, leavesOut: true,
		Limits:   Limits{MaxQuestions: agnoMax, MinOptions: 2, MaxOptions: 4, Header: agnoHeader},
		Evidence: Unverified,
		Note:     "Answers are filed by header, so two questions with one header are refused; what a call brings in user_answers is no answer, people are asked; typed text as a list entry and the form of a cancelled set are inferred.",
		syntax:   agnoBadJSON,
		read:     readAgno,
		write: func(c *call, picks []pick) Result {
			var answers []member
			for _, p := range picks {
				answers = append(answers, member{p.header.json, labelList(p.values())})
			}
			return asJSON(indented(object(
				at("answers", object(answers...)),
				at("questions_asked", js(fmt.Sprint(len(picks)))),
				at("status", `"completed"`),
			)))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Pending {
				return asJSON(indented(c.agnoWaiting()))
			}
			return asJSON(indented(object(at("error", str(text)), at("status", `"failed"`)))).asError()
		},
	}
}

func readAgno(c *call, data json.RawMessage) {
	questions, answers := data, json.RawMessage(nil)
	if data[0] == '{' {
		f, ok := c.fields("", data)
		if !ok {
			return
		}
		if questions, answers = f.take("questions_json"), f.take("user_answers"); questions == nil {
			if questions = f.take("questions"); questions != nil {
				c.odd("questions", ask.ErrSyntax, "was named \"questions\" instead of \"questions_json\"")
			}
		}
		c.rest("", f)
	}
	list, ok := c.agnoList(questions)
	if !ok {
		c.unread = true
		return
	}
	if c.set("questions_json", list, claudeShape); c.unread {
		return
	}
	if most := c.maxQuestions(); c.sent < 1 || c.sent > most {
		c.bad("questions", count(c.sent), "Must ask 1-%d questions, got %d", most, c.sent)
	}
	for i, it := range c.items {
		c.agnoQuestion(i, it)
	}
	c.unique("header", itemHeader)
	if !missing(answers) && len(c.problems) == 0 {
		c.agnoGiven(answers)
	}
}

// agnoList opens the JSON string that is the tool's argument.
func (c *call) agnoList(data json.RawMessage) (json.RawMessage, bool) {
	if data = bytes.TrimSpace(data); missing(data) {
		c.bad("questions_json", ask.ErrSyntax, agnoBadJSON, "it is missing")
		return nil, false
	}
	if data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			c.bad("questions_json", ask.ErrSyntax, agnoBadJSON, err)
			return nil, false
		}
		data = bytes.TrimSpace([]byte(s))
	}
	var v any
	if err := strictjson.Decode(data, &v); err != nil {
		c.bad("questions_json", ask.ErrSyntax, agnoBadJSON, err)
		return nil, false
	}
	// A question alone is read as a list of one.
	if alone := data[0] == '{' && members(data)["question"] != nil; data[0] != '[' && (!alone || c.strict) {
		c.bad("questions_json", ask.ErrSyntax, "questions_json must be a JSON array of question objects")
		return nil, false
	}
	return data, true
}

func (c *call) agnoQuestion(i int, it item) {
	wrong := func(name string, kind error, format string, args ...any) {
		c.bad(it.at+"."+name, kind, "Error parsing question %d: %s", i, fmt.Sprintf(format, args...))
	}
	if !it.has["question"] || !it.has["header"] || !it.has["options"] || !it.has["multiSelect"] && !it.has["multi_select"] {
		c.bad(it.at, ask.ErrSyntax, "Question %d missing required fields", i)
		return
	}
	if n := utf8.RuneCountInString(it.header.text); n > agnoHeader {
		wrong("header", ask.ErrTooLong, "Header '%s' exceeds %d character limit", brief(it.header.text), agnoHeader)
	} else if n == 0 {
		c.badAt(it.at+".header", ask.ErrSyntax, "is empty, and answers are filed by it")
	}
	if n := len(it.options); it.sent < 2 || n > 4 {
		wrong("options", ask.ErrOptionCount, "Must have 2-4 options, got %d", n)
	}
	for j, o := range it.options {
		if n := len(strings.Fields(o.label.text)); n > agnoLabelWords {
			c.advise(optionPath(it, j)+".label", "has %d words; keep it to 1-%d", n, agnoLabelWords)
		}
		if !o.has["label"] || !o.has["description"] {
			c.bad(fmt.Sprintf("%s.options[%d]", it.at, j), ask.ErrEmptyLabel, "Option in question %d missing 'label' or 'description'", i)
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(it.text.text), "?") {
		c.advise(it.at+".question", "should end with \"?\"")
	}
}

// agnoGiven reads user_answers: {"question_0": ["label"], …}, or that as a
// string. A value that is no list counts as a list of one; what is no label is
// typed text.
func (c *call) agnoGiven(data json.RawMessage) {
	if data[0] == '"' {
		var s string
		if json.Unmarshal(data, &s) == nil {
			data = json.RawMessage(s)
		}
	}
	var given map[string]json.RawMessage
	if err := strictjson.Decode(data, &given); err != nil {
		c.bad("user_answers", ask.ErrSyntax, "Invalid user_answers format: %s", err)
		return
	}
	for i, q := range c.request.Questions {
		raw, ok := given[fmt.Sprintf("question_%d", i)]
		if !ok {
			continue
		}
		var values []string
		if json.Unmarshal(raw, &values) != nil {
			values = []string{c.text(fmt.Sprintf("user_answers.question_%d", i), raw)}
		}
		a := ask.Answer{Index: i, Question: q.Text, Header: q.Header, Selected: []string{}}
		for _, o := range q.Options {
			if contains(values, o.Label) {
				a.Selected = append(a.Selected, o.Label)
			}
		}
		a.Other = strings.Join(without(values, a.Selected), ", ")
		c.given = append(c.given, a)
	}
}

// agnoWaiting is what the first of the tool's two calls returns.
func (c *call) agnoWaiting() js {
	var questions []js
	for _, it := range c.items {
		var options []js
		for _, o := range it.options {
			options = append(options, object(member{`"label"`, o.label.json}, at("description", str(o.description))))
		}
		questions = append(questions, object(
			member{`"question"`, it.text.json}, member{`"header"`, it.header.json},
			at("options", array(options)), at("multiSelect", boolean(it.multi)),
		))
	}
	return object(
		at("questions", array(questions)),
		at("total_questions", js(fmt.Sprint(len(questions)))),
		at("status", `"awaiting_user_input"`),
	)
}

// indented writes JSON as Python's json.dumps(indent=2) does.
func indented(body js) js {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") != nil {
		return body
	}
	return js(b.String())
}

// Agno's own ask_user: the run pauses and is resumed with the selections by
// question text. An empty map leaves it pending.
const agnoNativeSource = "https://github.com/agno-agi/agno/blob/main/libs/agno/agno/tools/user_feedback.py"

func agnoNative() Dialect {
	return Dialect{
		Name: "agno-native", Family: "agno", Host: "Agno, user feedback", Tool: "ask_user", Source: agnoNativeSource,
		Evidence: Lossy,
		Note:     "Takes labels only, so typed text is switched off; a set without an answer can only be left pending.",
		read: func(c *call, data json.RawMessage) {
			s := claudeShape
			s.labelsOnly = true
			c.readSet(data, s)
			c.unique("question", itemText)
		},
		write: func(_ *call, picks []pick) Result {
			var selections []member
			for _, p := range picks {
				if !p.skipped {
					selections = append(selections, member{p.text.json, labelList(p.values())})
				}
			}
			return asJSON(object(at("selections", object(selections...))))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Pending {
				return asJSON(`{"selections":{}}`)
			}
			return fail(c, e, text)
		},
	}
}
