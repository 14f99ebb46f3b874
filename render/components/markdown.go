package components

import (
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
}

// markdown turns spans into text as sent.
func markdown(spans []render.Span) string {
	var out strings.Builder
	var sample *render.Span
	for i, line := range lines(spans) {
		var next *render.Span
		if len(line) > 0 {
			next = line[0].sample
		}
		if sample != nil && next != sample {
			out.WriteString(marks[render.Code][1])
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		if next != nil && next != sample {
			out.WriteString(opening(next))
		}
		sample = next
		writeLine(&out, line)
	}
	if sample != nil {
		out.WriteString(marks[render.Code][1])
	}
	return strings.TrimSpace(out.String())
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

// writeLine writes a line with the marks of its styles around neighbours of the
// same style.
func writeLine(out *strings.Builder, line []piece) {
	for i := 0; i < len(line); {
		style, text := line[i].style, ""
		for ; i < len(line) && line[i].style == style; i++ {
			if part := line[i].text; len(line) > 1 && !raw(style) {
				text += render.Isolate(part)
			} else {
				text += part
			}
		}
		if style == render.Code || strings.TrimSpace(text) == "" {
			out.WriteString(text)
			continue
		}
		inner := strings.TrimRight(text, " ")
		out.WriteString(marks[style][0] + inner + marks[style][1] + text[len(inner):])
	}
}

// lines breaks spans into lines of pieces, so that what stands side by side is
// known. A sample starts and ends a line.
func lines(spans []render.Span) [][]piece {
	out := [][]piece{nil}
	add := func(p piece) {
		if p.text == "" {
			return
		}
		last := len(out) - 1
		if n := len(out[last]); n > 0 && p.sample != out[last][n-1].sample {
			out = append(out, nil)
			last++
		}
		out[last] = append(out[last], p)
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
			if len(out[len(out)-1]) > 0 {
				p.style = render.Plain
			}
		}
		for i, line := range strings.Split(s.Text, "\n") {
			if i > 0 {
				out = append(out, nil)
			}
			switch {
			case s.Style == render.Code && line == "":
				line = " "
			case !raw(p.style):
				line = literal(line, p.style == render.Plain && blank(out[len(out)-1]))
			}
			p.text = line
			add(p)
		}
	}
	return out
}

// blank reports whether nothing stands in the line yet but the mark of an entry and
// what nobody sees.
func blank(line []piece) bool {
	return !slices.ContainsFunc(line, func(p piece) bool { return p.style != render.Bullet && strings.TrimSpace(p.text) != "" })
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
