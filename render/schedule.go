package render

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// stepSections lists who was asked in addition, who passed the request on, and the current claim, a
// line each. What comes next is in [StepLines].
func stepSections(s Subject, l Limits) []Section {
	past := slices.DeleteFunc(slices.Clone(s.Steps), func(t Step) bool { return !t.Done || t.Do == ask.Remind })
	shown := past[max(0, len(past)-s.room.steps):]
	var lines [][]Span
	if more := len(past) - len(shown); more > 0 {
		lines = append(lines, []Span{{Style: Aside, Text: s.voice.Card.AndMore(more)}})
	}
	for _, step := range shown {
		lines = append(lines, stepLine(s, step, l))
	}
	if s.Claim != nil {
		lines = append(lines, claimLine(s, *s.Claim, l))
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

// StepLines lists all steps of the schedule in their order, a line each: what has happened, what comes
// next, and what comes after that.
func StepLines(s Subject, l Limits) [][]Span {
	s = s.clean()
	var lines [][]Span
	word := s.voice.Schedule.Next
	for _, step := range s.Steps {
		line := stepLine(s, step, l)
		if !step.Done {
			line = append([]Span{{Style: Aside, Text: word}, {Text: " "}}, line...)
			word = s.voice.Schedule.Then
		}
		lines = append(lines, line)
	}
	return lines
}

// claimLine names who has claimed the request and until when.
func claimLine(s Subject, c Claim, l Limits) []Span {
	claim := fill(Plain, " "+s.voice.Schedule.Claim(slot0, slot1, slot2), one(s.voice.unrung(c.By, l)), one(s.moment(c.At)), one(s.moment(c.Until)))
	return append(one(Span{Style: Aside, Text: s.voice.Schedule.OnIt}), claim...)
}

// stepLine states what a step did and when, or what it will do.
func stepLine(s Subject, t Step, l Limits) []Span {
	say, at := s.voice.Schedule, s.moment(t.At)
	switch {
	case t.Do == ask.HandOver:
		return passLine(s, t, l)
	case t.Do == ask.Remind && t.Done:
		return []Span{at, {Text: ": " + say.Reminded}}
	case t.Do == ask.Remind:
		return []Span{{Text: say.Reminder + ", "}, at}
	case t.Done:
		return append([]Span{at, {Text: ": "}}, addition(s, t, l, say.AlsoAsked, say.AlsoIn)...)
	}
	plain := func(what string) string { return what }
	return append(addition(s, t, l, plain, plain), Span{Text: ", "}, at)
}

// addition names the people and places that a step adds: who and in are the texts around the first of
// them. People are named in words where a live name would notify them: the message below the card
// notifies them when the step happens.
func addition(s Subject, t Step, l Limits, who, in func(string) string) []Span {
	name := s.voice.person
	if l.MentionsRing {
		name = s.voice.worded
	}
	added := here(t.Added, l)
	rotas := slices.DeleteFunc(slices.Clone(t.Added), func(p ask.Person) bool { return p.Platform != ask.OnCall })
	if !t.Done {
		added = append(added, rotas...)
	}
	var named []Span
	shown := added[:min(len(added), s.room.names)]
	for n, p := range shown {
		if n > 0 {
			named = append(named, Span{Text: ", "})
		}
		named = append(named, name(p, l))
	}
	if rest := len(added) - len(shown); rest > 0 {
		named = append(named, Span{Text: " " + s.voice.Card.AndMore(rest)})
	}
	more := ""
	if t.Places > 0 {
		more = s.voice.Schedule.Places(t.Places)
	}
	var spans []Span
	switch {
	case len(named) > 0:
		spans = fill(Plain, who(slot0), named)
	case len(rotas) > 0:
		spans = one(Span{Text: s.voice.Schedule.NobodyOn(Cut(Line(rotas[0].ID), agentShown, nil))})
	case len(t.Added) > 0:
		spans = one(Span{Text: who(s.voice.Schedule.Elsewhere)})
	default:
		return one(Span{Text: in(more)})
	}
	if more != "" {
		spans = append(spans, Span{Text: ", " + more})
	}
	return spans
}

// Reminder lays out the message below a card that the agent is waiting, and notifies
// [Subject.Notify]. After the end of the request it has the outcome instead. It has no controls; the card has.
func Reminder(s Subject, l Limits) Card {
	s = s.clean()
	s.Notify = here(s.Notify, l)
	text := []Span{{Text: s.voice.Schedule.Waiting(s.asker())}}
	c := Card{Request: s.ID, State: ask.Open, Language: s.Language, Tells: s.Notify}
	if s.Outcome.State != ask.Open && s.Held == nil {
		c.State, text = s.Outcome.State, reminderEnd(s, l)
	}
	asked := ""
	if len(s.Questions) > 0 {
		asked = Cut(Line(s.Questions[0].Text), summaryShown, l.Width)
	}
	c.Summary = append(slices.Clone(text), Span{Text: ": " + asked})
	if c.State != ask.Open {
		c.Summary = append(slices.Clone(text), Span{Text: " · " + asked})
	}
	if len(s.Notify) > 0 {
		c.Summary = slices.Concat(c.Summary, []Span{{Text: " · "}}, notified(s))
	}
	c.Sections = []Section{
		{Kind: Frame, ID: "agent", Text: text},
		{Kind: Body, ID: "asked", Text: []Span{{Text: asked}}},
	}
	c.Sections = append(c.Sections, s.notice()...)
	return c
}

// reminderEnd states how the request ended, as in "Answered: Deploy".
func reminderEnd(s Subject, l Limits) []Span {
	s.Outcome.By = ask.Person{} // The card names the person.
	if s.Outcome.State == ask.Answered {
		return verdict(s, l)
	}
	return ending(s, l)
}

// passLine states who passed the request on, and to which person.
func passLine(s Subject, t Step, l Limits) []Span {
	return []Span{{Style: Aside, Text: s.voice.Schedule.Passed}, {Text: " "}, s.voice.unrung(t.By, l), {Text: " → "}, s.voice.unrung(t.To, l), {Text: " · "}, s.moment(t.At)}
}
