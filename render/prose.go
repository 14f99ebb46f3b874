package render

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose parses an agent's cleaned text, which may be Markdown: addresses, code and simple lists.
// Everything else stays as written. With the marks put back, the text is the same byte for byte. A text
// without any of these is one plain span. See [markdown] for the context.
//
//   - Code is text between single backticks on one line, or between fences of three on their own
//     lines, see [Mono] and [Code].
//   - Two or more lines that begin with the same "- " or "* " are a list, see [Bullet], unless a
//     neighboring line could be part of a diff.
//   - An address begins with http:// or https:// and is always shown whole. Other schemes, and
//     host names that are not plain ASCII, stay text; so does anything truncated.
func prose(text string) []Span {
	var p parsed
	return p.parse(text, false)
}

// behind is [prose] for a text that continues a line, so that no list can begin there.
func behind(text string) []Span {
	var p parsed
	return p.parse(text, true)
}

// Written restores the marks of agents' texts: code, lists, quotes and addresses become plain text.
func Written(spans []Span) []Span {
	var p parsed
	for _, s := range spans {
		switch s.Style {
		case Mono:
			s = Span{Text: "`" + s.Text + "`"}
		case Code:
			s = Span{Text: fenceMark + s.Language + "\n" + s.Text + "\n" + fenceMark}
		case Bullet, Quote, Link:
			s = Span{Text: s.Text}
		}
		p.add(s)
	}
	return p.all()
}

func (p *parsed) parse(text string, behind bool) []Span {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		before := ""
		if i > 0 {
			before = lines[i-1]
			p.add(Span{Text: "\n"})
		}
		n, simple := fence(lines[i:])
		switch {
		case simple:
			language := strings.TrimPrefix(lines[i], fenceMark)
			p.put(Span{Style: Code, Text: strings.Join(lines[i+1:i+n-1], "\n"), Language: language})
		case n > 0:
			p.add(Span{Text: strings.Join(lines[i:i+n], "\n")})
		case i > 0 || !behind:
			n = p.list(lines[i:], before)
		}
		if n == 0 && p.rich {
			n = p.block(lines[i:], before)
		}
		if n == 0 {
			p.line(lines[i])
			n = 1
		}
		i += n
	}
	if spans := p.all(); len(spans) > 0 {
		return spans
	}
	return []Span{{}}
}

// oneLine is [prose] for one line, which has no lists.
func oneLine(text string) []Span {
	var p parsed
	p.line(text)
	return p.all()
}

// parsed collects spans and merges adjacent ones of the same text style.
type parsed struct {
	spans []Span
	// rich adds what only [markdown] parses.
	rich bool
	// grown is the text of the last span if it was added in pieces, of which there may be thousands;
	// otherwise it is empty.
	grown strings.Builder
}

// add appends a span, or its text to the last one if both have the same text style. It omits an empty one.
func (p *parsed) add(s Span) {
	last := len(p.spans) - 1
	switch {
	case s.Text == "":
	case last >= 0 && s.Style == p.spans[last].Style && (s.Style == Plain || s.Style == Bold || s.Style == Italic):
		if p.grown.Len() == 0 {
			p.grown.WriteString(p.spans[last].Text)
		}
		p.grown.WriteString(s.Text)
	default:
		p.put(s)
	}
}

// put appends a span without merging it.
func (p *parsed) put(s Span) { p.spans = append(p.all(), s) }

// all returns the spans.
func (p *parsed) all() []Span {
	if p.grown.Len() > 0 {
		p.spans[len(p.spans)-1].Text = p.grown.String()
		p.grown.Reset()
	}
	return p.spans
}

// line adds one line of text.
func (p *parsed) line(text string) { p.styled(text, Plain, true) }

// styled adds one line of text, with everything that has no style of its own in the given one. live allows
// addresses and links.
func (p *parsed) styled(text string, style Style, live bool) {
	begin, links := 0, addresses{text: text}
	for at := 0; at < len(text); {
		n := 0
		ends := func(size int) {
			p.add(Span{Style: style, Text: text[begin:at]})
			n, begin = size, at+size
		}
		switch text[at] {
		case '`':
			if size := mono(text[at:]); size > 0 {
				ends(size)
				p.add(Span{Style: Mono, Text: text[at+1 : at+size-1]})
			} else {
				n = len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
			}
		case 'h', 'H':
			if !live {
				break
			}
			if size := links.at(at); size > 0 {
				ends(size)
				p.add(Span{Style: Link, Text: text[at : at+size]})
			}
		case '*', '_':
			if !p.rich {
				break
			}
			size, mark, inside := emphasis(text, at)
			if n = mark; size > 0 {
				ends(size)
				if style != Plain {
					inside = style
				}
				p.styled(text[at+mark:at+size-mark], inside, live)
			}
		case '[':
			if !p.rich || !live || strings.HasSuffix(text[:at], "!") {
				break
			}
			if size, name, address := named(text[at:]); size > 0 {
				ends(size)
				p.named(name, address, style)
			}
		}
		at += max(1, n)
	}
	p.add(Span{Style: style, Text: text[begin:]})
}

