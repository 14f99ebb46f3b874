package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// namesShown is how many people are named in a row.
const namesShown = 6

const butNotRequester = ", but not who asked for it"

// mayAnswer says who may answer.
func (s Subject) mayAnswer(l Limits) []Span {
	text := []Span{{Text: "Anyone in this channel can answer"}}
	named, limited := withoutRequester(s.Responders)
	if len(named) > 0 && !slices.Contains(named, ask.Anyone) {
		text = append(Who(named, l), Span{Text: " can answer"})
		text[0].Text = strings.Replace(text[0].Text, "somebody", "Somebody", 1)
	}
	if limited {
		text = append(text, Span{Text: butNotRequester})
	}
	return text
}

// withoutRequester returns the list without the entry that shuts somebody out,
// and whether it was there.
func withoutRequester(list []string) ([]string, bool) {
	named := slices.DeleteFunc(slices.Clone(list), func(who string) bool { return who == ask.NotRequester })
	return named, len(named) < len(list)
}

// Who names the people and groups of a list such as [ask.Request.Responders]:
// live where the platform can, and no more of them than one can read. Those of
// another platform, where an id would tell nobody anything, are somebody there.
func Who(list []string, l Limits) []Span {
	list, limited := withoutRequester(list)
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
	if limited {
		spans = append(spans, Span{Text: butNotRequester})
	}
	return spans
}

// entries is one span for each entry of the list, with those of another platform
// folded into one behind them.
func entries(list []string, l Limits) []Span {
	var spans, elsewhere []Span
	told := map[string]bool{}
	for _, entry := range list {
		platform, id, _ := strings.Cut(entry, ":")
		there, _, _ := strings.Cut(Line(platform), "-")
		switch {
		case entry == ask.Anyone:
			spans = append(spans, Span{Text: "anyone in this channel"})
		case there == l.Platform:
			spans = append(spans, person(ask.Person{Platform: Line(platform), ID: Line(id)}, l, false))
		case !told[there]:
			told[there] = true
			elsewhere = append(elsewhere, Span{Text: "somebody on " + titled(there)})
		}
	}
	return append(spans, elsewhere...)
}

// person names somebody, or a group: by a live mention on their own platform,
// else in words. Placed tells that the platform is named beside.
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
	return Span{Text: titled(platform) + " " + kind + " " + Cut(Line(p.ID), agentShown, nil)}
}
