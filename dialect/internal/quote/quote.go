// Package quote puts untrusted texts into the bridge's own sentences and cards, so that they cannot be mistaken for more than
// a quotation.
package quote

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/dialect/internal/js"
	"github.com/askbridge/askbridge/internal/visible"
)

// Line puts a text on one line and cuts it at a number of characters.
func Line(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// Brief shortens a text of the input for a message.
func Brief(s string) string { return Line(s, 60) }

// Text returns a text for a sentence. It is quoted if it contains hidden characters.
func Text(text string) string {
	if !visible.Plain(text) {
		return visible.Quote(text)
	}
	return text
}

// Texts returns the texts of a list for a sentence. It is not ok for an empty list or one with other values.
func Texts(data json.RawMessage) (texts []string, ok bool) {
	for _, raw := range js.Items(data) {
		text, is := js.StringOf(raw)
		if !is || text == "" {
			return nil, false
		}
		texts = append(texts, Text(text))
	}
	return texts, len(texts) > 0
}

// OnOneLine returns a text for the end of a line. It is quoted if it could be mistaken for more than that.
func OnOneLine(text string) string {
	if !visible.Plain(text) || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\t") || strings.HasPrefix(text, `"`) {
		return visible.Quote(text)
	}
	return text
}

// Name returns a name for a sentence. It is quoted if it could end the sentence's own quotation marks.
func Name(name string) string {
	if strings.ContainsAny(name, "“”") || OnOneLine(name) != name {
		return visible.Quote(name)
	}
	return name
}

// Paragraphs joins the parts that are not empty, separated by blank lines.
func Paragraphs(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}
