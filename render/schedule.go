package render

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Step is one thing that happens while nobody answers.
type Step struct {
	Do ask.StepKind
	At time.Time
	// Done tells that it has happened.
	Done bool
	// Added are those whom it lets answer besides, and Places how many places it adds.
	Added  []ask.Person
	Places int
	// By has passed the request on to To, where the step is that.
	By, To ask.Person
}

// Claim says that somebody is on it.
type Claim struct {
	By        ask.Person
	At, Until time.Time
}

// steps is what happens while nobody answers, and what has, and who is on it, a line
// each.
func (s Subject) steps(l Limits) []Section {
	var lines [][]Span
	shown, more := s.room.few(s.Steps)
	for _, step := range shown {
		lines = append(lines, s.step(step, l))
	}
	if more > 0 {
		lines = append(lines, []Span{{Style: Aside, Text: s.voice.Card.AndMore(more)}})
	}
	if s.Claim != nil {
		lines = append(lines, s.onIt(*s.Claim, l))
	}
	if len(lines) == 0 {
		return nil
	}
	text := lines[0]
	for _, line := range lines[1:] {
		text = slices.Concat(text, []Span{{Text: "\n"}}, line)
	}
	return []Section{{Kind: Body, ID: "steps", Text: text}}
}

// onIt says who is on it. The moment behind it tells on its own when that is over.
func (s Subject) onIt(c Claim, l Limits) []Span {
	claim := fill(Plain, " "+s.voice.Schedule.Claim(slot0, slot1, slot2), one(s.voice.unrung(c.By, l)), one(s.moment(c.At)), one(s.moment(c.Until)))
	return append(one(Span{Style: Aside, Text: s.voice.Schedule.OnIt}), claim...)
}

// step says of a step when it happens, and what. Whom it adds stands in words where a
// name would ring: they are told when it happens, below the card.
func (s Subject) step(t Step, l Limits) []Span {
	say, moment := s.voice.Schedule, s.moment(t.At)
	switch {
	case t.Do == ask.Remind && t.Done:
		return []Span{{Style: Aside, Text: say.Reminded}, {Text: " "}, moment}
	case t.Do == ask.HandOver:
		return s.passed(t, l)
	case t.Do == ask.Remind:
		return []Span{{Style: Aside, Text: say.Reminder}, {Text: " "}, moment}
	}
	from := say.From
	if t.Done {
		from = say.Since
	}
	spans := []Span{{Style: Aside, Text: from}, {Text: " "}, moment, {Text: " "}}
	name := s.voice.person
	if l.MentionsRing {
		name = s.voice.worded
	}
	added := here(t.Added, l)
	rotas := slices.DeleteFunc(slices.Clone(t.Added), func(p ask.Person) bool { return p.Platform != ask.OnCall })
	if !t.Done {
		added = append(added, rotas...)
	}
	shown := added[:min(len(added), s.room.names)]
	var who []Span
	for n, p := range shown {
		if n > 0 {
			who = append(who, Span{Text: ", "})
		}
		who = append(who, name(p, l))
	}
	if rest := len(added) - len(shown); rest > 0 {
		who = append(who, Span{Text: " " + s.voice.Card.AndMore(rest)})
	}
	switch {
	case len(added) > 0:
		spans = append(spans, fill(Plain, say.CanToo(slot0), who)...)
	case len(rotas) > 0:
		spans = append(spans, Span{Text: say.NobodyOn(Cut(Line(rotas[0].ID), agentShown, nil))})
	case len(t.Added) > 0:
		spans = append(spans, Span{Text: say.Elsewhere})
	}
	if t.Places > 0 {
		more := say.MorePlaces(t.Places)
		if len(t.Added) > 0 {
			more = ", " + more
		}
		spans = append(spans, Span{Text: more})
	}
	return spans
}

// Reminder lays out the message that stands below a card and rings [Subject.Notify]: it
// says again what is asked. It has no controls; the card has.
func Reminder(s Subject, l Limits) Card {
	s = s.clean()
	s.Notify = here(s.Notify, l)
	text := s.voice.Schedule.StillWaits(s.asker(), len(s.Questions))
	asked := ""
	if len(s.Questions) > 0 {
		asked = Cut(Line(s.Questions[0].Text), summaryShown, l.Width)
	}
	c := Card{Request: s.ID, State: ask.Open, Language: s.Language, Tells: s.Notify, Summary: []Span{{Text: text + ": " + asked}}}
	if len(s.Notify) > 0 {
		c.Summary = slices.Concat(c.Summary, []Span{{Text: " · "}}, s.told())
	}
	c.Sections = []Section{
		{Kind: Frame, ID: "agent", Text: []Span{{Text: text}}},
		{Kind: Body, ID: "asked", Text: []Span{{Text: asked}}},
	}
	c.Sections = append(c.Sections, s.notice()...)
	return c
}
