// Package js reads and writes JSON piece by piece, so that texts of a tool input can be echoed with the bytes they came in:
// escapes, lone surrogates and spelling of numbers survive.
package js

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Text is a piece of JSON text.
type Text string

// Null is JSON's null.
const Null Text = "null"

// Token is a text with the JSON string it was sent as.
type Token struct {
	Text string
	JSON Text
}

// Empty reports whether the input had no such text.
func (t Token) Empty() bool { return t.JSON == "" }

// At returns a member with the token as its name.
func (t Token) At(value Text) Member { return Member{t.JSON, value} }

// Quote returns the token of a text that does not come from the input.
func Quote(s string) Token { return Token{Text: s, JSON: String(s)} }

// String returns a JSON string. Characters that need escaping only within HTML are not escaped.
func String(s string) Text {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return Text(bytes.TrimRight(b.Bytes(), "\n"))
}

// Bool returns true or false.
func Bool(b bool) Text {
	if b {
		return "true"
	}
	return "false"
}

// Join joins tokens without decoding them.
func Join(tokens []Token, sep string) Token {
	texts, inner := make([]string, len(tokens)), make([]string, len(tokens))
	for i, t := range tokens {
		texts[i], inner[i] = t.Text, string(t.JSON[1:len(t.JSON)-1])
	}
	return Token{
		Text: strings.Join(texts, sep),
		JSON: Text(`"` + strings.Join(inner, sep) + `"`),
	}
}

// Member is a member of an object.
type Member struct{ Name, Value Text }

// At returns a member.
func At(name string, value Text) Member { return Member{String(name), value} }

// Object returns an object with these members, in this order.
func Object(members ...Member) Text {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = string(m.Name + ":" + m.Value)
	}
	return Text("{" + strings.Join(parts, ",") + "}")
}

// Array returns an array of JSON values.
func Array[T ~string](values []T) Text {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = string(v)
	}
	return Text("[" + strings.Join(parts, ",") + "]")
}

// List returns an array of tokens.
func List(tokens []Token) Text {
	values := make([]Text, len(tokens))
	for i, t := range tokens {
		values[i] = t.JSON
	}
	return Array(values)
}
