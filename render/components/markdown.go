package components

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// marks open and close the styles of Discord's markdown.
var marks = map[render.Style][2]string{
	render.Bold:   {"**", "**"},
	render.Aside:  {"*", "*"},
	render.Italic: {"*", "*"},
	render.Code:   {"```\n", "\n```"},
	render.Mono:   {"`", "`"},
	// In angle brackets an address is a link, shown unchanged, with a defined end.
	// https://docs.discord.com/developers/reference#message-formatting
	render.Link: {"<", ">"},
}

// piece is a part of a line in one style, as sent except for its marks.
type piece struct {
	style render.Style
	text  string
	// sample is the code sample that contains the piece; nil for none.
	sample *render.Span
	// line counts the lines from the top.
	line int
}

// markdown returns spans as sent.
func markdown(spans []render.Span) string {
	size := 0
	for _, s := range spans {
		size += len(s.Text)
	}
	out := make([]byte, 0, size+size/4+32)
	var sample *render.Span
	above := 0
	for rest := lines(spans); len(rest) > 0; {
		line := rest
		for n, p := range rest {
			if p.line != rest[0].line {
				line = rest[:n]
				break
			}
		}
		rest = rest[len(line):]
		next := line[0].sample
		if sample != nil && next != sample {
			out = append(out, marks[render.Code][1]...)
		}
		for ; above < line[0].line; above++ {
			out = append(out, '\n')
		}
		if next != nil && next != sample {
			out = append(out, opening(next)...)
		}
		sample = next
		out = appendLine(out, line)
	}
	if sample != nil {
		out = append(out, marks[render.Code][1]...)
	}
	return string(bytes.TrimSpace(out))
}

// opening returns the first line of a fence. Discord highlights known languages.
func opening(sample *render.Span) string {
	return strings.Replace(marks[render.Code][0], "\n", sample.Language+"\n", 1)
}

// raw reports whether a style shows the text between its marks unchanged, so that nothing is escaped.
func raw(s render.Style) bool {
	return s == render.Code || s == render.Mono || s == render.Link || starts(s)
}

// starts reports whether a style marks the start of a line: a list item or a quote.
func starts(s render.Style) bool { return s == render.Bullet || s == render.Quote }

// appendLine appends a line, with marks around neighboring pieces of the same style.
func appendLine(out []byte, line []piece) []byte {
	for i := 0; i < len(line); {
		style, begin := line[i].style, len(out)
		mark := marks[style]
		out = append(out, mark[0]...)
		inner := len(out)
		for ; i < len(line) && line[i].style == style; i++ {
			text := line[i].text
			if len(line) > 1 && !raw(style) {
				text = render.Isolate(text)
			}
			out = append(out, text...)
		}
		text := out[inner:]
		kept := len(bytes.TrimRight(text, " "))
		lead := len(text) - len(bytes.TrimLeft(text, " "))
		switch {
		case style == render.Code || len(bytes.TrimSpace(text)) == 0:
			out = append(out[:begin], text...)
		case mark[1] != "":
			out = slices.Insert(out, inner+kept, []byte(mark[1])...)
			copy(out[begin:], text[:lead]) // Marks do not work next to spaces.
			copy(out[begin+lead:], mark[0])
		}
	}
	return out
}

// lines splits spans into pieces of lines. A code sample starts and ends a line.
func lines(spans []render.Span) []piece {
	out := make([]piece, 0, len(spans)+4)
	line := 0
	begun := func() bool { return len(out) > 0 && out[len(out)-1].line == line }
	add := func(p piece) {
		if p.text == "" {
			return
		}
		if begun() && p.sample != out[len(out)-1].sample {
			line++
		}
		p.line = line
		out = append(out, p)
	}
	for n, s := range spans {
		p := piece{style: s.Style}
		switch s.Style {
		case render.Mention:
			add(piece{text: mention(s.Person)})
			continue
		case render.Moment:
			add(piece{text: moment(s)})
			continue
		case render.Link:
			if s.URL != "" {
				add(piece{text: masked(s)})
				continue
			}
		case render.Code:
			s.Text, p.sample = fenced(s.Text), &spans[n]
		case render.Bullet, render.Quote:
			if begun() {
				p.style = render.Plain
			}
		}
		first := true
		for text := range strings.SplitSeq(s.Text, "\n") {
			if !first {
				line++
			}
			first = false
			switch {
			case s.Style == render.Code && text == "":
				text = " "
			case !raw(p.style):
				text = literal(text, p.style == render.Plain && blank(out, line))
			}
			p.text = text
			add(p)
		}
	}
	return out
}

// blank reports whether a line, the last one, contains nothing visible except the mark of a list item or quote.
func blank(pieces []piece, line int) bool {
	for _, p := range slices.Backward(pieces) {
		switch {
		case p.line != line:
			return true
		case !starts(p.style) && strings.TrimSpace(p.text) != "":
			return false
		}
	}
	return true
}

// rolePlatform is the prefix of role IDs in lists of people.
const rolePlatform = "discord-role"

var snowflake = regexp.MustCompile(`^[0-9]{1,20}$`)

// mention returns a mention of a person or a role. allowed_mentions determines whether it notifies.
// https://docs.discord.com/developers/reference#message-formatting
func mention(p ask.Person) string {
	switch {
	case !snowflake.MatchString(p.ID):
		return literal(render.Line(p.Name+" "+p.ID), true)
	case p.Platform == rolePlatform:
		return "<@&" + p.ID + ">"
	}
	return "<@" + p.ID + ">"
}

// masked returns a text that leads to an address, in which a parenthesis would end the link.
// https://docs.discord.com/developers/reference#message-formatting
func masked(s render.Span) string {
	return "[" + literal(s.Text, false) + "](<" + strings.NewReplacer("(", "%28", ")", "%29").Replace(s.URL) + ">)"
}

// moment shows a time in the reader's own time zone.
// https://docs.discord.com/developers/reference#message-formatting-timestamp-styles
func moment(s render.Span) string {
	style := "f"
	switch s.When {
	case render.Soon:
		style = "t"
	case render.Due:
		style = "R"
	}
	return fmt.Sprintf("<t:%d:%s>", s.Time.Unix(), style)
}
