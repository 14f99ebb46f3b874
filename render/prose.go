package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose splits an agent's text, which may be cleaned Markdown, into what platforms show in their own
// way: addresses, code and simple lists. Everything else stays as written, and so does anything that
// is not simple: with the marks put back, the text is the same byte for byte. A text without any of
// these is one plain span.
//
//   - Code is text between single backticks on one line, or between fences of three on lines of
//     their own, see [Mono] and [Code].
//   - Two or more lines that begin with the same "- " or "* " are a list, see [Bullet], unless a
//     neighboring line could be part of a diff. Numbers stay, because people refer to them.
//   - An address begins with http:// or https:// and is always shown whole. Other schemes, and
//     host names that are not plain ASCII, stay text; so does anything truncated.
func prose(text string) []Span { return parse(text, false) }

// behind is [prose] for a text that continues a line, where no list can begin.
func behind(text string) []Span { return parse(text, true) }

// Written puts the marks of agents' texts back: code, lists and addresses become plain text again.
func Written(spans []Span) []Span {
	var p parsed
	for _, s := range spans {
		switch s.Style {
		case Mono:
			s = Span{Text: "`" + s.Text + "`"}
		case Code:
			s = Span{Text: fenceMark + s.Language + "\n" + s.Text + "\n" + fenceMark}
		case Bullet, Link:
			s = Span{Text: s.Text}
		}
		p.add(s)
	}
	return p.all()
}

func parse(text string, behind bool) []Span {
	var p parsed
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		if i > 0 {
			p.add(Span{Text: "\n"})
		}
		switch n, simple := fence(lines[i:]); {
		case simple:
			language := strings.TrimPrefix(lines[i], fenceMark)
			p.put(Span{Style: Code, Text: strings.Join(lines[i+1:i+n-1], "\n"), Language: language})
			i += n
		case n > 0:
			p.add(Span{Text: strings.Join(lines[i:i+n], "\n")})
			i += n
		default:
			if i > 0 || !behind {
				n = bullets(lines, i)
			}
			for k, line := range lines[i : i+n] {
				if k > 0 {
					p.add(Span{Text: "\n"})
				}
				p.add(Span{Style: Bullet, Text: line[:len(bulletMark)]})
				p.line(line[len(bulletMark):])
			}
			if i += n; n == 0 {
				p.line(lines[i])
				i++
			}
		}
	}
	if spans := p.all(); len(spans) > 0 {
		return spans
	}
	return []Span{{}}
}

// oneLine is [prose] for a text of one line, in which there are no lists.
func oneLine(text string) []Span {
	var p parsed
	p.line(text)
	return p.all()
}

// parsed are spans without two adjacent plain ones.
type parsed struct {
	spans []Span
	// grown is the text of the last span as soon as it comes in pieces, of which there may be
	// thousands; else it is empty.
	grown strings.Builder
}

// add puts a span behind the others, which ends a plain one before it; an empty one is left out.
func (p *parsed) add(s Span) {
	last := len(p.spans) - 1
	switch {
	case s.Text == "":
	case last >= 0 && s.Style == Plain && p.spans[last].Style == Plain:
		if p.grown.Len() == 0 {
			p.grown.WriteString(p.spans[last].Text)
		}
		p.grown.WriteString(s.Text)
	default:
		p.put(s)
	}
}

// put is add for a span that stays by itself.
func (p *parsed) put(s Span) { p.spans = append(p.all(), s) }

// all are the spans so far.
func (p *parsed) all() []Span {
	if p.grown.Len() > 0 {
		p.spans[len(p.spans)-1].Text = p.grown.String()
		p.grown.Reset()
	}
	return p.spans
}

// line adds one line of text.
func (p *parsed) line(text string) {
	begin, links := 0, addresses{text: text}
	for at := 0; at < len(text); {
		var n int
		switch text[at] {
		case '`':
			if n = mono(text[at:]); n > 0 {
				p.add(Span{Text: text[begin:at]})
				p.add(Span{Style: Mono, Text: text[at+1 : at+n-1]})
				begin = at + n
			} else {
				n = len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
			}
		case 'h', 'H':
			if n = links.at(at); n > 0 {
				p.add(Span{Text: text[begin:at]})
				p.add(Span{Style: Link, Text: text[at : at+n]})
				begin = at + n
			}
		}
		at += max(1, n)
	}
	p.add(Span{Text: text[begin:]})
}

