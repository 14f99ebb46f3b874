package blockkit

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// marks open and close a style of mrkdwn.
// https://docs.slack.dev/messaging/formatting-message-text
func marks(s render.Style) (before, behind string) {
	switch s {
	case render.Bold:
		return "*", "*"
	case render.Aside:
		return "_", "_"
	case render.Code:
		return "```\n", "\n```"
	}
	return "", ""
}

// piece is a stretch of one line in one style, not yet escaped unless it is
// ready.
type piece struct {
	style render.Style
	text  string
	ready bool
}

// atom is what is never parted between two blocks: a word, a space, a line
// break or a token of Slack's own, as sent.
type atom struct {
	style render.Style
	text  string
}

// blank reports whether the atom is nothing at a block's edge. A sample keeps
// its indentation.
func (a atom) blank() bool {
	if a.style == render.Code {
		return a.text == "\n"
	}
	return strings.TrimSpace(a.text) == ""
}

// mrkdwn turns spans into texts of at most MaxText characters. What is longer
// goes on in the next text, at a line's end if there is one near, with its
// style closed and opened again.
func mrkdwn(spans []render.Span, escape *strings.Replacer) []string {
	var texts []string
	all := atoms(spans, escape)
	begin, size, lineEnd := 0, 0, -1
	for n, a := range all {
		adds := cost(all[begin:n], a)
		if _, behind := marks(a.style); size+adds+len(behind) > MaxText {
			end, next := n, n
			if lineEnd >= 0 {
				end, next = lineEnd, lineEnd+1
			}
			texts = append(texts, join(all[begin:end]))
			begin, size, lineEnd = next, 0, -1
			for k := begin; k < n; k++ {
				size += cost(all[begin:k], all[k])
			}
			adds = cost(all[begin:n], a)
		}
		if a.text == "\n" && size >= MaxText*3/4 {
			lineEnd = n
		}
		size += adds
	}
	texts = append(texts, join(all[begin:]))
	kept := texts[:0]
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return kept
}

// cost is how many characters an atom adds behind others, with the marks between
// their styles.
func cost(chunk []atom, next atom) int {
	style := render.Plain
	if len(chunk) > 0 {
		style = chunk[len(chunk)-1].style
	}
	n := render.Units(next.text)
	if next.style != style {
		_, behind := marks(style)
		before, _ := marks(next.style)
		n += len(behind) + len(before)
	}
	return n
}

// join writes atoms with the marks of their styles, without white space at
// either end.
func join(chunk []atom) string {
	for len(chunk) > 0 && chunk[0].blank() {
		chunk = chunk[1:]
	}
	for len(chunk) > 0 && chunk[len(chunk)-1].blank() {
		chunk = chunk[:len(chunk)-1]
	}
	var b strings.Builder
	style, closing := render.Plain, ""
	for i, a := range chunk {
		if i == 0 && a.style != render.Code {
			a.text = sealedStart(a.text)
		}
		if i == len(chunk)-1 && a.style != render.Code {
			a.text = sealedEnd(strings.TrimRight(a.text, " "))
		}
		if a.style != style {
			b.WriteString(closing)
			var opening string
			opening, closing = marks(a.style)
			b.WriteString(opening)
			style = a.style
		}
		b.WriteString(a.text)
	}
	b.WriteString(closing)
	return b.String()
}

func atoms(spans []render.Span, escape *strings.Replacer) []atom {
	var out []atom
	for i, line := range lines(spans) {
		if i > 0 {
			style := render.Plain
			if last := len(out) - 1; last >= 0 && out[last].style == render.Code && len(line) > 0 && line[0].style == render.Code {
				style = render.Code
			}
			out = append(out, atom{style, "\n"})
		}
		for _, p := range line {
			if p.ready {
				out = append(out, atom{p.style, p.text})
				continue
			}
			text := p.text
			if len(line) > 1 {
				text = render.Isolate(text)
			}
			for _, word := range words(text) {
				out = append(out, atom{p.style, escape.Replace(word)})
			}
		}
	}
	return out
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
		if n := len(out[last]); n > 0 && (p.style == render.Code) != (out[last][n-1].style == render.Code) {
			out = append(out, nil)
			last++
		}
		out[last] = append(out[last], p)
	}
	for _, s := range spans {
		text := s.Text
		switch s.Style {
		case render.Mention:
			add(piece{text: mention(s.Person), ready: true})
			continue
		case render.Moment:
			add(piece{text: moment(s.Time), ready: true})
			continue
		case render.Code:
			text = fenced(text)
		default:
			text = literal(text)
		}
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				out = append(out, nil)
			}
			if s.Style == render.Code && line == "" {
				line = " "
			}
			add(piece{style: s.Style, text: line})
		}
	}
	return out
}

// maxAtom is the longest word that stays whole.
const maxAtom = 100

// words parts a line after each space, and a very long word anywhere between
// two characters as readers see them.
func words(line string) []string {
	var out []string
	for word := range strings.SplitAfterSeq(line, " ") {
		for word != "" {
			part := word
			if len(word) > maxAtom {
				part = ""
				for rest, state := near(word), -1; rest != "" && len(part) < maxAtom; {
					var cluster string
					cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
					part += cluster
				}
				part = first(part, maxAtom)
			}
			out = append(out, part)
			word = word[len(part):]
		}
	}
	return out
}

// near is as much of a word as can matter for its first part. Without it a text
// that is one endless character is gone through again for each part.
func near(word string) string {
	const most = 10 * maxAtom
	if len(word) <= most {
		return word
	}
	return strings.ToValidUTF8(word[:most], "")
}

// first cuts what claims to be one character and is a text: no writing has
// characters of hundreds of code points.
func first(cluster string, limit int) string {
	if len(cluster) <= 4*limit {
		return cluster
	}
	n := 0
	for i := range cluster {
		if i > limit {
			break
		}
		n = i
	}
	return cluster[:n]
}

var userID = regexp.MustCompile(`^[UW][A-Z0-9]{1,30}$`)

// mention is the only thing we send that rings somebody: a person's id that the
// bridge itself was given. A user group is never named live: that would ring
// each of its members, and there is no other way to name one.
// https://docs.slack.dev/messaging/formatting-message-text#mentioning-groups
func mention(p ask.Person) string {
	if userID.MatchString(p.ID) {
		return "<@" + p.ID + ">"
	}
	return entities.Replace(literal(render.Line(p.Name + " " + p.ID)))
}

// moment shows a time in the reader's own time zone, and in UTC where that
// cannot be. https://docs.slack.dev/messaging/formatting-message-text#date-formatting
func moment(t time.Time) string {
	return fmt.Sprintf("<!date^%d^{date_short_pretty}, {time}|%s>", t.Unix(), t.UTC().Format("2 Jan 2006, 15:04 UTC"))
}
