package render

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// stepSections lists scheduled and past steps, and the current claim, a line each.
func stepSections(s Subject, l Limits) []Section {
	var lines [][]Span
	shown, more := s.room.few(s.Steps)
	for _, step := range shown {
		lines = append(lines, stepLine(s, step, l))
	}
	if more > 0 {
		lines = append(lines, []Span{{Style: Aside, Text: s.voice.Card.AndMore(more)}})
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

// claimLine names who has claimed the request and until when.
func claimLine(s Subject, c Claim, l Limits) []Span {
	claim := fill(Plain, " "+s.voice.Schedule.Claim(slot0, slot1, slot2), one(s.voice.unrung(c.By, l)), one(s.moment(c.At)), one(s.moment(c.Until)))
	return append(one(Span{Style: Aside, Text: s.voice.Schedule.OnIt}), claim...)
}

// stepLine states when a step happens, and what it does. The people it adds are named in words where a
// live name would notify them: the message below the card notifies them when it happens.
func stepLine(s Subject, t Step, l Limits) []Span {
	say, moment := s.voice.Schedule, s.moment(t.At)
	switch {
	case t.Do == ask.Remind && t.Done:
		return []Span{{Style: Aside, Text: say.Reminded}, {Text: " "}, moment}
	case t.Do == ask.HandOver:
		return passLine(s, t, l)
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

// Reminder lays out the message below a card that repeats the question and notifies [Subject.Notify].
// It has no controls; the card has.
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
		c.Summary = slices.Concat(c.Summary, []Span{{Text: " · "}}, notified(s))
	}
	c.Sections = []Section{
		{Kind: Frame, ID: "agent", Text: []Span{{Text: text}}},
		{Kind: Body, ID: "asked", Text: []Span{{Text: asked}}},
	}
	c.Sections = append(c.Sections, s.notice()...)
	return c
}

// few are the steps that the room has place for: what comes next, behind what was last. The
// others are counted.
func (r room) few(steps []Step) (shown []Step, more int) {
	next := 0
	for next < len(steps) && steps[next].Done {
		next++
	}
	first := max(0, min(next-r.steps/2, len(steps)-r.steps))
	shown = steps[first:min(len(steps), first+r.steps)]
	return shown, len(steps) - len(shown)
}

// passLine states who passed the request on, and to which person.
func passLine(s Subject, t Step, l Limits) []Span {
	return []Span{{Style: Aside, Text: s.voice.Schedule.Passed}, {Text: " "}, s.voice.unrung(t.By, l), {Text: " → "}, s.voice.unrung(t.To, l), {Text: " · "}, s.moment(t.At)}
}
