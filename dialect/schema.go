package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/strictjson"
)

// otherSuffix marks a text property that carries the typed answer of the
// choice it is named after, as in "q0" and "q0_other".
const otherSuffix = "_other"

// property is one member of the flat JSON schema of a form.
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

type constant struct {
	Const       json.RawMessage `json:"const"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
}

// schema reads a flat object schema as questions, one for each property in the
// order they are written. Defaults are never applied: nothing is filled in.
func (c *call) schema(path, message string, data json.RawMessage) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	data = c.opened(path, data)
	if err := strictjson.Decode(data, &s); err != nil || missing(s.Properties) || s.Properties[0] != '{' {
		c.notA(path, "a flat JSON schema with properties")
		c.unread = true
		return
	}
	var props map[string]json.RawMessage
	if json.Unmarshal(s.Properties, &props) != nil {
		c.notA(path+".properties", "a JSON object")
		c.unread = true
		return
	}
	names := slices.DeleteFunc(memberNames(s.Properties), func(name string) bool { return typed(name, props, s.Required) })
	asked := questionsIn(message, names)
	for i, name := range names {
		at := path + ".properties." + name
		var p property
		if err := strictjson.Decode(props[name], &p); err != nil {
			c.badAt(at, ask.ErrSyntax, "is not a property of a flat form")
			continue
		}
		c.severalKeywords(at, props[name], p)
		text := joined(asked[i], p.Description)
		header := p.Title
		if text == "" || text == header {
			text, header = cmp.Or(p.Title, name), ""
		}
		it := item{at: at, key: quote(name), text: quote(text), required: slices.Contains(s.Required, name)}
		if header != "" {
			it.header = quote(header)
		}
		if typed(name+otherSuffix, props, s.Required) {
			it.other = quote(name + otherSuffix)
		}
		c.sent++
		c.property(it, p)
	}
	if message != "" && len(names) > 0 && asked[0] == "" {
		c.request.Context = message
	}
}

// questionsIn returns the part of a form's message that belongs to each property, which is nothing where the message is
// about all of them. The message is the question of a form with one property. Kimi Code and OpenCode put the text of each
// question on a line of its own and name the properties q0, q1 and so on.
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

// typed reports whether a property is the text beside a choice. One that is required is not: it
// is asked for whatever is chosen.
func typed(name string, props map[string]json.RawMessage, required []string) bool {
	base, ok := strings.CutSuffix(name, otherSuffix)
	if !ok || slices.Contains(required, name) {
		return false
	}
	var choice, text property
	return strictjson.Decode(props[base], &choice) == nil && choice.chosen() &&
		strictjson.Decode(props[name], &text) == nil && text.written()
}

// chosen reports whether a property has values to choose from, one or several.
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

// property turns one property into a question.
func (c *call) property(it item, p property) {
	choices, within := p, it.at
	if it.kind = p.Type; p.Type == "array" {
		it.multi = true
		if p.Items == nil {
			c.badAt(it.at, ask.ErrSyntax, "a list needs the values it may hold")
			return
		}
		choices, within = *p.Items, it.at+".items"
	}
	if !c.constants(within+".oneOf", choices.OneOf) || !c.constants(within+".anyOf", choices.AnyOf) {
		c.add(it, ask.Question{}) // What is wrong with it is said.
		return
	}
	q := ask.Question{MultiSelect: it.multi}
	choice := func(label, description string, value json.RawMessage) {
		it.options = append(it.options, option{label: quote(label), key: token{text: string(value), json: js(value)}})
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
		c.badAt(it.at, ask.ErrSyntax, "asks for a secret, which must not be typed into a chat")
	case len(it.options) > 0:
		// Where it has to be made, no text fits the form in its place.
		if it.kind, q.NoOther = "choice", it.other.empty() || it.required; it.required && !it.other.empty() {
			c.advise(it.at, "is required, so that %s is not asked for in its place", it.other.text)
		}
	case p.Type == "boolean":
		it.kind, q.NoOther = "choice", true
		choice("Yes", "", json.RawMessage("true"))
		choice("No", "", json.RawMessage("false"))
	case p.Type == "object" || p.Type == "array":
		c.badAt(it.at, ask.ErrSyntax, "a form is flat: %s cannot be asked", p.Type)
	}
	if wanted := p.wanted(); wanted != "" && q.Options == nil {
		q.Text = it.text.text + " (" + wanted + ")"
	}
	it.sent = len(it.options)
	c.add(it, q)
}

// formats say what the formats of texts look like, of which people have not heard.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
var formats = map[string]string{
	"email":     "an e-mail address",
	"uri":       "an address, as in https://example.org/",
	"date":      "a date, as in 2026-11-26",
	"date-time": "a date and time, as in 2026-11-26T15:04:05Z",
}

// wanted says what has to be typed, so that the form takes it; empty for any text.
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

// constants refuses choices that have no value which could be sent for them.
func (c *call) constants(path string, choices []constant) bool {
	sound := true
	for i, v := range choices {
		if len(v.Const) == 0 {
			c.badAt(fmt.Sprintf("%s[%d].const", path, i), ask.ErrSyntax, "is required, since it is sent where this is chosen")
			sound = false
		}
	}
	return sound
}

// errForm means that the answer cannot be put into the form.
var errForm = errors.New("the answer does not fit the form")

// content is the answered form of some of the questions.
func (c *call) content(picks []pick) (js, error) {
	var members []member
	for _, p := range picks {
		switch {
		case p.skipped && p.required:
			return "", fmt.Errorf("%w: %s is required", errForm, p.key.text)
		case p.skipped:
			continue
		case p.kind != "choice":
			value, err := typedValue(p)
			if err != nil {
				return "", err
			}
			members = append(members, member{p.key.json, value})
			continue
		}
		switch {
		case p.multi && len(p.keys) > 0:
			members = append(members, member{p.key.json, labelList(p.keys)})
		case len(p.keys) > 0:
			members = append(members, member{p.key.json, p.keys[0].json})
		}
		if p.other != "" {
			members = append(members, member{p.item.other.json, str(p.other)})
		}
	}
	return object(members...), nil
}

// typedValue is typed text as the property's type.
func typedValue(p pick) (js, error) {
	switch p.kind {
	case "number":
		if _, err := strconv.ParseFloat(p.other, 64); err == nil && json.Valid([]byte(p.other)) {
			return js(p.other), nil
		}
		return "", fmt.Errorf("%w: %s must be a number", errForm, p.key.text)
	case "integer":
		if n, err := strconv.ParseInt(p.other, 10, 64); err == nil {
			return js(strconv.FormatInt(n, 10)), nil
		}
		return "", fmt.Errorf("%w: %s must be a whole number", errForm, p.key.text)
	}
	return str(p.other), nil
}

// plain is a constant as a reader sees it.
func plain(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}

// memberNames lists the members of a JSON object in the order they are written.
func memberNames(data json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		var skipped json.RawMessage
		if err != nil || d.Decode(&skipped) != nil {
			return names
		}
		if s, ok := name.(string); ok && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}
