package render

import (
	"slices"
	"strings"
)

// linksAndFiles returns the sections below the context.
func linksAndFiles(s Subject, l Limits) []Section {
	return slices.Concat(linkSections(s, l), fileSections(s))
}

// linkShown is the length of a label on a button, short enough that no platform cuts off the sign or
// the isolation marks around it.
const linkShown = 70

// linkSections returns link buttons below the addresses themselves, so that readers need not trust a
// label.
func linkSections(s Subject, l Limits) []Section {
	if len(s.Links) == 0 {
		return nil
	}
	var text []Span
	var row []Button
	for n, link := range s.Links {
		if n > 0 {
			text = append(text, Span{Text: "\n"})
		}
		label, address := Line(link.Label), Span{Style: Link, Text: link.URL}
		if short := shownAddress(s, n, l); short != link.URL {
			address = Span{Text: short} // It leads nowhere.
		}
		text = append(text, Span{Text: label + ": "}, address)
		row = append(row, Button{Token: s.token(Follow, n, -1), Label: linkSign + " " + Isolate(Cut(label, linkShown, nil)), URL: link.URL})
	}
	return []Section{{Kind: Body, ID: "links.text", Text: text}, {Kind: Row, ID: linksID, Buttons: row}}
}

// shownAddress is the address of link n, truncated to the available room but never before the end of
// its host, and only where pages offer the rest in full.
func shownAddress(s Subject, n int, l Limits) string {
	url := s.Links[n].URL
	if s.room.address == 0 || !l.Pages {
		return url
	}
	const scheme = "https://"
	host := strings.IndexAny(strings.TrimPrefix(url, scheme), "/?#")
	if host < 0 {
		return url
	}
	return Cut(url, max(s.room.address, l.width(url[:len(scheme)+host+1]+Ellipsis)), l.Width)
}

// cutsAddress reports whether the address of a link is truncated on the card.
func cutsAddress(s Subject, l Limits) bool {
	for n, link := range s.Links {
		if shownAddress(s, n, l) != link.URL {
			return true
		}
	}
	return false
}

// linkLines are the source, the links and the files as text; empty for none.
func linkLines(s Subject, l Limits) string {
	var b strings.Builder
	if !s.Source.IsZero() {
		b.WriteString(Line(s.Source.Title) + ": " + s.Source.URL + "\n")
	}
	for n, link := range s.Links {
		b.WriteString(Line(link.Label) + ": " + shownAddress(s, n, l) + "\n")
	}
	for _, line := range fileLines(s, func(sha256 string) string { return Fingerprint(sha256) + Ellipsis }) {
		b.WriteString(line + "\n")
	}
	return b.String()
}
