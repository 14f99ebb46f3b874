package components

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/render"
)

// inline are the characters that format, link or mention anywhere. A backslash escapes any character that is
// not a letter, digit or white space. https://support.discord.com/hc/en-us/articles/210298617
const inline = "\\`*_~|<>@[]"

// starting are the characters that also format at the start of a line: headings, small text, lists.
const starting = "#-+"

// width returns the maximum number of characters of a text when it is escaped.
func width(text string) int {
	n := render.Units(text)
	for _, r := range text {
		if strings.ContainsRune(inline+starting+":.)", r) {
			n++
		}
	}
	return n
}

// literal escapes the text so that Discord shows it unchanged. start means that it begins a line.
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

// maxEmoji is longer than any emoji name.
// https://docs.discord.com/developers/resources/emoji
const maxEmoji = 64

// coded reports whether a colon followed by rest would begin an emoji name or continue an address.
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

// fenced returns a code sample that cannot end its fence.
func fenced(text string) string {
	return fences.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("ˋ", len(s)) })
}
