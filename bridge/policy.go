package bridge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// Anyone lets everybody answer who can see the card, except bots and people of
// another workspace or server.
const Anyone = "anyone"

// mayAnswer is the one place that decides who may answer. It knows nothing but
// the effective rule and what the platform vouched for.
func mayAnswer(responders []string, i Interaction) bool {
	if i.Bot || i.Person.ID == "" {
		return false
	}
	if slices.Contains(responders, i.Person.Key()) {
		return true
	}
	return slices.Contains(responders, Anyone) && !i.Stranger
}

// checkResponders asks each named platform whether it can hold the rule.
func (b *Bridge) checkResponders(path string, responders []string) []ask.Problem {
	var problems []ask.Problem
	for n, who := range responders {
		if who == Anyone {
			continue
		}
		name, _, _ := strings.Cut(who, ":")
		p, ok := b.platforms[name]
		if !ok {
			problems = append(problems, problem(fmt.Sprintf("%s[%d]", path, n), ask.ErrResponders,
				fmt.Sprintf("%q: there is no platform %q here; configured: %s", who, name, b.names())))
			continue
		}
		if err := p.CheckResponder(who); err != nil {
			problems = append(problems, problem(fmt.Sprintf("%s[%d]", path, n), ask.ErrResponders, err.Error()))
		}
	}
	return problems
}

// checkTargets does the same for targets.
func (b *Bridge) checkTargets(path string, targets []ask.Target) []ask.Problem {
	var problems []ask.Problem
	for n, t := range targets {
		at := fmt.Sprintf("%s[%d]", path, n)
		p, ok := b.platforms[t.Platform]
		if !ok {
			problems = append(problems, problem(at+".platform", ask.ErrTarget,
				fmt.Sprintf("there is no platform %q here; configured: %s", t.Platform, b.names())))
			continue
		}
		if err := p.CheckTarget(t); err != nil {
			problems = append(problems, problem(at, ask.ErrTarget, err.Error()))
		}
	}
	return problems
}

func problem(path string, kind error, detail string) ask.Problem {
	return ask.Problem{Path: path, Kind: kind, Detail: detail}
}
