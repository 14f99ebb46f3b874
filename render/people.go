package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// namesShown is how many people are named in a row.
const namesShown = 6

// mayAnswer says who may answer on this copy of the card.
func (s Subject) mayAnswer(l Limits) []Span {
	switch to := s.Addressee; {
	case s.Policy.Allows(to):
		return []Span{{Text: "Only "}, person(to.Person, l), {Text: " can answer here"}}
	case to.Requester && s.Policy.Has(ask.NotRequester):
		return []Span{{Text: "Nobody can answer here: whoever asked does not decide"}}
	case s.Policy.IsZero():
		return []Span{{Text: "Nobody can answer"}}
	case s.Policy.Open():
		text := "Anyone in this channel can answer"
		if s.Direct {
			text = "You can answer"
		}
		return append([]Span{{Text: text}}, except(s.Policy)...)
	}
	text := named(s.Policy, l, s.naming(l), " can answer")
	for _, ours := range []string{"anyone ", "somebody "} {
		if rest, ok := strings.CutPrefix(text[0].Text, ours); ok {
			text[0].Text = titled(ours) + rest
		}
	}
	return text
}

// Who names the people and groups whom a policy lets answer: live where the
// platform can, and no more of them than one can read. Those of another
// platform, where an id would tell nobody anything, are somebody there.
func Who(p ask.Policy, l Limits) []Span {
	if p.IsZero() {
		return nil
	}
	return named(p, l, person, "")
}

// named is the list of the request itself, some words, and what else is demanded
// of whoever answers: of a route or a token, whose people are not the ones who are
// asked, so that a card which would ring them names them in words.
func named(p ask.Policy, l Limits, name naming, words string) []Span {
	lists := p.Lists()
	last := len(lists) - 1
	spans := row(lists[last], l, name)
	if words != "" {
		spans = append(spans, Span{Text: words})
	}
	demanded := person
	if l.MentionsRing {
		demanded = worded
	}
	for _, floor := range lists[:last] {
		if !slices.Contains(floor, ask.Entry{Word: ask.Anyone}) {
			spans = append(append(spans, Span{Text: ", if they are also one of: "}), row(floor, l, demanded)...)
		}
	}
	return append(spans, except(p)...)
}

// tells is the rule of whom a new card rings. Where the request says nothing of it
// these are those whom it asks by name on this platform, as far as the card names
// them; then groups are not rung, and nobody is where anyone may answer or where the
// card is a message to one person anyway.
func (s Subject) tells(l Limits) []ask.Person {
	if s.Notify != nil {
		return s.Notify
	}
	if s.Policy.IsZero() || s.Policy.Open() || s.Addressee.Person != (ask.Person{}) {
		return nil
	}
	lists := s.Policy.Lists()
	var told []ask.Person
	for _, span := range row(lists[len(lists)-1], l, person) {
		if span.Style == Mention && span.Person.Platform == l.Platform {
			told = append(told, span.Person)
		}
	}
	return told
}

// except names who is kept out.
func except(p ask.Policy) []Span {
	if !p.Has(ask.NotRequester) {
		return nil
	}
	return []Span{{Text: ", but not who asked for it"}}
}

// row names one list's people and groups in a row, each in one way.
func row(list []ask.Entry, l Limits, name naming) []Span {
	named := entries(list, l, name)
	shown := min(len(named), namesShown)
	var spans []Span
	for i, entry := range named[:shown] {
		switch {
		case i == 0:
		case i == shown-1 && shown == len(named):
			spans = append(spans, Span{Text: " or "})
		default:
			spans = append(spans, Span{Text: ", "})
		}
		spans = append(spans, entry)
	}
	switch rest := len(named) - shown; rest {
	case 0:
	case 1:
		spans = append(spans, Span{Text: " or 1 other"})
	default:
		spans = append(spans, Span{Text: fmt.Sprintf(" or %d others", rest)})
	}
	return spans
}

// entries is one span for each entry of the list, with those of another platform
// folded into one behind them.
func entries(list []ask.Entry, l Limits, name naming) []Span {
	var spans, elsewhere []Span
	told := map[string]bool{}
	for _, entry := range list {
		there := Line(entry.Platform)
		switch {
		case entry.Word == ask.NotRequester:
		case entry.Word == ask.Anyone:
			spans = append(spans, Span{Text: "anyone in this channel"})
		case there == l.Platform:
			spans = append(spans, name(ask.Person{Platform: Line(entry.Prefix()), ID: Line(entry.ID)}, l))
		case !told[there]:
			told[there] = true
			elsewhere = append(elsewhere, Span{Text: "somebody on " + titled(there)})
		}
	}
	return append(spans, elsewhere...)
}

// naming is a way to name somebody, or a group.
type naming func(p ask.Person, l Limits) Span

// person names somebody live on their own platform: whoever is asked by name, or
// acted. A group is live only where naming it rings nobody ([Limits.Groups]); all
// others stand in words.
func person(p ask.Person, l Limits) Span {
	if p.ID != "" && (p.Platform == l.Platform || slices.Contains(l.Groups, p.Platform)) {
		p.Name = Cut(Line(p.Name), agentShown, nil)
		return Span{Style: Mention, Person: p}
	}
	return worded(p, l)
}

// worded names somebody, or a group, in words, with the platform.
func worded(p ask.Person, _ Limits) Span {
	p.Name = Cut(Line(p.Name), agentShown, nil)
	if p.Name != "" {
		return Span{Text: p.Name + " (" + titled(p.Platform) + ")"}
	}
	platform, kind, group := strings.Cut(p.Platform, "-")
	if platform == ask.OnCall {
		return Span{Text: "whoever is on call for " + Cut(Line(p.ID), agentShown, nil)}
	}
	if !group {
		kind = "user"
	}
	return Span{Text: titled(platform) + " " + kind + " " + Cut(Line(p.ID), agentShown, nil), Person: p}
}
