package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/dialect/internal/quote"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// Agno's ask_user_question. The rules are from the tool's documentation and code: the questions come as a JSON string, a header
// has at most 12 characters, all four members are required, answers go in by question_N and come out by header as lists, and
// the JSON is indented by two spaces. Where documentation and code word an error differently, the documentation counts.
const agnoSource = "https://github.com/Biaoo/agent-ui/tree/main/backend/src/tools/ask_user_question"

const (
	agnoHeader = 12
	agnoMax    = 4
	// agnoLabelWords is the documented advice for a label.
	agnoLabelWords = 5
	agnoBadJSON    = "Invalid questions_json format: %s"
)

func agno() Dialect {
	return Dialect{
		Name: "agno", Family: "agno", Host: "Agno, function tool", Tool: "ask_user_question", Source: agnoSource, canSkip: true,
		Limits:   Limits{MaxQuestions: agnoMax, MinOptions: 2, MaxOptions: 4, Header: agnoHeader},
		Evidence: Unverified,
		Note:     "Answers are filed by header, so two questions with one header are refused; what a call brings in user_answers is no answer, people are asked; typed text as a list entry and the form of a cancelled set are inferred.",
		studied:  "page of the tool and core.py at d1b1c9b, November 2026",
		headless: noScreen,
		syntax:   agnoBadJSON,
		read:     readAgno,
		write: func(c *call, picks []answer.Pick) Result {
			var answers []js.Member
			for _, p := range picks {
				answers = append(answers, p.Header.At(js.List(p.Values())))
			}
			return asJSON(indented(js.Object(
				js.At("answers", js.Object(answers...)),
				js.At("questions_asked", js.Text(fmt.Sprint(len(picks)))),
				js.At("status", `"completed"`),
			)))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Pending {
				return asJSON(indented(agnoWaiting(c)))
			}
			return asJSON(indented(js.Object(js.At("error", js.String(text)), js.At("status", `"failed"`)))).asError()
		},
	}
}

func readAgno(c *call, data json.RawMessage) {
	questions, answers := data, json.RawMessage(nil)
	if data[0] == '{' {
		f, ok := c.Fields("", data)
		if !ok {
			return
		}
		if questions, answers = f.Take("questions_json"), f.Take("user_answers"); questions == nil {
			if questions = f.Take("questions"); questions != nil {
				c.Tolerate("questions", ask.ErrSyntax, "was named \"questions\" instead of \"questions_json\"")
			}
		}
		c.Rest("", f)
	}
	list, ok := agnoList(c, questions)
	if !ok {
		c.Unread = true
		return
	}
	if c.ReadList("questions_json", list, question.Claude); c.Unread {
		return
	}
	if most := c.MaxQuestions(); c.Sent < 1 || c.Sent > most {
		c.RejectAsHost("questions", question.CountError(c.Sent), "Must ask 1-%d questions, got %d", most, c.Sent)
	}
	for i, it := range c.Items {
		agnoQuestion(c, i, it)
	}
	c.Unique("header", question.ItemHeader)
	if !js.Missing(answers) && len(c.Problems) == 0 {
		agnoGiven(c, answers)
	}
}

// agnoList decodes the JSON string that is the tool's argument.
func agnoList(c *call, data json.RawMessage) (json.RawMessage, bool) {
	if data = bytes.TrimSpace(data); js.Missing(data) {
		c.RejectAsHost("questions_json", ask.ErrSyntax, agnoBadJSON, "it is missing")
		return nil, false
	}
	if data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			c.RejectAsHost("questions_json", ask.ErrSyntax, agnoBadJSON, err)
			return nil, false
		}
		data = bytes.TrimSpace([]byte(s))
	}
	var v any
	if err := strictjson.Decode(data, &v); err != nil {
		c.RejectAsHost("questions_json", ask.ErrSyntax, agnoBadJSON, err)
		return nil, false
	}
	// A single question is read as a list.
	if alone := data[0] == '{' && js.FieldsOf(data)["question"] != nil; data[0] != '[' && (!alone || c.Strict) {
		c.RejectAsHost("questions_json", ask.ErrSyntax, "questions_json must be a JSON array of question objects")
		return nil, false
	}
	return data, true
}