// mono is how many bytes a text has of code in single backticks at its beginning; zero for
// none. What begins or ends in a space is none: platforms would take the space away.
func mono(text string) int {
	inside, after, ends := strings.Cut(text[1:], "`")
	if !ends || inside == "" || strings.HasPrefix(after, "`") || strings.TrimSpace(inside) != inside {
		return 0
	}
	return len(inside) + 2
}

const (
	fenceMark  = "```"
	bulletMark = "- " // Or a star in place of the hyphen.
)

var fenceForm = regexp.MustCompile("^(`{3,})[A-Za-z0-9_+-]{0,20}$")

// fence is how many lines belong to a block of code that begins with the first; zero
// for none. It is simple if platforms show it as it is.
func fence(lines []string) (n int, simple bool) {
	found := fenceForm.FindStringSubmatch(lines[0])
	if found == nil {
		return 0, false
	}
	for n := 1; n < len(lines); n++ {
		if lines[n] != found[1] {
			continue
		}
		inside := lines[1:n]
		simple := found[1] == fenceMark && n > 1 && strings.TrimSpace(inside[0]) != "" && strings.TrimSpace(inside[n-2]) != "" &&
			!strings.Contains(strings.Join(inside, "\n"), "``")
		return n + 1, simple
	}
	return 0, false
}

var (
	itemForm = regexp.MustCompile(`^[-*] \S`)
	// diffForm is how lines of a diff begin, those of a list that is not simple, and quotes.
	diffForm = regexp.MustCompile(`^[-+@>|\s]|^\* `)
)

// bullets is how many lines from the one at on are the entries of a list; zero for none.
func bullets(lines []string, at int) int {
	if !itemForm.MatchString(lines[at]) || at > 0 && diffForm.MatchString(lines[at-1]) {
		return 0
	}
	end := at
	for end < len(lines) && itemForm.MatchString(lines[end]) && lines[end][0] == lines[at][0] {
		end++
	}
	if end-at < 2 || end < len(lines) && diffForm.MatchString(lines[end]) {
		return 0
	}
	return end - at
}

// maxAddress is the longest address that is live; browsers differ on longer ones.
const maxAddress = 2000

var (
	schemeForm = regexp.MustCompile(`^(?i:https?)://`)
	// hostForm is a name or number of a host with its port, and no user in front of it.
	hostForm = regexp.MustCompile(`^(?i:https?)://(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:[/?#]|$)`)
)

// addresses finds the addresses of a line, from its beginning on.
type addresses struct {
	text string
	// end is where the characters end that an address may have, of those last looked at. They are
	// looked at once, however many addresses seem to begin among them.
	end int
}

// at is how many bytes the address has that begins there in the text; zero for none.
// Punctuation at the end of a sentence is not part of it. An address that continues with characters
// that addresses cannot have is not shortened: it does not count as one.
func (a *addresses) at(begin int) int {
	if before, _ := utf8.DecodeLastRuneInString(a.text[:begin]); unicode.In(before, unicode.L, unicode.M, unicode.N) {
		return 0
	}
	scheme := len(schemeForm.FindString(a.text[begin:]))
	if scheme == 0 {
		return 0
	}
	if a.end < begin+scheme {
		a.end = begin + scheme + len(inAddress(a.text[begin+scheme:]))
	}
	found := a.text[begin:a.end]
	if len(found) == scheme || len(found) > maxAddress || !endsAddress(a.text[a.end:]) {
		return 0
	}
	found, _, _ = strings.Cut(found, "](") // Between a text and the address behind it.
	for closed := false; !closed; {
		switch last := found[len(found)-1]; {
		case strings.IndexByte(".,;:!?'*_~", last) >= 0,
			last == ')' && strings.Count(found, ")") > strings.Count(found, "("),
			last == ']' && strings.Count(found, "]") > strings.Count(found, "["):
			found = found[:len(found)-1]
		default:
			closed = true
		}
	}
	if !hostForm.MatchString(found) {
		return 0
	}
	return len(found)
}

// inAddress is what a text begins with of the characters that an address may have.
func inAddress(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~:/?#[]@!$&'()*+,;=%", r)
	})
	if end < 0 {
		return text
	}
	return text[:end]
}

// endsAddress reports whether an address may end where a text goes on with rest.
func endsAddress(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "", unicode.IsSpace(r), strings.ContainsRune("<>\"`|}", r):
		return true
	}
	return r > unicode.MaxASCII && unicode.IsPunct(r) && !strings.HasPrefix(rest, Ellipsis)
}
