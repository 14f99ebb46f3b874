package question

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
)

// ReadList reads a list of questions, or a single question.
func (s *Set) ReadList(path string, data json.RawMessage, shape Shape) {
	data = s.Opened(path, data)
	if !js.Missing(data) && data[0] == '{' {
		s.Tolerate(path, ask.ErrSyntax, "was a single question instead of a list")
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	items, ok := s.List(path, data, "a list of questions")
	if !ok {
		s.Unread = true
		return
	}
	s.Raw, s.Sent = data, len(items)
	// Limit the problems that are reported for hundreds of questions.
	items = items[:min(len(items), 2*ask.MaxQuestions)]
	for i, raw := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if raw = s.Opened(at, raw); len(raw) > 0 && raw[0] == '"' {
			s.Tolerate(at, ask.ErrSyntax, "was a text instead of a question object")
			s.Add(Item{At: at, Shape: shape, Text: s.Token(at, raw), Has: map[string]bool{shape.Text[0]: true}}, ask.Question{})
			continue
		}
		f, ok := s.Fields(at, raw)
		if !ok {
			s.Unread = true
			continue
		}
		s.ReadQuestion(at, f, shape)
		s.Rest(at, f, slices.Concat(shape.Text[:1], shape.Header, shape.Options)...)
	}
}

// ReadQuestion reads one question. Members that the shape does not name remain in f.
func (s *Set) ReadQuestion(at string, f js.Fields, shape Shape) {
	sub := func(name string) string { return strings.TrimPrefix(at+"."+name, ".") }
	it := Item{At: at, Shape: shape, Has: map[string]bool{}}
	for name := range f {
		it.Has[name] = true
	}
	it.Text = s.Token(sub(shape.Text[0]), f.Take(shape.Text...))
	if len(shape.Header) > 0 {
		it.Header = s.Token(sub(shape.Header[0]), f.Take(shape.Header...))
	}
	if shape.Key != "" {
		it.Key = s.Token(sub(shape.Key), f.Take(shape.Key))
	}
	if shape.Kind != "" {
		it.Kind = s.Text(sub(shape.Kind), f.Take(shape.Kind))
	}
	s.several(&it, f, sub)
	q := ask.Question{MultiSelect: it.Multi, NoOther: shape.LabelsOnly}
	if shape.Other != "" {
		if allowed := f.Take(shape.Other); !js.Missing(allowed) {
			q.NoOther = !s.Flag(sub(shape.Other), allowed)
		}
	}
	if len(shape.Options) > 0 {
		s.options(&it, &q, sub(shape.Options[0]), f.Take(shape.Options...), shape)
	}
	it.Extra = js.Fields{}
	for _, name := range shape.Known {
		it.Extra[name] = f.Take(name)
	}
	s.Add(it, q)
}

// options reads the options of a question.
func (s *Set) options(it *Item, q *ask.Question, path string, data json.RawMessage, shape Shape) {
	raws, ok := s.List(path, data, "a list of options")
	if !ok {
		s.Unread = true
		return
	}
	it.Sent = len(raws)
	if len(raws) > ask.MaxOptions {
		s.Reject(path, ask.ErrOptionCount, "%d given; at most %d can be shown", len(raws), ask.MaxOptions)
		raws = raws[:ask.MaxOptions]
	}
	for i, raw := range raws {
		at := fmt.Sprintf("%s[%d]", path, i)
		o := Option{Has: map[string]bool{}}
		var shown ask.Option
		if raw = bytes.TrimSpace(raw); raw[0] != '{' {
			o.Label = s.Token(at, raw)
		} else if f, ok := s.Fields(at, raw); ok {
			for name := range f {
				o.Has[name] = true
			}
			o.Label = s.Token(at+"."+shape.Label[0], f.Take(shape.Label...))
			shown.Description = s.Text(at+".description", f.Take("description"))
			o.Preview = s.Token(at+".preview", f.Take("preview"))
			shown.Preview = o.Preview.Text
			if shape.OptionKey != "" {
				o.Key = s.Token(at+"."+shape.OptionKey, f.Take(shape.OptionKey))
			}
			if shape.OptionKind != "" {
				o.Kind = s.Text(at+"."+shape.OptionKind, f.Take(shape.OptionKind))
			}
			for _, name := range shape.Known {
				f.Take(name)
			}
			s.Rest(at, f, shape.Label[0], "description")
		}
		shown.Label, o.Description = o.Label.Text, shown.Description
		it.Options = append(it.Options, o)
		q.Options = append(q.Options, shown)
	}
	s.dropOther(it, q, path)
}

// dropOther removes a last option "Other": cards have a control for typed text, and the bare word as an answer would be useless
// to the agent.
func (s *Set) dropOther(it *Item, q *ask.Question, path string) {
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
		s.Advise(at, "%q is an ordinary option here; typed text has a control of its own", q.Options[last].Label)
		return
	}
	s.Tolerate(at, ask.ErrOptionCount, "%q was left out: typed text has a control of its own", q.Options[last].Label)
	it.Options, q.Options = it.Options[:last], q.Options[:last]
}

// Inline reads the questions of a host without a question format: a set in the form of Claude's tool if data has one,
// otherwise the text as one question.
func (s *Set) Inline(path string, data json.RawMessage, text js.Token) {
	var f js.Fields
	if json.Unmarshal(data, &f) == nil && f["questions"] != nil {
		s.ReadList(strings.TrimPrefix(path+".questions", "."), f["questions"], Claude)
		return
	}
	s.Sent++
	s.Add(Item{At: path, Text: text}, ask.Question{})
}

// Top reads the object around the questions. A bare list or a single question counts as the questions.
func (s *Set) Top(data json.RawMessage, shape Shape) (js.Fields, bool) {
	if data[0] != '{' {
		return js.Fields{"questions": data}, true
	}
	f, ok := s.Fields("", data)
	if !ok {
		s.Unread = true
		return nil, false
	}
	if _, bare := f[shape.Text[0]]; bare && f["questions"] == nil {
		f = js.Fields{"questions": data}
	}
	return f, true
}

// ReadSet reads {"questions": […]} and ignores the known members.
func (s *Set) ReadSet(data json.RawMessage, shape Shape, known ...string) {
	f, ok := s.Top(data, shape)
	if !ok {
		return
	}
	s.ReadList("questions", f.Take("questions"), shape)
	for _, name := range known {
		f.Take(name)
	}
	s.Rest("", f)
}

// IDs takes the session and the tool-call ID from the members with these names.
func (s *Set) IDs(f js.Fields, session, toolCall string) {
	if session != "" {
		s.Request.Session = s.Text(session, f.Take(session))
	}
	if toolCall != "" {
		s.Request.ToolCallID = s.Text(toolCall, f.Take(toolCall))
	}
}
