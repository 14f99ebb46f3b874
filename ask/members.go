package ask

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"
)

// CheckMembers returns nil, or an [*InvalidError] that names every duplicate object member in
// the JSON text. JSON parsers disagree on which duplicate counts
// (https://www.rfc-editor.org/rfc/rfc8259#section-4), so such a text could be shown as one
// thing and executed as another.
//
// It runs in linear time and checks nothing else: malformed text is left to the decoder.
func CheckMembers(data []byte) error {
	var c checker
	if json.Valid(data) {
		c.members("", data)
	}
	return c.err()
}

// members scans a text that is well-formed or empty.
func (c *checker) members(path string, data []byte) {
	scan := memberScan{rest: data, stack: make([]level, 0, usualDepth), names: make([][]byte, 0, usualNames)}
	for scan.next() {
		if scan.duplicate() {
			c.addAt(func() string { return scan.path(path) }, ErrSyntax, "appears twice in its object; send it once")
		}
	}
}

// memberScan iterates over the member names of a well-formed JSON text.
type memberScan struct {
	rest []byte
	// stack is the stack of values being read, outermost first.
	stack []level
	// names are the names seen in all objects on the stack, outermost first.
	names [][]byte
}

// level is an object or a list on the stack.
type level struct {
	object bool
	// naming means that the next string is a member name.
	naming bool
	// first is the index in names where this object's names begin. many replaces linear search
	// for objects with many names.
	first int
	many  map[string]struct{}
	// index is the position in the list being read.
	index int
}

const (
	// fewNames is the number of names up to which linear search is used.
	fewNames = 16
	// usualDepth and usualNames are the initial capacities.
	usualDepth, usualNames = 8, 32
	// maxPath is the number of levels that a path prints.
	maxPath = 12
)

// next advances to the next member name and reports whether there is one.
func (s *memberScan) next() bool {
	for len(s.rest) > 0 {
		switch ch := s.rest[0]; ch {
		case '{', '[':
			s.stack = append(s.stack, level{object: ch == '{', naming: ch == '{', first: len(s.names)})
		case '}', ']':
			s.names = s.names[:s.top().first]
			s.stack = s.stack[:len(s.stack)-1]
		case ',':
			s.top().naming = s.top().object
			s.top().index++
		case '"':
			text := quoted(s.rest)
			s.rest = s.rest[len(text):]
			if len(s.stack) == 0 || !s.top().naming {
				continue
			}
			s.top().naming = false
			s.names = append(s.names, unquoted(text))
			return true
		}
		s.rest = s.rest[1:]
	}
	return false
}

// quoted returns the JSON string at the start of text.
func quoted(text []byte) []byte {
	for n := 1; n < len(text); n++ {
		switch text[n] {
		case '\\':
			n++
		case '"':
			return text[:n+1]
		}
	}
	return text
}

// unquoted returns the value of a JSON string.
func unquoted(text []byte) []byte {
	if plain := text[1 : len(text)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return plain
	}
	var value string
	_ = json.Unmarshal(text, &value) // It is valid.
	return []byte(value)
}

func (s *memberScan) top() *level { return &s.stack[len(s.stack)-1] }

// duplicate reports whether the object already has a member of the same name.
func (s *memberScan) duplicate() bool {
	top, last := s.top(), len(s.names)-1
	name, before := s.names[last], s.names[top.first:last]
	if top.many == nil && len(before) < fewNames {
		return slices.ContainsFunc(before, func(other []byte) bool { return bytes.Equal(other, name) })
	}
	if top.many == nil {
		top.many = make(map[string]struct{}, 2*fewNames)
		for _, other := range before {
			top.many[string(other)] = struct{}{}
		}
	}
	_, had := top.many[string(name)]
	top.many[string(name)] = struct{}{}
	return had
}

// path returns the member's path below base, as in "questions[1].options".
func (s *memberScan) path(base string) string {
	path := []byte(base)
	for n, l := range s.stack {
		last := len(s.names) - 1
		if n+1 < len(s.stack) {
			last = s.stack[n+1].first - 1
		}
		if n == maxPath {
			return string(path) + "…"
		}
		if !l.object {
			path = append(strconv.AppendInt(append(path, '['), int64(l.index), 10), ']')
			continue
		}
		if len(path) > 0 {
			path = append(path, '.')
		}
		name := shorten(string(s.names[last]))
		if name == "" {
			name = `""`
		}
		path = append(path, name...)
	}
	return string(path)
}
