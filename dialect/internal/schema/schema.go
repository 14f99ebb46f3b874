// Package schema asks for the properties of a flat JSON schema, as in an MCP elicitation, and encodes the answers as an object that
// fits it.
package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/dialect/internal/question"
	"github.com/askbridge/askbridge/internal/spelling"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// otherSuffix marks a text property for the typed answer to a choice, as in "q0" and "q0_other".
const otherSuffix = "_other"

// property is one property of the schema.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
type property struct {
	Type        string            `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Enum        []json.RawMessage `json:"enum"`
	EnumNames   []string          `json:"enumNames"`
	OneOf       []constant        `json:"oneOf"`
	AnyOf       []constant        `json:"anyOf"`
	Items       *property         `json:"items"`
	Minimum     json.RawMessage   `json:"minimum"`
	Maximum     json.RawMessage   `json:"maximum"`
}

// constant is one value of a choice.
type constant struct {
	Const       json.RawMessage `json:"const"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
}

// Read adds a question for each property of a flat object schema, in the order in which they are written. Defaults are never
// applied, because no one chose them.
func Read(s *question.Set, path, message string, data json.RawMessage) {
	var form struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	data = s.Opened(path, data)
	if err := strictjson.Decode(data, &form); err != nil || js.Missing(form.Properties) || form.Properties[0] != '{' {
		s.NotA(path, "a flat JSON schema with properties")
		s.Unread = true
		return
	}
	var props map[string]json.RawMessage
	if json.Unmarshal(form.Properties, &props) != nil {
		s.NotA(path+".properties", "a JSON object")
		s.Unread = true
		return
	}
	names := slices.DeleteFunc(js.Names(form.Properties), func(name string) bool { return typed(name, props, form.Required) })
	asked := questionsIn(message, names)
	for i, name := range names {
		at := path + ".properties." + name
		var p property
		if err := strictjson.Decode(props[name], &p); err != nil {
			s.Reject(at, ask.ErrSyntax, "is not a property of a flat form")
			continue
		}
		severalKeywords(s, at, props[name], p)
		text := joined(asked[i], p.Description)
		header := p.Title
		if text == "" || text == header {
			text, header = cmp.Or(p.Title, name), ""
		}
		it := question.Item{At: at, Key: js.Quote(name), Text: js.Quote(text), Required: slices.Contains(form.Required, name)}
		if header != "" {
			it.Header = js.Quote(header)
		}
		if typed(name+otherSuffix, props, form.Required) {
			it.Other = js.Quote(name + otherSuffix)
		}
		s.Sent++
		readProperty(s, it, p)
	}
	if message != "" && len(names) > 0 && asked[0] == "" {
		s.Request.Context = message
	}
}

// questionsIn returns the part of a form's message that belongs to each property, or empty texts if the message is about all of
// them. The message of a form with one property is its question. Kimi Code and OpenCode put the text of each question on a
// separate line and name the properties q0, q1 and so on.
func questionsIn(message string, names []string) []string {
	asked := make([]string, len(names))
	parts := []string{message}
	if len(names) != 1 {
		parts = strings.Split(message, "\n")
	}
	if len(parts) != len(names) {
		return asked
	}
	for i, name := range names {
		if len(names) != 1 && (name != "q"+strconv.Itoa(i) || strings.TrimSpace(parts[i]) == "") {
			return make([]string, len(names))
		}
		asked[i] = parts[i]
	}
	return asked
}

// joined joins two texts with a line break, unless they are the same or one is empty.
func joined(a, b string) string {
	if a == "" || a == b {
		return b
	}
	if b == "" {
		return a
	}
	return a + "\n" + b
}

// typed reports whether a property takes the typed answer to a choice. A required property does not, because it has to be
// answered with any choice.
func typed(name string, props map[string]json.RawMessage, required []string) bool {
	base, ok := strings.CutSuffix(name, otherSuffix)
	if !ok || slices.Contains(required, name) {
		return false
	}
	var choice, text property
	return strictjson.Decode(props[base], &choice) == nil && choice.chosen() &&
		strictjson.Decode(props[name], &text) == nil && text.written()
}

// chosen reports whether a property has values to choose from.
func (p property) chosen() bool {
	if p.Type == "array" && p.Items != nil {
		p = *p.Items
	}
	return len(p.Enum)+len(p.OneOf)+len(p.AnyOf) > 0
}

