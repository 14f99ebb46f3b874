package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Settings are edited as text, so that every other byte is preserved.

// node is a value in a JSON text, with its position.
type node struct {
	from, to int
	kind     byte // the first byte of the text
	parts    []part
}

// part is a member of an object or an item of a list.
type part struct {
	node

	name  string
	start int // where the name begins, or the item
}

// member returns the member with a name, and its index.
func (n *node) member(name string) (*node, int) {
	for i := range n.parts {
		if n.parts[i].name == name {
			return &n.parts[i].node, i
		}
	}
	return nil, -1
}

// parse parses a text that must be an object.
func parse(text []byte) (*node, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("line %d: %w", 1+bytes.Count(text[:max(0, syntax.Offset-1)], []byte("\n")), err)
		}
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if twice, ok := errors.AsType[*ask.InvalidError](ask.CheckMembers(text)); ok {
		return nil, fmt.Errorf("%s appears twice in its object", twice.Problems[0].Path)
	}
	r := reader{text: text}
	n := r.value()
	if n.kind != '{' {
		return nil, errors.New("not a JSON object")
	}
	return &n, nil
}

// reader parses a text that is known to be valid JSON.
type reader struct {
	text []byte
	at   int
}

func (r *reader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[r.at]) >= 0 {
		r.at++
	}
}

func (r *reader) value() node {
	r.space()
	n := node{from: r.at, kind: r.text[r.at]}
	switch n.kind {
	case '{', '[':
		r.at++
		for r.space(); r.text[r.at] != '}' && r.text[r.at] != ']'; r.space() {
			p := part{start: r.at}
			if n.kind == '{' {
				name := r.value()
				_ = json.Unmarshal(r.text[name.from:name.to], &p.name) // It is a string.
			}
			p.node = r.value()
			n.parts = append(n.parts, p)
		}
		r.at++
	case '"':
		for r.at++; r.text[r.at] != '"'; r.at++ {
			if r.text[r.at] == '\\' {
				r.at++
			}
		}
		r.at++
	default:
		for r.at < len(r.text) && strings.IndexByte(" \t\r\n,]}", r.text[r.at]) < 0 {
			r.at++
		}
	}
	n.to = r.at
	return n
}

// without removes a part.
func (n *node) without(text []byte, i int) []byte {
	from, to := n.from+1, n.to-1
	switch {
	case i > 0:
		from, to = n.parts[i-1].to, n.parts[i].to
	case len(n.parts) > 1:
		from, to = n.parts[0].start, n.parts[1].start
	}
	return bytes.Join([][]byte{text[:from], text[to:]}, nil)
}

// with appends a part, formatted like those before it: on
// separate lines, or all on one.
func (n *node) with(text []byte, name string, value any) ([]byte, error) {
	eol, outer := lineEnd(text), indentOf(text, n.from)
	inner, unit := outer+indentUnit(text), indentUnit(text)
	between, after := eol+inner, ""
	at := n.from + 1
	switch last := len(n.parts) - 1; {
	case last < 0:
		after = eol + outer
		text = bytes.Join([][]byte{text[:at], text[n.to-1:]}, nil)
	case bytes.ContainsRune(text[n.from:n.parts[0].start], '\n'):
		inner = indentOf(text, n.parts[0].start)
		between, at = ","+eol+inner, n.parts[last].to
	default:
		between, at, unit = ",", n.parts[last].to, ""
	}
	written, err := written(name, value, unit, inner, eol)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{text[:at], []byte(between), written, []byte(after), text[at:]}, nil), nil
}

// written formats a part; without a unit on one line.
func written(name string, value any, unit, inner, eol string) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // People read it.
	if unit != "" {
		e.SetIndent(inner, unit)
	}
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("claude: write settings: %w", err)
	}
	out := bytes.ReplaceAll(bytes.TrimSpace(text.Bytes()), []byte("\n"), []byte(eol))
	if name == "" {
		return out, nil
	}
	sep := `": `
	if unit == "" {
		sep = `":`
	}
	return append([]byte(`"`+name+sep), out...), nil
}

func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// indentOf returns the indentation of the line at a position.
func indentOf(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indentUnit returns the indentation of the first indented line, or two spaces, as the host
// writes.
func indentUnit(text []byte) string {
	for line := range bytes.Lines(text) {
		if indent := indentOf(line, 0); indent != "" && len(bytes.TrimSpace(line)) > 0 {
			return indent
		}
	}
	return "  "
}