func agnoQuestion(c *call, i int, it question.Item) {
	wrong := func(name string, kind error, format string, args ...any) {
		c.RejectAsHost(it.At+"."+name, kind, "Error parsing question %d: %s", i, fmt.Sprintf(format, args...))
	}
	if !it.Has["question"] || !it.Has["header"] || !it.Has["options"] || !it.Has["multiSelect"] && !it.Has["multi_select"] {
		c.RejectAsHost(it.At, ask.ErrSyntax, "Question %d missing required fields", i)
		return
	}
	if n := utf8.RuneCountInString(it.Header.Text); n > agnoHeader {
		wrong("header", ask.ErrTooLong, "Header '%s' exceeds %d character limit", quote.Brief(it.Header.Text), agnoHeader)
	} else if n == 0 {
		c.Reject(it.At+".header", ask.ErrSyntax, "is empty, and answers are filed by it")
	}
	if n := len(it.Options); it.Sent < 2 || n > 4 {
		wrong("options", ask.ErrOptionCount, "Must have 2-4 options, got %d", n)
	}
	for j, o := range it.Options {
		if n := len(strings.Fields(o.Label.Text)); n > agnoLabelWords {
			c.Advise(question.OptionPath(it, j)+".label", "has %d words; keep it to 1-%d", n, agnoLabelWords)
		}
		if !o.Has["label"] || !o.Has["description"] {
			c.RejectAsHost(fmt.Sprintf("%s.options[%d]", it.At, j), ask.ErrEmptyLabel, "Option in question %d missing 'label' or 'description'", i)
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(it.Text.Text), "?") {
		c.Advise(it.At+".question", "should end with \"?\"")
	}
}

// agnoGiven reads user_answers: {"question_0": ["label"], …}, also as a string. A single value counts as a list, and a value
// that is no label as typed text.
func agnoGiven(c *call, data json.RawMessage) {
	if data[0] == '"' {
		var s string
		if json.Unmarshal(data, &s) == nil {
			data = json.RawMessage(s)
		}
	}
	var given map[string]json.RawMessage
	if err := strictjson.Decode(data, &given); err != nil {
		c.RejectAsHost("user_answers", ask.ErrSyntax, "Invalid user_answers format: %s", err)
		return
	}
	for i, q := range c.Request.Questions {
		raw, ok := given[fmt.Sprintf("question_%d", i)]
		if !ok {
			continue
		}
		var values []string
		if json.Unmarshal(raw, &values) != nil {
			values = []string{c.Text(fmt.Sprintf("user_answers.question_%d", i), raw)}
		}
		a := ask.Answer{Index: i, Question: q.Text, Header: q.Header, Selected: []string{}}
		for _, o := range q.Options {
			if slices.Contains(values, o.Label) {
				a.Selected = append(a.Selected, o.Label)
			}
		}
		a.Other = strings.Join(slices.DeleteFunc(values, func(v string) bool { return slices.Contains(a.Selected, v) }), ", ")
		c.given = append(c.given, a)
	}
}

// agnoWaiting is the result of the first of the tool's two calls.
func agnoWaiting(c *call) js.Text {
	var questions []js.Text
	for _, it := range c.Items {
		var options []js.Text
		for _, o := range it.Options {
			options = append(options, js.Object(js.At("label", o.Label.JSON), js.At("description", js.String(o.Description))))
		}
		questions = append(questions, js.Object(
			js.At("question", it.Text.JSON), js.At("header", it.Header.JSON),
			js.At("options", js.Array(options)), js.At("multiSelect", js.Bool(it.Multi)),
		))
	}
	return js.Object(
		js.At("questions", js.Array(questions)),
		js.At("total_questions", js.Text(fmt.Sprint(len(questions)))),
		js.At("status", `"awaiting_user_input"`),
	)
}

// indented writes JSON as Python's json.dumps(indent=2) does.
func indented(body js.Text) js.Text {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") != nil {
		return body
	}
	return js.Text(b.String())
}

// Agno's own ask_user: the run pauses and resumes with the selections by question text. An empty map leaves it pending.
const agnoNativeSource = "https://github.com/agno-agi/agno/blob/main/libs/agno/agno/tools/user_feedback.py"

func agnoNative() Dialect {
	return Dialect{
		Name: "agno-native", Family: "agno", Host: "Agno, user feedback", Tool: "ask_user", Source: agnoNativeSource,
		Evidence: Lossy,
		Note:     "Takes labels only, so typed text is switched off; a set without an answer can only be left pending.",
		studied:  "source at 9644f22, 2026-08-23",
		headless: noScreen,
		read: func(c *call, data json.RawMessage) {
			s := question.Claude
			s.LabelsOnly = true
			c.ReadSet(data, s)
			c.Unique("question", question.ItemText)
		},
		write: func(_ *call, picks []answer.Pick) Result {
			var selections []js.Member
			for _, p := range picks {
				if !p.Skipped {
					selections = append(selections, p.Text.At(js.List(p.Values())))
				}
			}
			return asJSON(js.Object(js.At("selections", js.Object(selections...))))
		},
		end: func(c *call, e Ending, text string) Result {
			if e == Pending {
				return asJSON(`{"selections":{}}`)
			}
			return fail(c, e, text)
		},
	}
}