// named adds a link with a name.
func (p *parsed) named(name, address string, style Style) {
	if name == "" || name == address {
		p.add(Span{Style: Link, Text: address})
		return
	}
	p.styled(name, style, false)
	p.add(Span{Style: style, Text: " ("})
	p.add(Span{Style: Link, Text: address})
	p.add(Span{Style: style, Text: ")"})
}

// mono returns the number of bytes of code in single backticks that a text begins with; zero for none. Code
// cannot begin or end with a space, which platforms would remove.
func mono(text string) int {
	inside, after, ends := strings.Cut(text[1:], "`")
	if !ends || inside == "" || strings.HasPrefix(after, "`") || strings.TrimSpace(inside) != inside {
		return 0
	}
	return len(inside) + 2
}

const fenceMark = "```"

var fenceForm = regexp.MustCompile("^(`{3,})[A-Za-z0-9_+-]{0,20}$")

// fence returns the number of lines of a block of code that begins with the first one; zero for none. It is
// simple if platforms show it unchanged.
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
	// itemForm matches entries of a list, and entryForm those of a list in [markdown].
	itemForm  = regexp.MustCompile(`^( {0})([-*]) (\S.*)$`)
	entryForm = regexp.MustCompile(`^( *)([-*]|[0-9]{1,2}\.) (\S.*)$`)
	// diffForm matches lines of a diff, of a list that is not simple, and of quotes.
	diffForm = regexp.MustCompile(`^[-+@>|\s]|^\* `)
)

// maxLevel is the deepest level of a nested list.
const maxLevel = 4

// list adds the list that begins with the first of some lines, and returns its number of lines; zero for none.
// before is the line before it.
func (p *parsed) list(lines []string, before string) int {
	form := itemForm
	if p.rich {
		form = entryForm
	}
	if form.MatchString(before) || diffForm.MatchString(before) {
		return 0
	}
	var (
		// entries have the mark of a [Bullet] and a text.
		entries [][2]string
		// around has the indent and the last mark of each level around the current entry.
		around []level
	)
	for _, line := range lines {
		m := form.FindStringSubmatch(line)
		if m == nil {
			break
		}
		indent, mark := len(m[1]), m[2]
		for len(around) > 1 && indent < around[len(around)-1].indent {
			around = around[:len(around)-1]
		}
		last := len(around) - 1
		switch {
		case last < 0 && indent == 0, last >= 0 && last < maxLevel && indent > around[last].indent+1:
			around = append(around, level{indent, mark})
		case last >= 0 && indent == around[last].indent && follows(around[last].mark, mark):
			around[last].mark = mark
		default:
			m = nil
		}
		if m == nil {
			break
		}
		entries = append(entries, [2]string{strings.Repeat("  ", len(around)-1) + mark + " ", m[3]})
	}
	n := len(entries)
	if n < 2 || n < len(lines) && diffForm.MatchString(lines[n]) {
		return 0
	}
	for k, entry := range entries {
		if k > 0 {
			p.add(Span{Text: "\n"})
		}
		p.add(Span{Style: Bullet, Text: entry[0]})
		p.line(entry[1])
	}
	return n
}

// level is a level of a list.
type level struct {
	indent int
	mark   string
}

// follows reports whether an entry with the second mark can follow one with the first.
func follows(before, mark string) bool {
	if before == "-" || before == "*" {
		return mark == before
	}
	n, _ := strconv.Atoi(strings.TrimSuffix(before, "."))
	return mark == strconv.Itoa(n+1)+"."
}

// maxAddress is the length of the longest live address; browsers differ on longer ones.
const maxAddress = 2000

var (
	schemeForm = regexp.MustCompile(`^(?i:https?)://`)
	// hostForm matches a host name or number with an optional port and without a user.
	hostForm = regexp.MustCompile(`^(?i:https?)://(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:[/?#]|$)`)
)

// addresses finds the addresses of a line, from left to right.
type addresses struct {
	text string
	// end is the end of the last run of characters that an address can have. Each run is scanned once,
	// however many addresses seem to begin in it.
	end int
}

// at returns the number of bytes of the address that begins there; zero for none. Punctuation at the end of a
// sentence is not part of it. An address that continues with characters that addresses cannot have is no
// address, rather than a shorter one.
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
	found, _, _ = strings.Cut(found, "](") // Between the name of a link and its address.
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

// inAddress returns the characters at the beginning of a text that an address can have.
func inAddress(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~:/?#[]@!$&'()*+,;=%", r)
	})
	if end < 0 {
		return text
	}
	return text[:end]
}

// endsAddress reports whether an address can end before rest.
func endsAddress(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "", unicode.IsSpace(r), strings.ContainsRune("<>\"`|}", r):
		return true
	}
	return r > unicode.MaxASCII && unicode.IsPunct(r) && !strings.HasPrefix(rest, Ellipsis)
}
