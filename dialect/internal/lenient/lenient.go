// Package lenient decodes tool inputs as models write them: a list as a JSON string, "true" in quotes, a number as a label.
// What harms no answer is accepted with advice; what would change or lose an answer is rejected. All problems are collected.
package lenient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/internal/spelling"
)

// Reader decodes one tool input and collects what is wrong with it.
type Reader struct {
	// Strict rejects what is otherwise accepted with advice.
	Strict bool

	Problems []InputError
	Advice   []ask.Problem
	// Ignored are the paths of unknown members.
	Ignored []string
	// Warnings are about the answer.
	Warnings []string
	// Unread is set if the questions could not be read at all, so that there are no further problems to report.
	Unread bool
}

// InputError is a reason to reject the input.
type InputError struct {
	ask.Problem
	// Host is set if the message is the host's own.
	Host bool
}

// Reject rejects the input with a message of the bridge.
func (r *Reader) Reject(path string, kind error, format string, args ...any) {
	r.Problems = append(r.Problems, InputError{ask.Problem{Path: path, Kind: kind, Detail: fmt.Sprintf(format, args...)}, false})
}

// RejectAsHost rejects the input with the host's message, byte for byte.
func (r *Reader) RejectAsHost(path string, kind error, format string, args ...any) {
	r.Problems = append(r.Problems, InputError{ask.Problem{Path: path, Kind: kind, Detail: fmt.Sprintf(format, args...)}, true})
}

// Tolerate accepts with advice what the host would reject, because it harms no answer. A strict reader rejects it.
func (r *Reader) Tolerate(path string, kind error, format string, args ...any) {
	if r.Strict {
		r.Reject(path, kind, format, args...)
		return
	}
	r.Advise(path, format, args...)
}

// TolerateAsHost is Tolerate with the host's message.
func (r *Reader) TolerateAsHost(path string, kind error, format string, args ...any) {
	if r.Strict {
		r.RejectAsHost(path, kind, format, args...)
		return
	}
	r.Advise(path, format, args...)
}

// Advise adds advice.
func (r *Reader) Advise(path, format string, args ...any) {
	r.Advice = append(r.Advice, ask.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

// AddWarning adds a warning about the answer.
func (r *Reader) AddWarning(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// NotA rejects a value of the wrong type.
func (r *Reader) NotA(path, what string) {
	if path == "" {
		path = "the tool input"
	}
	r.Reject(path, ask.ErrSyntax, "must be %s", what)
}

// Unambiguous rejects objects with duplicate members, because the host might read another one than the bridge shows.
func (r *Reader) Unambiguous(path string, data []byte) bool {
	duplicate, ok := errors.AsType[*ask.InvalidError](ask.CheckMembers(data))
	if !ok {
		return true
	}
	for _, p := range duplicate.Problems {
		at := strings.ReplaceAll(path+"."+p.Path, ".[", "[")
		r.Reject(strings.TrimPrefix(at, "."), p.Kind, "%s", p.Detail)
	}
	r.Unread = true
	return false
}

// Rest records the remaining members as unknown, and suggests which of the known names was meant.
func (r *Reader) Rest(path string, f js.Fields, known ...string) {
	for _, name := range js.Keys(f) {
		p := strings.TrimPrefix(path+"."+name, ".")
		if r.Strict {
			r.Reject(p, ask.ErrSyntax, "is not a member this host knows")
			continue
		}
		r.Ignored = append(r.Ignored, p)
		if meant := spelling.Slip(name, known); meant != "" {
			r.Advise(p, "is not a member this host knows; it was ignored. Did you mean %s?", meant)
		}
	}
}

// Fields reads an object.
func (r *Reader) Fields(path string, data json.RawMessage) (js.Fields, bool) {
	data = r.Opened(path, data)
	var f js.Fields
	if err := json.Unmarshal(data, &f); err != nil || f == nil {
		r.NotA(path, "a JSON object")
		return nil, false
	}
	return f, true
}

// List reads an array. A missing value is an empty one.
func (r *Reader) List(path string, data json.RawMessage, what string) ([]json.RawMessage, bool) {
	data = r.Opened(path, data)
	if js.Missing(data) {
		return nil, true
	}
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		r.NotA(path, what)
		return nil, false
	}
	return items, true
}

// Opened returns the array or object within a JSON string, which some models send. Any other value is returned as it is.
func (r *Reader) Opened(path string, data json.RawMessage) json.RawMessage {
	inner, opened := ask.Unquote(data)
	if opened && r.Unambiguous(path, inner) {
		r.Tolerate(path, ask.ErrSyntax, "was JSON inside a string; it was read as what it holds")
	}
	return inner
}

// Token reads a text and keeps its bytes. Numbers and booleans are read as texts.
func (r *Reader) Token(path string, data json.RawMessage) js.Token {
	data = bytes.TrimSpace(data)
	if js.Missing(data) {
		return js.Token{}
	}
	switch data[0] {
	case '"':
		t := js.Token{JSON: js.Text(data)}
		if json.Unmarshal(data, &t.Text) != nil {
			r.NotA(path, "a string")
		}
		return t
	case '{', '[':
		r.NotA(path, "a string")
		return js.Token{}
	}
	r.Tolerate(path, ask.ErrSyntax, "was %s instead of a string; it was read as the text %q", data, data)
	return js.Quote(string(data))
}

// Text reads a text.
func (r *Reader) Text(path string, data json.RawMessage) string {
	return r.Token(path, data).Text
}

// Flag reads a boolean. A missing one is false.
func (r *Reader) Flag(path string, data json.RawMessage) bool {
	data = bytes.TrimSpace(data)
	switch string(data) {
	case "", "null", "false":
		return false
	case "true":
		return true
	}
	switch strings.ToLower(strings.Trim(string(data), `"`)) {
	case "true", "1", "yes":
		r.Tolerate(path, ask.ErrSyntax, "was %s; it was read as true", data)
		return true
	case "false", "0", "no", "":
		r.Tolerate(path, ask.ErrSyntax, "was %s; it was read as false", data)
		return false
	}
	r.NotA(path, "true or false")
	return false
}
