// Package rawjson reads and writes JSON without reflection. It takes the outermost level of a text apart and leaves the
// rest as it is written, which is what encoding/json does into a map of raw messages, and it writes objects member by
// member.
//
// It judges nothing. Every text that is read has to be well formed, see [json.Valid].
package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// Members are the members of an object in the order in which they are written, one
// that is there twice included. The names are as a decoder sees them; the values are parts of
// data, without the space around them. Anything but an object has none.
func Members(data []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		rest, is := inside(data, '{')
		for is && rest[0] != '}' {
			name := String(rest)
			rest = space(space(rest[len(name):])[len(":"):])
			value := Value(rest)
			if !yield(string(Spelled(name)), value) {
				return
			}
			rest = beyond(rest[len(value):])
		}
	}
}

// Items are the items of a list: parts of data, without the space around them. Anything
// but a list has none.
func Items(data []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		rest, is := inside(data, '[')
		for is && rest[0] != ']' {
			item := Value(rest)
			if !yield(item) {
				return
			}
			rest = beyond(rest[len(item):])
		}
	}
}

// inside returns what follows the opening of an object or a list.
func inside(data []byte, open byte) (rest []byte, is bool) {
	if data = space(data); len(data) == 0 || data[0] != open {
		return nil, false
	}
	return space(data[1:]), true
}

// beyond returns what follows a value: the next one, or the end of what holds both.
func beyond(rest []byte) []byte {
	if rest = space(rest); rest[0] == ',' {
		rest = space(rest[1:])
	}
	return rest
}

// space returns text from where the space before it ends.
func space(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// Value returns the value that text begins with.
func Value(text []byte) json.RawMessage {
	depth := 0
	for n := 0; n < len(text); n++ {
		switch text[n] {
		case '"':
			n += len(String(text[n:])) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				return text[:plain(text)]
			}
			continue
		}
		if depth == 0 {
			return text[:n+1]
		}
	}
	return text
}

// plain is how long the number or word is that text begins with.
func plain(text []byte) int {
	if n := bytes.IndexAny(text, ",]} \t\r\n"); n >= 0 {
		return n
	}
	return len(text)
}

// String returns the string that text begins with, with its quotes.
func String(text []byte) []byte {
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

// Spelled returns what a string in its quotes says to a decoder: two spellings of one
// text are one text. It may be a part of quoted.
func Spelled(quoted []byte) []byte {
	plain := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return plain
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // It is well formed.
	return []byte(text)
}
