package render

import (
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// mayAnswer states who can answer on this copy of the card.
func (s Subject) mayAnswer(l Limits) []Span {
	v, e := s.voice, s.Eligible
	var sentences [][]Span
	switch {
	case e.Anyone && s.Direct:
		sentences = [][]Span{{{Text: v.People.You}}}
	case e.Anyone:
		sentences = [][]Span{{{Text: v.People.Anyone}}}
	case len(e.Who) == 0:
		sentences = s.notHere(l)
	case e.Private:
		sentences = s.toOne(l)
	default:
		sentences = [][]Span{s.byName(l)}
	}
	var conditional [][]Span
	for _, c := range e.Conditional {
		conditional = append(conditional, s.conditional(c, l), v.demanded(c.All, l))
	}
	if e.Private {
		sentences = append(conditional, sentences...)
	} else {
		sentences = append(sentences, conditional...)
	}
	if len(sentences) == 0 {
		return []Span{{Text: v.People.Nobody}}
	}
	sentences[0] = append(sentences[0], s.except(l)...)
	text := sentences[0]
	for _, more := range sentences[1:] {
		text = slices.Concat(text, []Span{{Text: " · "}}, more)
	}
	return text
}

// byName names those who can answer on a copy in a channel, and counts those who can do so elsewhere.
func (s Subject) byName(l Limits) []Span {
	v, e := s.voice, s.Eligible
	there := v.elsewhere(e.Elsewhere, true, l)
	text := fill(Plain, v.People.Can(slot0), v.row(s.names(e.Who, l), there))
	if len(e.Who) == 1 && isPerson(e.Who[0], l) && len(there)+len(e.Conditional) == 0 {
		text = fill(Plain, v.People.Only(slot0, 1), s.names(e.Who, l))
	}
	if len(there) == 0 {
		text = append(text, s.also()...)
	}
	return text
}

// toOne names the addressee of a private copy, and those who can answer on other copies.
func (s Subject) toOne(l Limits) [][]Span {
	v, e := s.voice, s.Eligible
	if len(e.Elsewhere) == 0 {
		return [][]Span{append(fill(Plain, v.People.Only(slot0, 1), s.names(e.Who, l)), s.also()...)}
	}
	sentences := [][]Span{fill(Plain, v.People.OnlyHere(slot0), s.names(e.Who, l))}
	if !slices.ContainsFunc(e.Elsewhere, func(there ask.Elsewhere) bool { return there.Anyone }) {
		sentences = append(sentences, fill(Plain, v.People.Can(slot0), v.row(nil, v.elsewhere(e.Elsewhere, true, Limits{}))))
	}
	return sentences
}

// notHere names those who can answer on other copies only, with the reason if no one can here.
func (s Subject) notHere(l Limits) (sentences [][]Span) {
	v, e := s.voice, s.Eligible
	switch {
	case e.HiddenGroups:
		sentences = [][]Span{{{Text: v.People.HiddenGroups(v.titled(l.Platform))}}}
	case e.Private && e.NoRequester:
		sentences = [][]Span{{{Text: v.People.NobodyButAsker}}}
	}
	if len(e.Conditional) > 0 {
		l.Platform = "" // Count the others instead of naming them.
	}
	there := v.elsewhere(e.Elsewhere, len(e.Conditional) > 0, l)
	if slices.ContainsFunc(e.Elsewhere, func(there ask.Elsewhere) bool { return there.Anyone }) && len(sentences)+len(e.Conditional) == 0 {
		return [][]Span{{{Text: v.People.NobodyHere}}}
	}
	if len(there) == 0 || slices.ContainsFunc(e.Elsewhere, func(there ask.Elsewhere) bool { return there.Anyone }) {
		return sentences
	}
	first := e.Elsewhere[0]
	if len(e.Elsewhere) > 1 || first.Groups > 0 || len(e.Conditional) > 0 || first.Platform == l.Platform && len(first.People) > 1 {
		return append(sentences, fill(Plain, v.People.Can(slot0), v.row(nil, there)))
	}
	unnamed := func(p ask.Person) bool { return Line(p.Name) == "" }
	if first.Platform == l.Platform || len(first.People) > namesShown || slices.ContainsFunc(first.People, unnamed) {
		return append(sentences, fill(Plain, v.People.Only(slot0, len(first.People)), there))
	}
	var names []Span
	for _, p := range first.People {
		names = append(names, Span{Text: Cut(Line(p.Name), agentShown, nil)})
	}
	only := fill(Plain, v.People.Only(slot0, len(names)), v.row(names, nil))
	return append(sentences, append(only, Span{Text: v.People.On(v.titled(first.Platform))}))
}

// conditional names those who can answer if they also belong to other lists.
func (s Subject) conditional(c ask.Conditional, l Limits) []Span {
	switch {
	case c.Anyone:
		return []Span{{Text: s.voice.People.Anyone}}
	case s.Eligible.Private:
		return fill(Plain, s.voice.People.OnlyHere(slot0), s.names(c.Who, l))
	}
	return fill(Plain, s.voice.People.Can(slot0), s.voice.row(s.names(c.Who, l), nil))
}

// demanded names the lists of which people must belong to one each. They are not asked, so a card that would notify
// them names them in words.
func (v *voice) demanded(lists [][]ask.Person, l Limits) []Span {
	name := v.person
	if l.MentionsRing {
		name = v.worded
	}
	var text []Span
	for n, list := range lists {
		var named []Span
		for _, p := range list {
			named = append(named, name(p, l))
		}
		if n > 0 {
			text = append(text, Span{Text: " · "})
		}
		text = append(text, fill(Plain, v.People.Must(slot0), v.row(named, nil))...)
	}
	return text
}

// also names the other platforms on which the same people can answer.
func (s Subject) also() []Span {
	if len(s.Eligible.Also) == 0 {
		return nil
	}
	var platforms []Span
	for _, platform := range s.Eligible.Also {
		platforms = append(platforms, Span{Text: s.voice.titled(platform)})
	}
	return fill(Plain, s.voice.People.HereOr(slot0), s.voice.row(platforms, nil))
}

// except names those who cannot answer although a group or everyone can.
func (s Subject) except(l Limits) []Span {
	v, e := s.voice, s.Eligible
	if e.Private {
		return nil
	}
	var out []Span
	for _, p := range e.Except {
		out = append(out, v.unrung(p, l))
	}
	if e.NoRequester {
		out = append(out, Span{Text: v.People.Asker})
	}
	if len(out) == 0 {
		return nil
	}
	return fill(Plain, v.People.But(slot0), v.row(out, nil))
}

// Who names those who can answer: live where the platform can, and no more of them than people read. Language is the
// language of the words between them, as in [Subject.Language].
func Who(e ask.Eligible, l Limits, language string) []Span {
	v := voiceIn(language)
	var here []Span
	add := func(who []ask.Answerer) {
		for _, a := range who {
			here = append(here, v.person(a.Person, l))
		}
	}
	add(e.Who)
	for _, c := range e.Conditional {
		add(c.Who)
	}
	return v.row(here, v.elsewhere(e.Elsewhere, len(here) > 0, l))
}

// isPerson reports whether a card names one person rather than a group.
func isPerson(a ask.Answerer, l Limits) bool { return a.Platform == l.Platform }

// rings are the people and groups that a new card notifies. By default they are the people named in the request on
// this platform, as far as the card shows them. Groups are not notified then, and no one is if anyone may answer or the
// card is a direct message anyway.
func rings(s Subject, l Limits) []ask.Person {
	if s.Notify != nil {
		return s.Notify
	}
	if s.Eligible.Anyone || s.Eligible.Private {
		return nil
	}
	var notified []ask.Person
	add := func(who []ask.Answerer) {
		for _, a := range who[:min(len(who), namesShown)] {
			if isPerson(a, l) && !a.Linked {
				notified = append(notified, a.Person)
			}
		}
	}
	add(s.Eligible.Who)
	for _, c := range s.Eligible.Conditional {
		add(c.Who)
	}
	return notified
}

// row lists names, the first ones, and what follows them.
func (v *voice) row(names, more []Span) []Span {
	if rest := len(names) - namesShown; rest > 0 {
		names = append(names[:namesShown:namesShown], Span{Text: v.People.Others(rest)})
	}
	all := slices.Concat(names, more)
	var spans []Span
	for i, name := range all {
		switch {
		case i == 0:
		case i == len(all)-1:
			spans = append(spans, Span{Text: " " + v.People.Or + " "})
		default:
			spans = append(spans, Span{Text: ", "})
		}
		spans = append(spans, name)
	}
	return spans
}

// elsewhere counts those who can answer on other copies only, in addition to others if more is set. It names people of
// the platform that the limits are for.
func (v *voice) elsewhere(all []ask.Elsewhere, more bool, l Limits) []Span {
	var spans []Span
	for _, there := range all {
		switch n := len(there.People); {
		case n == 0:
		case there.Platform == l.Platform && n <= namesShown:
			for _, p := range there.People {
				spans = append(spans, v.person(p, l))
			}
		default:
			count := v.People.People
			if more {
				count = v.People.MorePeople
			}
			spans = append(spans, Span{Text: count(n, v.titled(there.Platform))})
		}
		if there.Groups > 0 {
			spans = append(spans, Span{Text: v.People.Groups(there.Groups, v.titled(there.Platform))})
		}
	}
	return spans
}

// person names a person live on their own platform. A group is live only where its name notifies no
// one ([Limits.Groups]); all others are named in words.
func (v *voice) person(p ask.Person, l Limits) Span {
	if p.ID != "" && (p.Platform == l.Platform || slices.Contains(l.Groups, p.Platform)) {
		p.Name = Cut(Line(p.Name), agentShown, nil)
		return Span{Style: Mention, Person: p}
	}
	return v.worded(p, l)
}

// worded names a person or a group in words, with the platform.
func (v *voice) worded(p ask.Person, _ Limits) Span {
	p.Name = Cut(Line(p.Name), agentShown, nil)
	if p.Name != "" {
		return Span{Text: p.Name + " (" + v.titled(p.Platform) + ")"}
	}
	platform, kind, group := strings.Cut(p.Platform, "-")
	if platform == ask.OnCall {
		return Span{Text: v.People.OnCall(Cut(Line(p.ID), agentShown, nil))}
	}
	there, id := v.titled(platform), Cut(Line(p.ID), agentShown, nil)
	switch {
	case !group:
		return Span{Text: v.People.User(there, id), Person: p}
	case kind == "group":
		return Span{Text: v.People.Group(there, id), Person: p}
	case kind == "role":
		return Span{Text: v.People.Role(there, id), Person: p}
	}
	return Span{Text: there + " " + kind + " " + id, Person: p}
}

// unrung names a person without notifying them: in words where a live name would.
func (v *voice) unrung(p ask.Person, l Limits) Span {
	if !l.MentionsRing {
		return v.person(p, l)
	}
	return v.quiet(p, l)
}

// quiet names a person in words, by the name alone if it is a person on the card's platform.
func (v *voice) quiet(p ask.Person, l Limits) Span {
	if name := Cut(Line(p.Name), agentShown, nil); name != "" && p.Platform == l.Platform {
		return Span{Text: name}
	}
	return v.worded(p, l)
}

// names are people and groups on the card's platform. Where live names notify, people that the request does not want to
// notify are named in words, except in direct messages.
func (s Subject) names(who []ask.Answerer, l Limits) []Span {
	var spans []Span
	for _, a := range who {
		asked := s.Notify == nil && !a.Linked || slices.ContainsFunc(s.Notify, func(notified ask.Person) bool { return notified.Key() == a.Key() })
		if asked || s.Eligible.Private || !l.MentionsRing {
			spans = append(spans, s.voice.person(a.Person, l))
		} else {
			spans = append(spans, s.voice.unrung(a.Person, l))
		}
	}
	return spans
}
