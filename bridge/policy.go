package bridge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// mayAnswer is the one place that decides who may answer. It knows nothing but
// the record and what the platform vouched for.
func mayAnswer(r *Record, i Interaction) bool {
	if i.Bot || i.Person.ID == "" {
		return false
	}
	if who := i.Person.Key(); slices.Contains(r.Requesters, who) && slices.Contains(r.Responders, ask.NotRequester) {
		return false
	} else if slices.Contains(r.Responders, who) {
		return true
	}
	if slices.ContainsFunc(i.Groups, func(group string) bool { return slices.Contains(r.Responders, group) }) {
		return true
	}
	return slices.Contains(r.Responders, ask.Anyone) && !i.Stranger
}

// join asks the platform which of the record's groups the person belongs to,
// where it does not say so with every interaction. Groups that cannot be looked
// up count as somebody else's.
func (b *Bridge) join(ctx context.Context, r *Record, i Interaction) (Interaction, error) {
	p, ok := b.platforms[i.Person.Platform].(GroupFinder)
	if !ok || i.Bot {
		return i, nil
	}
	among := b.groups(r, p)
	if len(among) == 0 {
		return i, nil
	}
	mine, err := p.GroupsOf(ctx, i.Person, among)
	i.Groups = append(slices.Clip(i.Groups), mine...)
	return i, err
}

// groups are the entries of the record's responders that only the platform can
// tell the members of.
func (b *Bridge) groups(r *Record, p GroupFinder) []string {
	prefixes := p.Prefixes()
	var among []string
	for _, who := range r.Responders {
		if prefix, _, ok := strings.Cut(who, ":"); ok && slices.Contains(prefixes, prefix) {
			among = append(among, who)
		}
	}
	return among
}

// undecided reports whether only a look-up can tell if the person may answer.
func (b *Bridge) undecided(r *Record, i Interaction) bool {
	p, ok := b.platforms[i.Person.Platform].(GroupFinder)
	if !ok || i.Bot || len(b.groups(r, p)) == 0 {
		return false
	}
	i.Groups = r.Responders
	return mayAnswer(r, i)
}

// checkResponders asks each named platform whether it can hold the rule.
func (b *Bridge) checkResponders(path string, responders []string) []ask.Problem {
	var problems []ask.Problem
	for n, who := range responders {
		if who == ask.Anyone || who == ask.NotRequester {
			continue
		}
		prefix, _, _ := strings.Cut(who, ":")
		p, ok := b.prefixes[prefix]
		if !ok {
			problems = append(problems, problem(fmt.Sprintf("%s[%d]", path, n), ask.ErrResponders,
				fmt.Sprintf("%q: there is no platform for %q here; known: %s", who, prefix, strings.Join(slices.Sorted(maps.Keys(b.prefixes)), ", "))))
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
