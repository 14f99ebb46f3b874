package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// namesShown is how many people are named in a row.
const namesShown = 6

// Entries of [ask.Request.Responders] that name nobody.
const (
	anyone       = "anyone"
	notRequester = "not_requester"
)

const butNotRequester = ", but not who asked for it"

// mayAnswer says who may answer.
func (s Subject) mayAnswer(l Limits) []Span {
	text := []Span{{Text: "Anyone in this channel can answer"}}
	named, limited := withoutRequester(s.Responders)
	if len(named) > 0 && !slices.Contains(named, anyone) {
		text = append(Who(named, l), Span{Text: " can answer"})
	}
	if limited {
		text = append(text, Span{Text: butNotRequester})
	}
	return text
}

// withoutRequester returns the list without the entry that shuts somebody out,
// and whether it was there.
func withoutRequester(list []string) ([]string, bool) {
	named := slices.DeleteFunc(slices.Clone(list), func(who string) bool { return who == notRequester })
	return named, len(named) < len(list)
}

// Who names the people and groups of a list such as [ask.Request.Responders]:
// live where the platform can, else in words, and no more of them than one can
// read.
func Who(list []string, l Limits) []Span {
	var spans []Span
	list, limited := withoutRequester(list)
	shown := min(len(list), namesShown)
	for i, entry := range list[:shown] {
		switch {
		case i == 0:
		case i == shown-1 && shown == len(list):
			spans = append(spans, Span{Text: " or "})
		default:
			spans = append(spans, Span{Text: ", "})
		}
		if entry == anyone {
			spans = append(spans, Span{Text: "anyone in this channel"})
			continue
		}
		platform, id, _ := strings.Cut(entry, ":")
		spans = append(spans, person(ask.Person{Platform: Line(platform), ID: Line(id)}, l, false))
	}
	switch rest := len(list) - shown; rest {
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
