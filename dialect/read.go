package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/spelling"
)

// shape names the members of a host's questions. The first name is the one the
// host documents; the others are what models send in its place.
type shape struct {
	text, header, options, multi, label []string
	// key and optionKey name ids the host files answers by.
	key, optionKey string
	// optionKind names what the host calls the kind of an option.
	optionKind string
	// other names a boolean whose false forbids typed text; labelsOnly says that the host
	// has no place for any, so that an option "Other" is like every other.
	other      string
	labelsOnly bool
	// kind names the type of a question.
	kind string
	// known members are the host's own and mean nothing to people.
	known []string
}

// claudeShape is the form most hosts have taken over.
var claudeShape = shape{
	text: []string{"question"}, header: []string{"header"}, options: []string{"options"},
	multi: []string{"multiSelect", "multi_select"}, label: []string{"label"},
}

// fields are the members of a JSON object that nobody has taken yet.
type fields map[string]json.RawMessage

// object is the members as an object, in the order of their names.
func (f fields) object() json.RawMessage {
	var all []member
	for _, name := range sortedKeys(f) {
		all = append(all, at(name, js(f[name])))
	}
	return json.RawMessage(object(all...))
}

func (f fields) take(names ...string) json.RawMessage {
	var found json.RawMessage
	for _, name := range names {
		if v, ok := f[name]; ok && found == nil {
			found = v
			delete(f, name)
		}
	}
	return found
}

// rest lists the members that were not read, and suggests which of the known ones was meant.
func (c *call) rest(path string, f fields, known ...string) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		p := strings.TrimPrefix(path+"."+name, ".")
		if c.strict {
			c.badAt(p, ask.ErrSyntax, "is not a member this host knows")
			continue
		}
		c.ignored = append(c.ignored, p)
		if meant := spelling.Slip(name, known); meant != "" {
			c.advise(p, "is not a member this host knows; it was ignored. Did you mean %s?", meant)
		}
	}
}

func (c *call) fields(path string, data json.RawMessage) (fields, bool) {
	data = c.opened(path, data)
	var f fields
	if err := json.Unmarshal(data, &f); err != nil || f == nil {
		c.notA(path, "a JSON object")
		return nil, false
	}
	return f, true
}

func (c *call) list(path string, data json.RawMessage, what string) ([]json.RawMessage, bool) {
	data = c.opened(path, data)
	if missing(data) {
		return nil, true
	}
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		c.notA(path, what)
		return nil, false
	}
	return items, true
}

func (c *call) notA(path, what string) {
	if path == "" {
		path = "the tool input"
	}
	c.badAt(path, ask.ErrSyntax, "must be %s", what)
}

// opened opens a JSON string that holds a list or an object, as some models
// send them.
func (c *call) opened(path string, data json.RawMessage) json.RawMessage {
	inner, opened := ask.Unquote(data)
	if opened && c.members(path, inner) {
		c.odd(path, ask.ErrSyntax, "was JSON inside a string; it was read as what it holds")
	}
	return inner
}

func missing(data json.RawMessage) bool {
	return len(data) == 0 || string(data) == "null"
}

// token reads a text and keeps its bytes; numbers and booleans count as their
// own spelling.
func (c *call) token(path string, data json.RawMessage) token {
	data = bytes.TrimSpace(data)
	if missing(data) {
		return token{}
	}
	switch data[0] {
	case '"':
		t := token{json: js(data)}
		if json.Unmarshal(data, &t.text) != nil {
			c.notA(path, "a string")
		}
		return t
	case '{', '[':
		c.notA(path, "a string")
		return token{}
	}
	c.odd(path, ask.ErrSyntax, "was %s instead of a string; it was read as the text %q", data, data)
	return quote(string(data))
}

func (c *call) text(path string, data json.RawMessage) string {
	return c.token(path, data).text
}

func (c *call) flag(path string, data json.RawMessage) bool {
	data = bytes.TrimSpace(data)
	switch string(data) {
	case "", "null", "false":
		return false
	case "true":
		return true
	}
	switch strings.ToLower(strings.Trim(string(data), `"`)) {
	case "true", "1", "yes":
		c.odd(path, ask.ErrSyntax, "was %s; it was read as true", data)
		return true
	case "false", "0", "no", "":
		c.odd(path, ask.ErrSyntax, "was %s; it was read as false", data)
		return false
	}
	c.notA(path, "true or false")
	return false
}

