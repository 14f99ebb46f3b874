package blockkit

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/render"
)

// lookAlike replaces characters that would format mrkdwn. Slack has no escape for them: a backslash is
// shown, and zero-width characters work only for some and are copied along. Inside words, and between
// spaces, these characters do not format and are kept. Only notifications need this, since they
// support nothing but mrkdwn. The look-alikes, and the fact that "&gt;" and full-width forms format
// too, come from jsx-slack.
// https://github.com/yhatt/jsx-slack/blob/main/docs/about-escape-and-exact-mode.md
var lookAlike = map[rune]rune{
	'*': '∗', '＊': '﹡',
	'_': 'ˍ', '＿': 'ˍ',
	'~': '∼', '～': '∼',
	'`': 'ˋ', '｀': 'ˋ',
}

// quote replaces a ">" that would begin a quotation, and ratio the colons around a possible emoji name.
const (
	quote = '›'
	ratio = "∶"
)

// entities escapes the characters that begin a mention, link or entity.
// https://docs.slack.dev/messaging/formatting-message-text#escaping
var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// fullWidth replaces characters that take six bytes in JSON, and up to five characters where Slack counts
// the stored text.
var fullWidth = strings.NewReplacer("&", "＆", "<", "＜", ">", "﹥")

// narrow applies fullWidth to a view that would be too large, with tens of thousands of these characters.
func narrow(spans []render.Span) []render.Span {
	spans = slices.Clone(spans)
	for n := range spans {
		spans[n].Text = fullWidth.Replace(spans[n].Text)
	}
	return spans
}

// emojiCode matches what mrkdwn may show as an emoji: a workspace can add any name.
var emojiCode = regexp.MustCompile(`:[^\s:]+:`)

// changed reports whether mrkdwn would change the text.
func changed(text string) bool { return literal(text) != text }

// width returns the number of characters of a text as Slack may count it: it stores "<" as "&lt;"
// everywhere.
func width(text string) int {
	n := render.Units(text)
	for i := range len(text) {
		switch text[i] {
		case '&':
			n += len("&amp;") - 1
		case '<', '>':
			n += len("&lt;") - 1
		}
	}
	return n
}

// literal returns the text without anything that mrkdwn would format, link, mention or show as an emoji.
// It does not escape entities, and keeps the number of characters.
func literal(text string) string {
	if !strings.ContainsAny(text, "*＊_＿~～`｀>＞:") {
		return text
	}
	runes := []rune(text)
	out := make([]rune, len(runes))
	start := true
	for i, r := range runes {
		out[i] = r
		switch {
		case start && (r == '>' || r == '＞'):
			out[i] = quote
		case lookAlike[r] != 0 && formats(runes, i):
			out[i] = lookAlike[r]
		}
		start = r == '\n' || start && unicode.IsSpace(r)
	}
	return emojiCode.ReplaceAllStringFunc(string(out), func(code string) string { return strings.ReplaceAll(code, ":", ratio) })
}

// formats reports whether the formatting character at i may be effective. The ends of a text count as the
// edge of a word, since formatting may follow.
func formats(runes []rune, i int) bool {
	if runes[i] == '`' || runes[i] == '｀' {
		return true
	}
	edge, space := 0, 0
	for _, at := range []int{i - 1, i + 1} {
		if at < 0 || at >= len(runes) || runes[at] == '\n' {
			edge++
			continue
		}
		if r := runes[at]; !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			edge++
			if unicode.IsSpace(r) {
				space++
			}
		}
	}
	return edge > 0 && space < 2
}
