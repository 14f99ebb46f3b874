package components

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// marks open and close the styles of Discord's markdown.
var marks = map[render.Style][2]string{
	render.Bold:  {"**", "**"},
	render.Aside: {"*", "*"},
	render.Code:  {"```\n", "\n```"},
	render.Mono:  {"`", "`"},
	// In angle brackets an address is live, shows as it is, and ends where it ends.
	// https://docs.discord.com/developers/reference#message-formatting
	render.Link: {"<", ">"},
}

// piece is a stretch of one line in one style, as sent but for its marks.
type piece struct {
	style render.Style
	text  string
	// sample is the one that the piece belongs to; nil for none.
	sample *render.Span
	// line counts the lines from the top.
	line int
}

// markdown turns spans into text as sent.
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

// opening is the line above a sample. Discord colours what it knows the language of.
func opening(sample *render.Span) string {
	return strings.Replace(marks[render.Code][0], "\n", sample.Language+"\n", 1)
}

// raw are the styles in which nothing is escaped: what stands between their marks is
// shown as it is.
func raw(s render.Style) bool {
	return s == render.Code || s == render.Mono || s == render.Link || s == render.Bullet
}

// appendLine writes a line with the marks of its styles around neighbours of the
// same style.
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
		switch {
		case style == render.Code || len(bytes.TrimSpace(text)) == 0:
			out = append(out[:begin], text...)
		case mark[1] != "":
			out = slices.Insert(out, inner+kept, []byte(mark[1])...)
		}
	}
	return out
}

// lines breaks spans into the pieces of lines, so that what stands side by side is
// known. A sample starts and ends a line.
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
			add(piece{text: moment(s.Time)})
			continue
		case render.Code:
			s.Text, p.sample = fenced(s.Text), &spans[n]
		case render.Bullet:
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

// blank reports whether nothing stands in a line, the last that is written, but the mark of an
// entry and what nobody sees.
func blank(pieces []piece, line int) bool {
	for _, p := range slices.Backward(pieces) {
		switch {
		case p.line != line:
			return true
		case p.style != render.Bullet && strings.TrimSpace(p.text) != "":
			return false
		}
	}
	return true
}

// rolePlatform stands before the id of a role where people are named.
const rolePlatform = "discord-role"

var snowflake = regexp.MustCompile(`^[0-9]{1,20}$`)

// mention names a person or a role live. Whether it tells them is up to
// allowed_mentions. https://docs.discord.com/developers/reference#message-formatting
func mention(p ask.Person) string {
	switch {
	case !snowflake.MatchString(p.ID):
		return literal(render.Line(p.Name+" "+p.ID), true)
	case p.Platform == rolePlatform:
		return "<@&" + p.ID + ">"
	}
	return "<@" + p.ID + ">"
}

// moment shows a time in the reader's own time zone.
// https://docs.discord.com/developers/reference#message-formatting-timestamp-styles
func moment(t time.Time) string { return fmt.Sprintf("<t:%d:f>", t.Unix()) }
