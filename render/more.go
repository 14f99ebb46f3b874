package render

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// Offer is what one person can do now besides answering.
type Offer struct {
	Reply, Ask, Pass, TakeBack, Undo, Dismiss bool
	// Notes are the questions that take a note.
	Notes []int
}

// More lays out the private message behind [OpenMore]: the question it is about, and a button for each
// thing that the person can do. Its buttons carry the same tokens as they would on the card.
func More(s Subject, o Offer) Card {
	s = s.clean()
	c := Card{Request: s.ID, State: ask.Open, Language: s.Language, Summary: []Span{{Text: s.voice.label.more}}}
	if len(s.Questions) > 0 {
		text := Cut(Line(s.Questions[0].Text), summaryShown, nil)
		c.Summary = []Span{{Text: text}}
		c.Sections = []Section{{Kind: Body, ID: "asked", Text: []Span{{Text: text}}}}
	}
	row := Section{Kind: Row, ID: "more"}
	add := func(offered bool, b Button) {
		if offered {
			row.Buttons = append(row.Buttons, b)
		}
	}
	add(o.Reply, Button{Token: s.token(OpenText, -1, -1), Label: s.voice.label.reply})
	add(o.Ask, Button{Token: s.token(OpenAsk, -1, -1), Label: s.voice.label.ask})
	for _, q := range o.Notes {
		label := s.voice.label.note
		if len(o.Notes) > 1 {
			label = s.voice.label.noteTo(q + 1)
		}
		add(true, Button{Token: s.token(OpenNote, q, -1), Label: label})
	}
	add(o.Pass, Button{Token: s.token(OpenPass, -1, -1), Label: s.voice.label.pass})
	add(o.TakeBack, Button{Token: s.token(TakeBack, -1, -1), Label: s.voice.label.takeBack})
	if s.Held != nil {
		add(o.Undo, Button{Token: s.token(Undo, -1, s.Held.Number), Label: s.voice.label.undo})
	}
	add(o.Dismiss, Button{Token: s.token(Dismiss, -1, -1), Label: s.voice.label.dismiss, Danger: true})
	add(true, Button{Token: s.token(ShowDetails, -1, -1), Label: s.voice.label.details})
	c.Sections = append(c.Sections, row)
	return c
}

// Details lays out the private message behind [ShowDetails]: the request's ID, the agent, the files with
// their whole digests, who may answer, and every step of the schedule, as far as one message holds them.
func Details(s Subject, l Limits) Card {
	s = s.clean()
	c := Card{Request: s.ID, State: s.Outcome.State, Language: s.Language, Summary: []Span{{Text: s.voice.label.details}}}
	if c.State == "" {
		c.State = ask.Open
	}
	text := fill(Plain, s.voice.Details.Request(slot0)+"\n", one(Span{Style: Mono, Text: s.ID}))
	text = append(text, fill(Plain, s.voice.Details.Agent(slot0), one(Span{Text: s.asker()}))...)
	for _, line := range fileLines(s, func(sha256 string) string { return sha256 }) {
		text = append(text, Span{Text: "\n" + line})
	}
	for _, s.room = range rooms {
		c.Sections = slices.Concat([]Section{{Kind: Body, ID: "details", Text: text}}, stepSections(s, l), []Section{terms(s, l)})
		if l.fits(c) {
			break
		}
	}
	return c
}
