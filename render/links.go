package render

import (
	"slices"
	"strings"
)

// beside is what stands below the context: links and files.
func (s Subject) beside() []Section { return slices.Concat(s.links(), s.files()) }

// links are buttons that lead elsewhere, and above them the addresses: nobody has to
// trust a label.
func (s Subject) links() []Section {
	if len(s.Links) == 0 {
		return nil
	}
	var text []Span
	var row []Button
	for n, link := range s.Links {
		if n > 0 {
			text = append(text, Span{Text: "\n"})
		}
		label := Line(link.Label)
		text = append(text, Span{Text: label + ": "}, Span{Style: Link, Text: link.URL})
		row = append(row, Button{Token: s.token(Follow, n, -1), Label: linkSign + " " + Isolate(label), URL: link.URL})
	}
	return []Section{{Kind: Body, ID: "links.text", Text: text}, {Kind: Row, ID: "links", Buttons: row}}
}

// linked are the links and files as text; empty for none.
func (s Subject) linked() string {
	var b strings.Builder
	for _, link := range s.Links {
		b.WriteString(Line(link.Label) + ": " + link.URL + "\n")
	}
	for _, line := range s.filed() {
		b.WriteString(line + "\n")
	}
	return b.String()
}
