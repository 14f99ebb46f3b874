package blockkit

import (
	"fmt"
	"strings"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/render"
)

// mrkdwn formats text and shows :codes: as emoji, without an escape for either. A text element of rich text is
// shown unchanged, as is plain_text with emoji false, so texts of agents go there and can be copied byte
// for byte. Addresses, code and lists are separate elements.
// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
// https://docs.slack.dev/reference/block-kit/composition-objects/text-object
// https://github.com/stablyai/agent-slack/issues/90

// body returns the blocks of a text of any length. Text in one style becomes a section of plain text, the
// simplest block.
func body(s render.Section) []slackapi.Block {
	var blocks []slackapi.Block
	for i, part := range parts(s.Text) {
		id := s.ID
		if i > 0 {
			id = fmt.Sprintf("%s.%d", s.ID, i)
		}
		if text, same := unstyled(part); same {
			blocks = append(blocks, slackapi.NewSectionBlock(plain(text, MaxText), nil, nil, slackapi.SectionBlockOptionBlockID(id)))
			continue
		}
		blocks = append(blocks, slackapi.NewRichTextBlock(id, rich(part)...))
	}
	return blocks
}

// unstyled returns a part's text if it has no styles.
func unstyled(part []atom) (text string, same bool) {
	var b strings.Builder
	for _, a := range part {
		if a.live != nil || a.style != render.Plain {
			return "", false
		}
		b.WriteString(a.text)
	}
	return b.String(), true
}

// rich returns a part as rich text: code samples as preformatted text, list items as lists, quotes as quotes,
// and everything else as sections.
func rich(part []atom) []slackapi.RichTextElement {
	var out []slackapi.RichTextElement
	for len(part) > 0 {
		kind, n := stretchOf(part)
		stretch, more := part[:n], part[n:]
		part = more
		// A sample, list or quote starts and ends a line by itself.
		if kind == render.Plain && len(out) > 0 && stretch[0].text == "\n" {
			stretch = stretch[1:]
		}
		if kind == render.Plain && len(more) > 0 && len(stretch) > 0 && stretch[len(stretch)-1].text == "\n" {
			stretch = stretch[:len(stretch)-1]
		}
		elements := runs(stretch)
		switch {
		case len(elements) == 0:
		case kind == render.Code:
			out = append(out, &slackapi.RichTextPreformatted{Type: slackapi.RTEPreformatted, Elements: elements})
		case kind == render.Bullet:
			out = append(out, entries(stretch)...)
		case kind == render.Quote:
			out = append(out, &slackapi.RichTextQuote{Type: slackapi.RTEQuote, Elements: elements})
		default:
			out = append(out, slackapi.NewRichTextSection(elements...))
		}
	}
	return out
}

// stretchOf returns the first element of a part (a code sample, a list, a quote or text) and its number of
// atoms.
func stretchOf(part []atom) (kind render.Style, n int) {
	if kind = part[0].style; kind != render.Code && !marks(kind) {
		kind = render.Plain
	}
	for n = range part {
		a := part[n]
		switch kind {
		case render.Code:
			if a.style != render.Code {
				return kind, n
			}
		case render.Bullet, render.Quote:
			if a.style == render.Plain && a.text == "\n" && (n+1 == len(part) || part[n+1].style != kind) {
				return kind, n
			}
		default:
			if a.style == render.Code || marks(a.style) {
				return kind, n
			}
		}
	}
	return kind, len(part)
}

// marks reports whether a style marks a line: as an entry of a list or as part of a quote.
func marks(s render.Style) bool { return s == render.Bullet || s == render.Quote }

// entries returns lists with one item per line. Slack nests lists by their indent, and each list has one kind
// of marks.
// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#rich_text_list
func entries(stretch []atom) []slackapi.RichTextElement {
	var (
		out  []slackapi.RichTextElement
		list *slackapi.RichTextList
	)
	for begin, n := 0, 0; n <= len(stretch); n++ {
		if n < len(stretch) && (stretch[n].live != nil || stretch[n].text != "\n") {
			continue
		}
		style, number, indent := slackapi.RTEListBullet, 1, 0
		mark := stretch[begin].text
		indent = (len(mark) - len(strings.TrimLeft(mark, " "))) / 2
		if _, err := fmt.Sscanf(mark, "%d.", &number); err == nil {
			style = slackapi.RTEListOrdered
		}
		if list == nil || list.Style != style || list.Indent != indent {
			list = slackapi.NewRichTextList(style, indent)
			list.Offset = number - 1
			out = append(out, list)
		}
		list.Elements = append(list.Elements, slackapi.NewRichTextSection(runs(stretch[begin+1:n])...))
		begin = n + 1
	}
	return out
}

// runs returns atoms as the elements of a section or code sample, one for each run in one style.
func runs(stretch []atom) []slackapi.RichTextSectionElement {
	var (
		out  []slackapi.RichTextSectionElement
		text strings.Builder
	)
	for i, a := range stretch {
		switch {
		case a.live != nil:
			out = append(out, element(*a.live))
			continue
		case a.style == render.Quote:
			continue
		case a.style == render.Link:
			// A link without text shows its address.
			out = append(out, slackapi.NewRichTextSectionLinkElement(a.text, "", nil))
			continue
		}
		text.WriteString(a.text)
		if i+1 == len(stretch) || stretch[i+1].live != nil || stretch[i+1].style != a.style {
			out = append(out, slackapi.NewRichTextSectionTextElement(text.String(), looks(a.style)))
			text.Reset()
		}
	}
	return out
}

func looks(s render.Style) *slackapi.RichTextSectionTextStyle {
	switch s {
	case render.Bold:
		return &slackapi.RichTextSectionTextStyle{Bold: true}
	case render.Aside, render.Italic:
		return &slackapi.RichTextSectionTextStyle{Italic: true}
	case render.Mono:
		return &slackapi.RichTextSectionTextStyle{Code: true}
	}
	return nil
}

// element returns a person or a time as an element of rich text.
// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#element-types
func element(s render.Span) slackapi.RichTextSectionElement {
	if s.Style == render.Moment {
		fallback := moments(s)
		return slackapi.NewRichTextSectionDateElement(s.Time.Unix(), momentFormat, nil, &fallback)
	}
	if rings(s.Person) {
		return slackapi.NewRichTextSectionUserElement(s.Person.ID, nil)
	}
	return slackapi.NewRichTextSectionTextElement(inWords(s.Person), nil)
}
