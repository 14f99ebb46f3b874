package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Layout lays a request out within a platform's limits. See the package
// comment for what is cut and in which order.
func Layout(s Subject, l Limits) Card {
	s = s.clean()
	s.Notify, s.room = here(s.Notify, l), rooms[0]
	if s.Vote != nil {
		l.SharedDraft = false // Each person has a vote of their own.
	}
	switch {
	case s.Held != nil:
		return held(s, l)
	case s.Outcome.State.Ended():
		return ended(s, l)
	}
	c := Card{Request: s.ID, State: ask.Open, Language: s.Language, Summary: s.call(), Tells: rings(s, l)}
	for _, s.room = range rooms {
		fits := false
		if c.Sections, fits = openCard(s, c, l); fits {
			break
		}
	}
	if how := s.how(c.Sections); how != "" {
		c.Summary = append(c.Summary, Span{Text: " " + how})
	}
	return c
}

// openCard lays an open card out in the available room, and reports whether one message holds it.
func openCard(s Subject, c Card, l Limits) (sections []Section, fits bool) {
	switch {
	case s.Filing != FilesStand:
		c.Sections = unfiledCard(s, c, l)
		return c.Sections, l.fits(c)
	case s.Plain && l.Pages && len(s.Questions) > 0:
		c.Sections = plainPage(s, l)
		return c.Sections, l.fits(c)
	case s.Plain:
		c.Sections = plainCard(s, l)
		return c.Sections, l.fits(c)
	}
	oneMessage := !cutsAddress(s, l) && (!inForms(s, l) || fitsOneForm(s, 0, len(s.Questions)-1, l))
	if oneMessage && (l.Questions == 0 || len(s.Questions) <= l.Questions) {
		c.Sections = fullCard(s, l)
		if l.fits(c) {
			return c.Sections, true
		}
	}
	if l.Pages && len(s.Questions) > 0 {
		c.Sections = pagedCard(s, l)
	} else {
		c.Sections = shortCard(s, l)
	}
	return c.Sections, l.fits(c)
}

// fullCard shows everything in the message.
func fullCard(s Subject, l Limits) []Section {
	context, _ := contextSection(s, 0, l)
	sections := slices.Concat(s.opening(l), context, linksAndFiles(s, l))
	for i := range s.Questions {
		sections = append(sections, question(s, i, l)...)
	}
	return slices.Concat(withControls(s, sections, closing(s, l)), voteSections(s, l), talkSections(s, l), stepSections(s, l), s.notice(), []Section{terms(s, l)})
}

// shortCard shows an outline and leaves the rest to the form that [AnswerForm] makes.
func shortCard(s Subject, l Limits) []Section {
	context, _ := contextSection(s, contextShown, l)
	sections := slices.Concat(s.opening(l), context, linksAndFiles(s, l))
	sections = withControls(s, append(sections, Section{Kind: Body, ID: "outline", Text: outline(s, loneShown, l)}), answering(s))
	return slices.Concat(sections, voteSections(s, l), talkSections(s, l), stepSections(s, l), s.notice(), []Section{terms(s, l)})
}

// plainCard is the form with nothing that a platform could reject: one text and a button that opens
// the form.
func plainCard(s Subject, l Limits) []Section {
	lines := []string{s.voice.Card.Asks(s.asker(), 1) + ":"}
	if s.Context != "" {
		lines = append(lines, s.Context)
	}
	if text := strings.TrimSuffix(linkLines(s, l), "\n"); text != "" {
		lines = append(lines, text)
	}
	for i, q := range s.Questions {
		text := q.Text
		if len(s.Questions) > 1 {
			text = fmt.Sprintf("%d. %s", i+1, text)
		}
		if q.Optional {
			text += " " + s.voice.Card.OptionalShort
		}
		lines = append(lines, "", text)
		for _, o := range q.Options {
			line := "- " + o.Label
			if o.Description != "" {
				line += " – " + Line(o.Description)
			}
			lines = append(lines, line)
		}
	}
	plain := []Section{{Kind: Body, ID: "plain", Text: []Span{{Text: Cut(strings.Join(lines, "\n"), plainShown, l.Width)}}}}
	return slices.Concat(withControls(s, plain, answering(s)), plainVoteSections(s, l), talkSections(s, l), stepSections(s, l), s.notice())
}

// unfiledCard is a card whose files are not posted below it yet: it shows the reason and has no
// controls. The questions are cut until one message holds them; the card that can be answered shows
// them in full.
func unfiledCard(s Subject, c Card, l Limits) []Section {
	why, until := s.voice.Files.Due, []Section{terms(s, l)}
	if s.Filing == FilesMissing { // No one can answer here.
		why, until = s.voice.Files.Missing, expiry(s)
	}
	for _, most := range []int{loneShown, loneShown / 2, loneShown / 4, loneShown / 7} {
		context, _ := contextSection(s, min(contextShown, most), l)
		c.Sections = slices.Concat(s.opening(l), context, linksAndFiles(s, l))
		c.Sections = append(c.Sections, Section{Kind: Body, ID: "outline", Text: outline(s, most, l)}, Section{Kind: Frame, ID: "files.due", Text: []Span{{Text: why}}})
		c.Sections = append(c.Sections, until...)
		if s.Plain {
			c.Sections = flat(c.Sections)
		}
		if l.fits(c) {
			break
		}
	}
	return c.Sections
}
