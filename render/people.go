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
		return []Span{{Text: "Only "}, person(to.Person, l, false), {Text: " can answer here"}}
	case to.Requester && s.Policy.Has(ask.NotRequester):
		return []Span{{Text: "Nobody can answer here: whoever asked does not decide"}}
	case s.Policy.IsZero():
		return []Span{{Text: "Nobody can answer"}}
	case s.Policy.Open():
		return append([]Span{{Text: "Anyone in this channel can answer"}}, except(s.Policy)...)
	}
	text := named(s.Policy, l, " can answer")
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
	return named(p, l, "")
}

// named is the list of the request itself, some words, and what else is demanded
// of whoever answers.
func named(p ask.Policy, l Limits, words string) []Span {
	lists := p.Lists()
	last := len(lists) - 1
	spans := row(lists[last], l)
	if words != "" {
		spans = append(spans, Span{Text: words})
	}
	for _, floor := range lists[:last] {
		if !slices.Contains(floor, ask.Entry{Word: ask.Anyone}) {
			spans = append(append(spans, Span{Text: ", if they are also one of: "}), row(floor, l)...)
		}
	}
	return append(spans, except(p)...)
}

// except names who is kept out.
func except(p ask.Policy) []Span {
	if !p.Has(ask.NotRequester) {
		return nil
	}
	return []Span{{Text: ", but not who asked for it"}}
}

// row names one list's people and groups in a row.
func row(list []ask.Entry, l Limits) []Span {
	named := entries(list, l)
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
func entries(list []ask.Entry, l Limits) []Span {
	var spans, elsewhere []Span
	told := map[string]bool{}
	for _, entry := range list {
		there := Line(entry.Platform)
		switch {
		case entry.Word == ask.NotRequester:
		case entry.Word == ask.Anyone:
			spans = append(spans, Span{Text: "anyone in this channel"})
		case there == l.Platform:
			spans = append(spans, person(ask.Person{Platform: Line(entry.Prefix()), ID: Line(entry.ID)}, l, false))
		case !told[there]:
			told[there] = true
			elsewhere = append(elsewhere, Span{Text: "somebody on " + titled(there)})
		}
	}
	return append(spans, elsewhere...)
}

// person names somebody, or a group, and is the one place that decides who is
// named live. People are, on their own platform: whoever is asked by name, or
// acted, may be told of it. A group is live only where naming it rings nobody
// ([Limits.Groups]); all others stand in words. Placed tells that the platform is
// named beside.
func person(p ask.Person, l Limits, placed bool) Span {
	p.Name = Cut(Line(p.Name), agentShown, nil)
	switch {
	case p.ID != "" && (p.Platform == l.Platform || slices.Contains(l.Groups, p.Platform)):
		return Span{Style: Mention, Person: p}
	case p.Name != "" && placed:
		return Span{Text: p.Name}
	case p.Name != "":
		return Span{Text: p.Name + " (" + titled(p.Platform) + ")"}
	}
	platform, kind, group := strings.Cut(p.Platform, "-")
	if !group {
		kind = "user"
	}
	return Span{Text: titled(platform) + " " + kind + " " + Cut(Line(p.ID), agentShown, nil), Person: p}
}
