package blockkit

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/render"
)

// Slack has no escape for the characters that format mrkdwn: a backslash shows,
// and zero-width characters work for some and are copied along. So where such a
// character would format, a look-alike stands in its place; inside words, and with
// spaces on both sides, Slack leaves it alone and so do we. That is for
// notifications only, which take nothing but mrkdwn: what stands on a card is no
// mrkdwn. The choice of look-alikes, and that "&gt;" and the full-width forms
// format as well, was found out by jsx-slack.
// https://github.com/yhatt/jsx-slack/blob/main/docs/about-escape-and-exact-mode.md
var lookAlike = map[rune]rune{
	'*': '∗', '＊': '﹡',
	'_': 'ˍ', '＿': 'ˍ',
	'~': '∼', '～': '∼',
	'`': 'ˋ', '｀': 'ˋ',
}

// quote stands in for a ">" that would begin a quotation, and ratio for the
// colons around what may be the name of an emoji.
const (
	quote = '›'
	ratio = "∶"
)

// entities replaces what Slack reads as the start of a mention, link or
// entity. https://docs.slack.dev/messaging/formatting-message-text#escaping
var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// fullWidth stands in for what takes six bytes in JSON, and up to five characters where Slack
// counts what it stores.
var fullWidth = strings.NewReplacer("&", "＆", "<", "＜", ">", "﹥")

// narrow returns spans with fullWidth for a view that would be too large otherwise: tens of
// thousands of these characters.
func narrow(spans []render.Span) []render.Span {
	spans = slices.Clone(spans)
	for n := range spans {
		spans[n].Text = fullWidth.Replace(spans[n].Text)
	}
	return spans
}

// emojiCode is what Slack may draw as an emoji in mrkdwn: any name may be one that
// a workspace has added.
var emojiCode = regexp.MustCompile(`:[^\s:]+:`)

// changed reports whether mrkdwn would show something else than the text.
func changed(text string) bool { return literal(text) != text }

// width is how many characters a text has as sent, in mrkdwn or where Slack may
// count what it stores: it stores "<" as "&lt;" everywhere.
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

// literal returns the text with nothing in it that Slack's mrkdwn would format,
// draw, link or mention; entities are still to be replaced. Each character becomes
// one character.
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

// formats reports whether the formatting character at i may open or close
// something. A text's ends count as the edge of a word, since our own
// formatting may follow.
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
