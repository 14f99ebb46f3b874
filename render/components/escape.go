package components

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/render"
)

// inline formats, links or mentions wherever it stands. A backslash before a
// character that is neither letter, digit nor white space takes its meaning
// away. https://support.discord.com/hc/en-us/articles/210298617
const inline = "\\`*_~|<>@[]"

// starting formats at the start of a line: headings, small text, lists. The
// other characters that do are inline as well.
const starting = "#-+"

// width is how many characters a text may become when it is escaped.
func width(text string) int {
	n := render.Units(text)
	for _, r := range text {
		if strings.ContainsRune(inline+starting+":.)", r) {
			n++
		}
	}
	return n
}

// literal escapes the text so that Discord shows it as it is. Start tells that
// it begins a line.
func literal(text string, start bool) string {
	if !strings.ContainsAny(text, inline+starting+":.)") {
		return text
	}
	var b strings.Builder
	number := false // Behind a number at a line's start.
	for i, r := range text {
		switch {
		case strings.ContainsRune(inline, r),
			start && !number && strings.ContainsRune(starting, r),
			number && (r == '.' || r == ')'),
			r == ':' && coded(text[i+1:]):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		digit := r >= '0' && r <= '9'
		number = start && digit
		start = r == '\n' || start && (unicode.IsSpace(r) || digit)
	}
	return b.String()
}

// maxEmoji is longer than the name of any emoji.
// https://docs.discord.com/developers/resources/emoji
const maxEmoji = 64

// coded reports whether a colon followed by rest would begin the name of an
// emoji or go on an address.
func coded(rest string) bool {
	if strings.HasPrefix(rest, "//") {
		return true
	}
	for i, r := range rest {
		switch {
		case r == ':':
			return true
		case unicode.IsSpace(r), i > maxEmoji:
			return false
		}
	}
	return false
}

var fences = regexp.MustCompile("`{2,}")

// fenced returns a sample that cannot end the fence it stands in.
func fenced(text string) string {
	return fences.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("ˋ", len(s)) })
}