// set reads a list of questions, or a single one where a list belongs.
func (c *call) set(path string, data json.RawMessage, s shape) {
	data = c.opened(path, data)
	if !missing(data) && data[0] == '{' {
		c.odd(path, ask.ErrSyntax, "was a single question instead of a list")
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	items, ok := c.list(path, data, "a list of questions")
	if !ok {
		c.unread = true
		return
	}
	c.raw, c.sent = data, len(items)
	// Whoever sends hundreds need not be told about each of them.
	items = items[:min(len(items), 2*ask.MaxQuestions)]
	for i, raw := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if raw = c.opened(at, raw); len(raw) > 0 && raw[0] == '"' {
			c.odd(at, ask.ErrSyntax, "was a text instead of a question object")
			c.add(item{at: at, shape: s, text: c.token(at, raw), has: map[string]bool{s.text[0]: true}}, ask.Question{})
			continue
		}
		f, ok := c.fields(at, raw)
		if !ok {
			c.unread = true
			continue
		}
		c.question(at, f, s)
		c.rest(at, f, slices.Concat(s.text[:1], s.header, s.options)...)
	}
}

// question reads one question. It leaves what the shape does not name in f.
func (c *call) question(at string, f fields, s shape) {
	sub := func(name string) string { return strings.TrimPrefix(at+"."+name, ".") }
	it := item{at: at, shape: s, has: map[string]bool{}}
	for name := range f {
		it.has[name] = true
	}
	it.text = c.token(sub(s.text[0]), f.take(s.text...))
	if len(s.header) > 0 {
		it.header = c.token(sub(s.header[0]), f.take(s.header...))
	}
	if s.key != "" {
		it.key = c.token(sub(s.key), f.take(s.key))
	}
	if s.kind != "" {
		it.kind = c.text(sub(s.kind), f.take(s.kind))
	}
	c.several(&it, f, sub)
	q := ask.Question{MultiSelect: it.multi, NoOther: s.labelsOnly}
	if s.other != "" {
		if allowed := f.take(s.other); !missing(allowed) {
			q.NoOther = !c.flag(sub(s.other), allowed)
		}
	}
	if len(s.options) > 0 {
		c.options(&it, &q, sub(s.options[0]), f.take(s.options...), s)
	}
	it.extra = fields{}
	for _, name := range s.known {
		it.extra[name] = f.take(name)
	}
	c.add(it, q)
}

// add takes a question into the set. What q does not say yet is taken from it.
func (c *call) add(it item, q ask.Question) {
	it.index = len(c.items)
	if q.Text == "" {
		q.Text = it.text.text
	}
	q.Header = it.header.text
	c.items = append(c.items, it)
	c.request.Questions = append(c.request.Questions, q)
}

func (c *call) options(it *item, q *ask.Question, path string, data json.RawMessage, s shape) {
	raws, ok := c.list(path, data, "a list of options")
	if !ok {
		c.unread = true
		return
	}
	it.sent = len(raws)
	if len(raws) > ask.MaxOptions {
		c.badAt(path, ask.ErrOptionCount, "%d given; at most %d can be shown", len(raws), ask.MaxOptions)
		raws = raws[:ask.MaxOptions]
	}
	for i, raw := range raws {
		at := fmt.Sprintf("%s[%d]", path, i)
		o := option{has: map[string]bool{}}
		var shown ask.Option
		if raw = bytes.TrimSpace(raw); raw[0] != '{' {
			o.label = c.token(at, raw)
		} else if f, ok := c.fields(at, raw); ok {
			for name := range f {
				o.has[name] = true
			}
			o.label = c.token(at+"."+s.label[0], f.take(s.label...))
			shown.Description = c.text(at+".description", f.take("description"))
			o.preview = c.token(at+".preview", f.take("preview"))
			shown.Preview = o.preview.text
			if s.optionKey != "" {
				o.key = c.token(at+"."+s.optionKey, f.take(s.optionKey))
			}
			if s.optionKind != "" {
				o.kind = c.text(at+"."+s.optionKind, f.take(s.optionKind))
			}
			for _, name := range s.known {
				f.take(name)
			}
			c.rest(at, f, s.label[0], "description")
		}
		shown.Label, o.description = o.label.text, shown.Description
		it.options = append(it.options, o)
		q.Options = append(q.Options, shown)
	}
	c.dropOther(it, q, path)
}

// dropOther takes an "Other" entry at the end off the list: every host adds
// its own, and a pick of the bare word would tell the agent nothing.
func (c *call) dropOther(it *item, q *ask.Question, path string) {
	last := len(q.Options) - 1
	if q.NoOther || last < 1 {
		return
	}
	word := strings.ToLower(strings.TrimRight(strings.TrimSpace(q.Options[last].Label), " .…:"))
	if word != "other" && word != "other (please specify)" && word != "something else" {
		return
	}
	at := fmt.Sprintf("%s[%d]", path, last)
	if last < ask.DefaultMinOptions {
		c.advise(at, "%q is an ordinary option here; typed text has a control of its own", q.Options[last].Label)
		return
	}
	c.odd(at, ask.ErrOptionCount, "%q was left out: typed text has a control of its own", q.Options[last].Label)
	it.options, q.Options = it.options[:last], q.Options[:last]
}
