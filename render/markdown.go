package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown parses the context of a request, as [prose] does, and in addition bold and italic text, headings,
// links, quotes, numbered and nested lists, and tables. Only marks are removed: all other characters stay in
// their order, and everything that is not clearly one of these stays as written.
//
//   - "**bold**" and "*italic*" or "_italic_" begin and end at the edges of words, on one line. Marks inside
//     are dropped. Names and patterns of files stay, such as "__init__" and "**/bin/**".
//   - A line that begins with "# " to "###### " is bold.
//   - "[text](address)" becomes "text (address)" if the address is one that [prose] would find. Nothing in
//     the text is live, so a link never leads anywhere but to the address next to it.
//   - Lines that begin with "> " are a quote, see [Quote], unless a neighboring line could be part of a diff.
//   - Lists may have numbers, which must be consecutive since people refer to them, and may be nested.
//   - A pipe table is aligned, see [table].
func markdown(text string) []Span {
	p := parsed{rich: true}
	return p.parse(text, false)
}

// block adds the heading, table or quote that begins with the first of some lines, and returns its number of
// lines; zero for none. before is the line before it.
func (p *parsed) block(lines []string, before string) int {
	if m := headingForm.FindStringSubmatch(lines[0]); m != nil {
		p.styled(m[1], Bold, true)
		return 1
	}
	n, text := table(lines)
	if n > 0 && text != "" {
		p.put(Span{Style: Code, Text: text})
		return n
	}
	quote := false
	if n == 0 {
		for n < len(lines) && quoteForm.MatchString(lines[n]) {
			n++
		}
		quote = n > 0 && len(lines[0]) > 1 && len(lines[n-1]) > 1 &&
			!changeForm.MatchString(before) && (n == len(lines) || !changeForm.MatchString(lines[n]))
	}
	for k, line := range lines[:n] {
		if k > 0 {
			p.add(Span{Text: "\n"})
		}
		if quote {
			p.add(Span{Style: Quote, Text: quoteMark})
			line = strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
		}
		p.line(line)
	}
	return n
}

const quoteMark = "> "

var (
	headingForm = regexp.MustCompile(`^#{1,6} +(\S.*)$`)
	quoteForm   = regexp.MustCompile(`^>(?: |$)`)
	// changeForm matches lines next to added lines in a diff without context.
	changeForm = regexp.MustCompile(`^<|^---$|^[0-9,]+[acd][0-9,]+$`)
)

// emphasis returns the number of bytes of bold or italic text at a place in a line, and of its marks on each
// side; zero for none.
func emphasis(text string, at int) (n, mark int, style Style) {
	star := text[at]
	mark = len(text[at:]) - len(strings.TrimLeft(text[at:], text[at:at+1]))
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	if mark > 3 || star == '_' && mark > 1 || isWord(before) || before == '\\' || before == '*' || before == '_' {
		return 0, mark, Plain
	}
	inside := text[at+mark:]
	end := markEnd(inside, star, mark)
	if end < 0 {
		return 0, mark, Plain
	}
	inside = inside[:end]
	after, _ := utf8.DecodeRuneInString(text[at+mark+end+mark:])
	switch {
	case strings.TrimSpace(inside) != inside, strings.ContainsAny(inside[:1], `./\-:;,=?!&|`), strings.HasSuffix(inside, "/"), strings.HasSuffix(inside, `\`), isWord(after), after == '*', after == '_',
		strings.Count(inside, "`")%2 == 1:
		return 0, mark, Plain
	case mark > 1:
		return mark + end + mark, mark, Bold
	case strings.ContainsAny(inside, `*_\`): // Discord would end it there.
		return 0, mark, Plain
	}
	return mark + end + mark, mark, Italic
}

// markEnd returns where marks of the same number end a text; -1 if they do not.
func markEnd(text string, star byte, mark int) int {
	for at := 0; ; {
		n := strings.IndexByte(text[at:], star)
		if n < 0 {
			return -1
		}
		at += n
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], string(rune(star))))
		switch {
		case run == mark && at > 0:
			return at
		case run >= mark:
			return -1
		}
		at += run
	}
}

func isWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// named parses the link that begins a text, "[name](address)", and returns its number of bytes; zero for none.
func named(text string) (n int, name, address string) {
	end := strings.IndexAny(text[1:], "[]") + 1
	if end == 0 || !strings.HasPrefix(text[end:], "](") {
		return 0, "", ""
	}
	begin := end + len("](")
	links := addresses{text: text[begin:min(len(text), begin+maxAddress+2)]}
	size := links.at(0)
	if size == 0 || !strings.HasPrefix(text[begin+size:], ")") {
		return 0, "", ""
	}
	return begin + size + 1, strings.TrimSpace(text[1:end]), text[begin : begin+size]
}
