package render

import (
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// here are those of a list who are on the card's platform. Nil stays nil.
func here(all []ask.Person, l Limits) []ask.Person {
	return slices.DeleteFunc(slices.Clone(all), func(p ask.Person) bool {
		platform, _, _ := strings.Cut(p.Platform, "-")
		return platform != l.Platform
	})
}

// notice is the line that names whom the card tells, live: the one place on a card, but
// for the summary, where a group is. It stays as it is while the request is open, since
// an edit rings nobody.
func (s Subject) notice() []Section {
	if len(s.Notify) == 0 {
		return nil
	}
	return []Section{{Kind: Frame, ID: "notify", Text: append([]Span{{Text: s.voice.Card.Notified + " "}}, notified(s)...)}}
}

// told are those whom the card tells, in a row.
func notified(s Subject) []Span {
	var spans []Span
	for n, who := range s.Notify {
		if n > 0 {
			spans = append(spans, Span{Text: ", "})
		}
		spans = append(spans, Span{Style: Mention, Person: who})
	}
	return spans
}

// Silent returns the card as it is posted where somebody may have been told before: it
// rings nobody.
func Silent(c Card, l Limits) Card {
	c.Tells = nil
	if !l.MentionsRing {
		return c
	}
	words := func(spans []Span) []Span {
		spans = slices.Clone(spans)
		for n, s := range spans {
			if s.Style == Mention {
				spans[n] = voiceIn(c.Language).worded(s.Person, l)
			}
		}
		return spans
	}
	c.Summary, c.Sections = words(c.Summary), slices.Clone(c.Sections)
	for n := range c.Sections {
		c.Sections[n].Text = words(c.Sections[n].Text)
	}
	return c
}
