package blockkit

import (
	"iter"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/askbridge/askbridge/render"
)

// atom is never split between two blocks: a word, a space, a line break, the mark of a list item or quote, or
// a mention or time.
type atom struct {
	style render.Style
	text  string
	live  *render.Span // a Mention or Moment, in place of a text
}

// size returns the number of characters of the atom as sent.
func (a atom) size() int {
	if a.live != nil {
		return width(token(*a.live))
	}
	return width(a.text)
}

// blank reports whether the atom can be omitted at the edge of a block. A code sample keeps its
// indentation.
func (a atom) blank() bool {
	switch {
	case a.live != nil:
		return false
	case a.style == render.Code:
		return a.text == "\n"
	}
	return strings.TrimSpace(a.text) == ""
}

// parts splits spans into texts of at most MaxText characters without surrounding white space, preferably
// at line ends.
func parts(spans []render.Span) [][]atom {
	var out [][]atom
	add := func(part []atom) {
		for len(part) > 0 && part[0].blank() {
			part = part[1:]
		}
		for len(part) > 0 && part[len(part)-1].blank() {
			part = part[:len(part)-1]
		}
		if len(part) > 0 {
			out = append(out, part)
		}
	}
	all := atoms(spans)
	begin, size, lineEnd := 0, 0, -1
	for n, a := range all {
		if size+a.size() > MaxText {
			end, next := n, n
			if lineEnd >= 0 {
				end, next = lineEnd, lineEnd+1
			}
			add(all[begin:end])
			begin, size, lineEnd = next, 0, -1
			for _, kept := range all[begin:n] {
				size += kept.size()
			}
		}
		if a.text == "\n" && size >= MaxText*3/4 {
			lineEnd = n
		}
		size += a.size()
	}
	add(all[begin:])
	return out
}

func atoms(spans []render.Span) []atom {
	var out []atom
	for i, line := range lines(spans) {
		if i > 0 {
			out = append(out, atom{text: "\n"})
		}
		for k, piece := range line {
			switch {
			case marks(piece.Style) && k > 0:
				piece.Style = render.Plain
			case piece.Style == render.Link && width(piece.Text) > MaxText:
				piece.Style = render.Plain // No block would hold it whole.
			}
			switch piece.Style {
			case render.Mention, render.Moment:
				live := piece // The variable of the loop would be a new value for every piece.
				out = append(out, atom{live: &live})
			case render.Link, render.Bullet, render.Quote:
				out = append(out, atom{style: piece.Style, text: piece.Text})
			case render.Code:
				for k, text := range strings.Split(piece.Text, "\n") {
					if k > 0 {
						out = append(out, atom{style: render.Code, text: "\n"})
					}
					for word := range words(text) {
						out = append(out, atom{style: render.Code, text: word})
					}
				}
			default:
				text := piece.Text
				if len(line) > 1 && piece.Style != render.Mono {
					text = render.Isolate(text)
				}
				for word := range words(text) {
					out = append(out, atom{style: piece.Style, text: word})
				}
			}
		}
	}
	return out
}

// lines splits spans into lines. All lines of a code sample are one entry of their own.
func lines(spans []render.Span) [][]render.Span {
	out := [][]render.Span{nil}
	for _, s := range spans {
		texts := []string{s.Text}
		if s.Style != render.Code {
			texts = strings.Split(s.Text, "\n")
		}
		for i, text := range texts {
			if i > 0 {
				out = append(out, nil)
			}
			if s.Text = text; s.Text == "" && s.Style != render.Mention && s.Style != render.Moment {
				continue
			}
			last := len(out) - 1
			if n := len(out[last]); n > 0 && (s.Style == render.Code || out[last][n-1].Style == render.Code) {
				out = append(out, nil)
				last++
			}
			out[last] = append(out[last], s)
		}
	}
	return out
}

// maxAtom is the maximum length of a word that is not split.
const maxAtom = 100

// words splits a line after each space, and very long words between grapheme clusters.
func words(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.SplitAfterSeq(line, " ") {
			for word != "" {
				part := word
				if len(word) > maxAtom {
					part = beginning(word)
				}
				if !yield(part) {
					return
				}
				word = word[len(part):]
			}
		}
	}
}

// beginning returns the first part of a very long word.
func beginning(word string) string {
	var part string
	for rest, state := near(word), -1; rest != "" && len(part) < maxAtom; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		part += cluster
	}
	return first(part, maxAtom)
}

// near returns the part of a word that can affect its first part. Otherwise a text that is one endless
// grapheme cluster would be scanned again for each part.
func near(word string) string {
	const most = 10 * maxAtom
	if len(word) <= most {
		return word
	}
	return strings.ToValidUTF8(word[:most], "")
}

// first cuts grapheme clusters of hundreds of code points, which no script has.
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
