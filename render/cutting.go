package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/askbridge/askbridge/ask"
)

// cutTo returns the subject with every text of question i cut to most characters as sent; zero leaves
// them whole. The controls of a question with a cut label have numbers.
func cutTo(s Subject, i, most int, l Limits) Subject {
	if most == 0 {
		return s
	}
	s.Questions = slices.Clone(s.Questions)
	q := &s.Questions[i]
	q.Text, q.Header = Cut(q.Text, most, l.Width), Cut(q.Header, most, l.Width)
	q.Options = slices.Clone(q.Options)
	for n := range q.Options {
		o := &q.Options[n]
		s.cutLabels = s.cutLabels || l.width(o.Label) > most
		o.Label, o.Description, o.Preview = Cut(o.Label, most, l.Width), Cut(o.Description, most, l.Width), Cut(o.Preview, most, l.Width)
	}
	if s.prompt != nil {
		s.prompt = &prompt{s.prompt.where, Cut(s.prompt.input, most, l.Width), s.prompt.words}
	}
	return s
}

// contextSection shows the context in at most that many characters as sent; zero leaves it whole. cut reports
// whether it was truncated.
func contextSection(s Subject, most int, l Limits) (sections []Section, cut bool) {
	if s.Context == "" {
		return nil, false
	}
	text := markdown(s.Context)
	if most > 0 {
		text, cut = cutSpans(text, most, l)
	}
	return []Section{{Kind: Body, ID: "context", Text: text}}, cut
}

// cutSpans truncates text without splitting code within a line, an address, a line of a sample or a row of a
// table.
func cutSpans(spans []Span, most int, l Limits) (kept []Span, cut bool) {
	const marks = 8 // More characters than any platform puts around a span.
	size := func(s Span) int {
		if s.Style == Plain {
			return l.width(s.Text)
		}
		return l.width(s.Text) + l.width(s.Language) + marks
	}
	total := 0
	for n, s := range spans {
		if total += size(s); total <= most {
			continue
		}
		for total -= size(s); n > 0 && total > most-l.width(Ellipsis); n-- {
			total -= size(spans[n-1])
		}
		kept, s = slices.Clone(spans[:n]), spans[n]
		return withEllipsis(append(kept, cutSpan(s, most-total-size(s)+l.width(s.Text), l)...)), true
	}
	return spans, false
}

// cutSpan truncates one span to a width with the ellipsis.
func cutSpan(s Span, most int, l Limits) []Span {
	switch s.Style {
	case Plain, Bold, Italic:
		s.Text = strings.TrimSuffix(Cut(s.Text, most, l.Width), Ellipsis)
	case Code:
		lines := strings.SplitAfter(s.Text, "\n")
		s.Text = ""
		for _, line := range lines {
			if l.width(s.Text+line+Ellipsis) > most {
				break
			}
			s.Text += line
		}
		s.Text = strings.TrimRight(s.Text, "\n")
	default:
		s.Text = ""
	}
	if strings.TrimSpace(s.Text) == "" {
		return nil
	}
	return []Span{s}
}

// withEllipsis appends an ellipsis to text, without marks and white space at its end.
func withEllipsis(spans []Span) []Span {
	for n := len(spans) - 1; n >= 0; n-- {
		switch s := &spans[n]; s.Style {
		case Plain:
			if s.Text = strings.TrimRightFunc(s.Text, unicode.IsSpace); s.Text != "" {
				s.Text += Ellipsis
				return spans[:n+1]
			}
		case Bullet, Quote:
		case Code:
			return append(spans[:n+1], Span{Text: "\n" + Ellipsis})
		default:
			return append(spans[:n+1], Span{Text: " " + Ellipsis})
		}
	}
	return []Span{{Text: Ellipsis}}
}

// share is how much text each of n questions may take on a closed card.
func share(n int, l Limits) int {
	if l.Text == 0 {
		return askedShown + chosenShown
	}
	return min(askedShown+chosenShown, l.Text*2/3/(n+1))
}

// shortened truncates a text that names options of question q, and puts their numbers before it: long
// labels may begin alike, and the open card has numbered them.
func shortened(s Subject, q int, selected []string, text string, most int, l Limits) string {
	if l.width(text) <= most || q >= len(s.Questions) {
		return Cut(text, most, l.Width)
	}
	var numbers []string
	for _, label := range selected {
		if n := slices.IndexFunc(s.Questions[q].Options, func(o ask.Option) bool { return o.Label == label }); n >= 0 {
			numbers = append(numbers, strconv.Itoa(n+1))
		}
	}
	if len(numbers) == 0 {
		return Cut(text, most, l.Width)
	}
	number := strings.Join(numbers, ", ") + ". "
	return number + Isolate(Cut(text, max(most-len(number), leastShown/2), l.Width))
}

// leastShown is how much room an answer needs to be known by.
const leastShown = 20

// flat is the plain form of a closed card: one text.
func flat(sections []Section) []Section {
	one := Section{Kind: Body, ID: "plain"}
	for i, sec := range sections {
		if i > 0 {
			one.Text = append(one.Text, Span{Text: "\n\n"})
		}
		one.Text = append(one.Text, sec.Text...)
	}
	for i := range one.Text {
		switch span := &one.Text[i]; span.Style {
		case Bold, Italic, Aside, Mono, Link:
			span.Style = Plain
		}
	}
	return []Section{one}
}

// outline names each question on its own line, or a lone one with as many characters as five of them
// have.
func outline(s Subject, most int, l Limits) []Span {
	if s.prompt != nil {
		var spans []Span
		for i, section := range cutTo(s, 0, most, l).promptSections() {
			if i > 0 {
				spans = append(spans, Span{Text: "\n"})
			}
			spans = append(spans, section.Text...)
		}
		return spans
	}
	if len(s.Questions) == 1 {
		return append(heading(cutTo(s, 0, most, l), 0), s.optional(s.Questions[0])...)
	}
	var spans []Span
	each := most / 5
	for i, q := range s.Questions {
		if i > 0 {
			spans = append(spans, Span{Text: "\n"})
		}
		number, text := fmt.Sprintf("%d.", i+1), oneLine(Cut(Line(q.Text), each, l.Width))
		if q.Header == "" || q.Header == q.Text {
			spans = append(append(spans, Span{Style: Bold, Text: number}, Span{Text: " "}), text...)
		} else {
			head := Cut(q.Header, each/2, l.Width)
			spans = append(append(spans, Span{Style: Bold, Text: number + " "}, Span{Style: Bold, Text: head}, Span{Text: " – "}), text...)
		}
		if q.Optional {
			spans = append(spans, Span{Style: Aside, Text: " " + s.voice.Card.OptionalShort})
		}
	}
	return spans
}
