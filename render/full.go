package render

import (
	"fmt"
	"strings"
)

// FullText is question q as plain text, with nothing cut; -1 gives the whole
// request: who asks, the context, and every question with its options, their
// descriptions and samples.
func FullText(s Subject, q int) string {
	s = s.clean()
	if q >= 0 && q < len(s.Questions) {
		return spelledOut(s, q)
	}
	parts := []string{s.lead(s.asker())}
	if s.Context != "" {
		parts = append(parts, s.Context)
	}
	if !s.Source.IsZero() {
		parts = append(parts, Line(s.Source.Title)+": "+s.Source.URL)
	}
	for _, link := range s.Links {
		parts = append(parts, Line(link.Label)+": "+link.URL)
	}
	parts = append(parts, fileLines(s, func(sha256 string) string { return sha256 })...)
	for i := range s.Questions {
		parts = append(parts, spelledOut(s, i))
	}
	return strings.Join(parts, "\n\n")
}

// spelledOut is one question as plain text.
func spelledOut(s Subject, i int) string {
	q := s.Questions[i]
	var lines []string
	if q.Header != "" && q.Header != q.Text {
		lines = append(lines, q.Header)
	}
	lines = append(lines, q.Text)
	if len(s.Questions) > 1 {
		lines[0] = fmt.Sprintf("%d. %s", i+1, lines[0])
	}
	if q.Optional {
		lines[len(lines)-1] += " " + s.voice.Card.OptionalShort
	}
	if s.prompt != nil {
		lines = append(lines, s.prompt.whole())
	}
	for n, o := range q.Options {
		line := fmt.Sprintf("%d) %s", n+1, o.Label)
		if o.Description != "" {
			line += " – " + o.Description
		}
		lines = append(lines, line)
		if o.Preview != "" {
			lines = append(lines, o.Preview)
		}
	}
	return strings.Join(lines, "\n")
}
