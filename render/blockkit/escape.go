package blockkit

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// Slack has no escape for the characters that format mrkdwn: a backslash shows,
// zero-width characters work for some and are copied along, and plain_text
// knows no bold. So where such a character would format, a look-alike stands in
// its place; inside words, and with spaces on both sides, Slack leaves it alone
// and so do we. The choice of look-alikes, and that "&gt;" and the full-width
// forms format as well, was found out by jsx-slack.
// https://github.com/yhatt/jsx-slack/blob/main/docs/about-escape-and-exact-mode.md
var lookAlike = map[rune]rune{
	'*': '∗', '＊': '﹡',
	'_': 'ˍ', '＿': 'ˍ',
	'~': '∼', '～': '∼',
	'`': 'ˋ', '｀': 'ˋ',
}

// quote stands in for a ">" that would begin a quotation.
const quote = '›'

// entities replaces what Slack reads as the start of a mention, link or
// entity. https://docs.slack.dev/messaging/formatting-message-text#escaping
var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// fullWidth replaces the same characters at a third of the bytes, for a view
// that would be too large otherwise.
var fullWidth = strings.NewReplacer("&", "＆", "<", "＜", ">", "﹥")

// width is how many characters a text has as sent.
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
// link or mention; entities are still to be replaced. Each character becomes
// one character.
func literal(text string) string {
	if !strings.ContainsAny(text, "*＊_＿~～`｀>＞") {
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
	return string(out)
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

// sealedStart makes escaped text safe to begin a block with: where a long text
// was parted, what stood inside a word stands at its edge now.
func sealedStart(text string) string {
	if rest, ok := strings.CutPrefix(text, "&gt;"); ok {
		return string(quote) + rest
	}
	n := 0
	for i, r := range text {
		if lookAlike[r] == 0 {
			break
		}
		n = i + utf8.RuneLen(r)
	}
	return strings.Map(alike, text[:n]) + text[n:]
}

// sealedEnd does the same for the end of a block.
func sealedEnd(text string) string {
	rest := strings.TrimRightFunc(text, func(r rune) bool { return lookAlike[r] != 0 })
	return rest + strings.Map(alike, text[len(rest):])
}

func alike(r rune) rune {
	if a := lookAlike[r]; a != 0 {
		return a
	}
	return r
}

var fences = regexp.MustCompile("`{3,}")

// fenced returns a sample that cannot end the preformatted block it stands in.
func fenced(text string) string {
	return fences.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("ˋ", len(s)) })
}

// Note returns a private word to one person as Slack's mrkdwn, with nothing
// live in it but who: people and groups shown behind the text, as in
// the responders of a request.
func Note(text string, who ask.Policy) string {
	tail := ""
	if names := mrkdwn(render.Who(who, Limits()), entities); len(names) > 0 {
		tail = " " + names[0]
	}
	return entities.Replace(literal(render.Cut(render.Clean(text), MaxText-render.Units(tail), width))) + tail
}
