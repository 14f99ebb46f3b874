package render

import (
	"fmt"
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
	for _, step := range s.Steps {
		lines = append(lines, step.line(l))
	}
	if s.Claim != nil {
		lines = append(lines, s.Claim.line(l))
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

// line says who is on it. The moment behind it tells on its own when that is over.
func (c Claim) line(l Limits) []Span {
	return []Span{
		{Style: Aside, Text: "On it:"}, {Text: " "}, unrung(c.By, l), {Text: " since "}, {Style: Moment, Time: c.At}, {Text: ", until "}, {Style: Moment, Time: c.Until},
	}
}

// line says of a step when it happens, and what. Whom it adds stands in words where a
// name would ring: they are told when it happens, below the card.
func (t Step) line(l Limits) []Span {
	moment := Span{Style: Moment, Time: t.At}
	switch {
	case t.Do == ask.Remind && t.Done:
		return []Span{{Style: Aside, Text: "Reminded:"}, {Text: " "}, moment}
	case t.Do == ask.HandOver:
		return t.passed(l)
	case t.Do == ask.Remind:
		return []Span{{Style: Aside, Text: "Reminder:"}, {Text: " "}, moment}
	}
	from := "From:"
	if t.Done {
		from = "Since:"
	}
	spans := []Span{{Style: Aside, Text: from}, {Text: " "}, moment, {Text: " "}}
	name := person
	if l.MentionsRing {
		name = worded
	}
	added := here(t.Added, l)
	rotas := slices.DeleteFunc(slices.Clone(t.Added), func(p ask.Person) bool { return p.Platform != ask.OnCall })
	if !t.Done {
		added = append(added, rotas...)
	}
	shown := added[:min(len(added), namesShown)]
	for n, p := range shown {
		if n > 0 {
			spans = append(spans, Span{Text: ", "})
		}
		spans = append(spans, name(p, l))
	}
	if rest := len(added) - len(shown); rest > 0 {
		spans = append(spans, Span{Text: fmt.Sprintf(" and %d more", rest)})
	}
	switch {
	case len(added) > 0:
		spans = append(spans, Span{Text: " can answer too"})
	case len(rotas) > 0:
		spans = append(spans, Span{Text: "nobody was on call for " + Cut(Line(rotas[0].ID), agentShown, nil)})
	case len(t.Added) > 0:
		spans = append(spans, Span{Text: "others elsewhere can answer too"})
	}
	if t.Places > 0 {
		words := "asked in one more place"
		if t.Places > 1 {
			words = fmt.Sprintf("asked in %d more places", t.Places)
		}
		if len(t.Added) > 0 {
			words = ", " + words
		}
		spans = append(spans, Span{Text: words})
	}
	return spans
}

// Reminder lays out the message that stands below a card and rings [Subject.Notify]: it
// says again what is asked. It has no controls; the card has.
func Reminder(s Subject, l Limits) Card {
	s = s.clean()
	s.Notify = here(s.Notify, l)
	text := s.asker() + " still waits for an answer"
	if n := len(s.Questions); n > 1 {
		text = fmt.Sprintf("%s still waits for %d answers", s.asker(), n)
	}
	asked := ""
	if len(s.Questions) > 0 {
		asked = Cut(Line(s.Questions[0].Text), summaryShown, l.Width)
	}
	c := Card{Request: s.ID, State: ask.Open, Tells: s.Notify, Summary: []Span{{Text: text + ": " + asked}}}
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