// written reports whether a property takes any text.
func (p property) written() bool {
	return (p.Type == "" || p.Type == "string") && p.Format != "password" && !p.chosen()
}

// readProperty turns one property into a question.
func readProperty(s *question.Set, it question.Item, p property) {
	choices, within := p, it.At
	if it.Kind = p.Type; p.Type == "array" {
		it.Multi = true
		if p.Items == nil {
			s.Reject(it.At, ask.ErrSyntax, "a list needs the values it may hold")
			return
		}
		choices, within = *p.Items, it.At+".items"
	}
	if !checkConstants(s, within+".oneOf", choices.OneOf) || !checkConstants(s, within+".anyOf", choices.AnyOf) {
		s.Add(it, ask.Question{}) // Its problems are reported.
		return
	}
	q := ask.Question{MultiSelect: it.Multi}
	choice := func(label, description string, value json.RawMessage) {
		it.Options = append(it.Options, question.Option{Label: js.Quote(label), Key: js.Token{Text: string(value), JSON: js.Text(value)}})
		q.Options = append(q.Options, ask.Option{Label: label, Description: description})
	}
	for _, v := range append(choices.OneOf, choices.AnyOf...) {
		label := v.Title
		if label == "" {
			label = plain(v.Const)
		}
		choice(label, v.Description, v.Const)
	}
	for i, v := range choices.Enum {
		label := plain(v)
		if i < len(choices.EnumNames) {
			label = choices.EnumNames[i]
		}
		choice(label, "", v)
	}
	switch {
	case p.Format == "password":
		s.Reject(it.At, ask.ErrSyntax, "asks for a secret, which must not be typed into a chat")
	case len(it.Options) > 0:
		// Text cannot replace a required choice.
		if it.Kind, q.NoOther = "choice", it.Other.Empty() || it.Required; it.Required && !it.Other.Empty() {
			s.Advise(it.At, "is required, so that %s is not asked for in its place", it.Other.Text)
		}
	case p.Type == "boolean":
		it.Kind, q.NoOther = "choice", true
		choice("Yes", "", json.RawMessage("true"))
		choice("No", "", json.RawMessage("false"))
	case p.Type == "object" || p.Type == "array":
		s.Reject(it.At, ask.ErrSyntax, "a form is flat: %s cannot be asked", p.Type)
	}
	if wanted := p.wanted(); wanted != "" && q.Options == nil {
		q.Text = it.Text.Text + " (" + wanted + ")"
	}
	it.Sent = len(it.Options)
	s.Add(it, q)
}

// formats describes the formats of texts for people.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
var formats = map[string]string{
	"email":     "an e-mail address",
	"uri":       "an address, as in https://example.org/",
	"date":      "a date, as in 2026-11-26",
	"date-time": "a date and time, as in 2026-11-26T15:04:05Z",
}

// wanted describes the text that the form accepts; empty for any text.
func (p property) wanted() string {
	what := formats[p.Format]
	switch p.Type {
	case "integer":
		what = "a whole number"
	case "number":
		what = "a number"
	case "", "string":
		return what
	default:
		return ""
	}
	from, to := plain(p.Minimum), plain(p.Maximum)
	switch {
	case from != "" && to != "":
		return what + " from " + from + " to " + to
	case from != "":
		return what + ", at least " + from
	case to != "":
		return what + ", at most " + to
	}
	return what
}

// checkConstants rejects choices without a value.
func checkConstants(s *question.Set, path string, choices []constant) bool {
	sound := true
	for i, v := range choices {
		if len(v.Const) == 0 {
			s.Reject(fmt.Sprintf("%s[%d].const", path, i), ask.ErrSyntax, "is required, since it is sent where this is chosen")
			sound = false
		}
	}
	return sound
}

// plain returns a constant as people see it.
func plain(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}

// severalKeywords reports a keyword that lets people pick several options in other formats. In a JSON schema, the type array
// does.
func severalKeywords(s *question.Set, at string, text json.RawMessage, p property) {
	keywords := js.FieldsOf(text)
	for _, name := range js.Keys(keywords) {
		if p.Type != "array" && spelling.Several(name) && string(keywords[name]) == "true" {
			s.Tolerate(at+"."+name, ask.ErrSyntax, "is not a keyword of a JSON schema; it was ignored. Use the type array to let people pick several")
		}
	}
}
