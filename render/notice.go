package render

import (
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// here returns the entries on the card's platform. Nil stays nil.
func here(all []ask.Person, l Limits) []ask.Person {
	return slices.DeleteFunc(slices.Clone(all), func(p ask.Person) bool {
		platform, _, _ := strings.Cut(p.Platform, "-")
		return platform != l.Platform
	})
}

// notice is the line with the live names of the people and groups that the card notifies: except for the
// summary the only place on a card with a live group. It stays the same while the request is open,
// because an edit notifies no one.
func (s Subject) notice() []Section {
	if len(s.Notify) == 0 {
		return nil
	}
	return []Section{{Kind: Frame, ID: "notify", Text: append([]Span{{Text: s.voice.Card.Notified + " "}}, notified(s)...)}}
}

// notified lists the people and groups that the card notifies.
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

// Silent returns the card for a post that may repeat an earlier one: it notifies no one.
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
