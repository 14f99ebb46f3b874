package render

import (
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/words"
)

// mayAnswer names who may answer on this copy of the card.
func (s Subject) mayAnswer(l Limits) []Span {
	v := s.voice
	switch to := s.Addressee; {
	case s.Policy.Allows(to):
		return fill(Plain, v.People.Only(slot0), one(v.person(to.Person, l)))
	case to.Requester && s.Policy.Has(ask.NotRequester):
		return []Span{{Text: v.People.NobodyButAsker}}
	case s.Policy.IsZero():
		return []Span{{Text: v.People.Nobody}}
	case s.Policy.Open():
		text := v.People.Anyone
		if s.Direct {
			text = v.People.You
		}
		return append([]Span{{Text: text}}, v.except(s.Policy)...)
	}
	text := v.named(s.Policy, l, s.naming(l), v.People.Can(slot0))
	somebody, _, _, _ := words.Cut(v.People.SomebodyOn(slot0))
	for _, ours := range []string{v.People.AnyoneHere, somebody} {
		if strings.HasPrefix(text[0].Text, ours) {
			text[0].Text = v.titled(text[0].Text)
		}
	}
	if s.Addressee.Person != (ask.Person{}) && l.ChannelGroups && l.groupIn(s.Policy) {
		text = append(text, Span{Text: v.People.NotDirect(v.titled(l.Platform))})
	}
	return text
}

// groupIn reports whether a policy names groups of the platform.
func (l Limits) groupIn(p ask.Policy) bool {
	for e := range p.Entries() {
		if slices.Contains(l.Groups, e.Prefix()) {
			return true
		}
	}
	return false
}

// Who names the people and groups that a policy allows to answer: live where the platform can, and no
// more of them than people read. An ID of another platform means nothing to readers, so those people
// appear as "someone there". Language is the language of the words between them, as in
// [Subject.Language].
func Who(p ask.Policy, l Limits, language string) []Span {
	if p.IsZero() {
		return nil
	}
	v := voiceIn(language)
	return v.named(p, l, v.person, slot0)
}

// named is the list of the request itself in a sentence, with the lists that a route or a token adds
// as requirements. The people on those lists are not asked, so a card that would notify them names
// them in words.
func (v *voice) named(p ask.Policy, l Limits, name naming, text string) []Span {
	lists := p.Lists()
	last := len(lists) - 1
	spans := fill(Plain, text, v.row(lists[last], l, name))
	demanded := v.person
	if l.MentionsRing {
		demanded = v.worded
	}
	for _, floor := range lists[:last] {
		if !slices.Contains(floor, ask.Entry{Word: ask.Anyone}) {
			spans = append(spans, fill(Plain, v.People.IfAlso(slot0), v.row(floor, l, demanded))...)
		}
	}
	return append(spans, v.except(p)...)
}

// rings are the people and groups that a new card notifies. By default they are the people named in
// the policy on this platform, as far as the card shows them. Groups are not notified then, and no
// one is if anyone may answer or the card is a direct message anyway.
func rings(s Subject, l Limits) []ask.Person {
	if s.Notify != nil {
		return s.Notify
	}
	if s.Policy.IsZero() || s.Policy.Open() || s.Addressee.Person != (ask.Person{}) {
		return nil
	}
	lists := s.Policy.Lists()
	var told []ask.Person
	for _, span := range s.voice.row(lists[len(lists)-1], l, s.voice.person) {
		if span.Style == Mention && span.Person.Platform == l.Platform {
			told = append(told, span.Person)
		}
	}
	return told
}

// except names who is kept out.
func (v *voice) except(p ask.Policy) []Span {
	if !p.Has(ask.NotRequester) {
		return nil
	}
	return []Span{{Text: v.People.NotAsker}}
}

// row names one list's people and groups in a row, each in one way.
func (v *voice) row(list []ask.Entry, l Limits, name naming) []Span {
	named := v.entries(list, l, name)
	shown := min(len(named), namesShown)
	var spans []Span
	for i, entry := range named[:shown] {
		switch {
		case i == 0:
		case i == shown-1 && shown == len(named):
			spans = append(spans, Span{Text: " " + v.People.Or + " "})
		default:
			spans = append(spans, Span{Text: ", "})
		}
		spans = append(spans, entry)
	}
	if rest := len(named) - shown; rest > 0 {
		spans = append(spans, Span{Text: " " + v.People.Others(rest)})
	}
	return spans
}

// entries is one span for each entry of the list, with those of another platform
// folded into one behind them.
func (v *voice) entries(list []ask.Entry, l Limits, name naming) []Span {
	var spans, elsewhere []Span
	told := map[string]bool{}
	for _, entry := range list {
		there := Line(entry.Platform)
		switch {
		case entry.Word == ask.NotRequester:
		case entry.Word == ask.Anyone:
			spans = append(spans, Span{Text: v.People.AnyoneHere})
		case there == l.Platform:
			spans = append(spans, name(ask.Person{Platform: Line(entry.Prefix()), ID: Line(entry.ID)}, l))
		case !told[there]:
			told[there] = true
			elsewhere = append(elsewhere, Span{Text: v.People.SomebodyOn(v.titled(there))})
		}
	}
	return append(spans, elsewhere...)
}

// naming is a way to name a person or a group.
type naming func(p ask.Person, l Limits) Span

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
	who := v.person(p, l)
	switch {
	case !l.MentionsRing || who.Style != Mention:
		return who
	case who.Person.Name != "":
		return Span{Text: who.Person.Name}
	}
	return v.worded(p, l)
}

// naming is how the terms of the card name who may answer. Where live names notify, people that the
// request does not want to notify are named in words.
func (s Subject) naming(l Limits) naming {
	if s.Notify == nil || !l.MentionsRing {
		return s.voice.person
	}
	return func(p ask.Person, l Limits) Span {
		if slices.ContainsFunc(s.Notify, func(told ask.Person) bool { return told.Platform == p.Platform && told.ID == p.ID }) {
			return s.voice.person(p, l)
		}
		return s.voice.worded(p, l)
	}
}
