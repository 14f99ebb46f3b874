package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
)

// errUnknownPerson means that nobody can tell yet how a person belongs to the
// installation that was asked.
var errUnknownPerson = errors.New("nobody can tell whose person it is")

// mayAnswer is the one place that decides who may answer. It knows nothing but
// the record and what the platform vouched for.
func mayAnswer(r *Record, i Interaction) bool {
	if i.Bot || i.Person.ID == "" {
		return false
	}
	who, direct := i.Person.Key(), addressed(r, i.Person)
	switch {
	case slices.Contains(r.Requesters, who) && slices.Contains(r.Responders, ask.NotRequester):
		return false
	case i.Membership == ask.Unknown && !direct:
		return false
	case slices.Contains(r.Responders, who):
		return true
	case slices.ContainsFunc(i.Groups, func(group string) bool { return slices.Contains(r.Responders, group) }):
		return true
	}
	return slices.Contains(r.Responders, ask.Anyone) && (i.Membership == ask.Member || direct)
}

// addressed reports whether a direct message of the request was sent to the
// person.
func addressed(r *Record, p ask.Person) bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool {
		return c.Target.User != "" && c.Target.User == p.ID && c.Target.Platform == p.Platform
	})
}

// join asks the platform what decides whether the person may answer and did not
// come with the interaction: which of the record's groups they belong to, and
// how they belong to the installation. Groups that cannot be looked up count as
// somebody else's.
func (b *Bridge) join(ctx context.Context, r *Record, i Interaction) (Interaction, error) {
	p := b.platforms[i.Person.Platform]
	if finder, ok := p.(GroupFinder); ok {
		if among := b.groups(r, finder); len(among) > 0 {
			mine, err := finder.GroupsOf(ctx, i.Person, among)
			i.Groups = append(slices.Clip(i.Groups), mine...)
			if err != nil || mayAnswer(r, i) {
				return i, err
			}
		}
	}
	if i.Membership.Settled() || !slices.Contains(r.Responders, ask.Anyone) && i.Membership != ask.Unknown {
		return i, nil
	}
	finder, ok := p.(MembershipFinder)
	if !ok {
		return i, errUnknownPerson
	}
	var err error
	if i.Membership, err = finder.MembershipOf(ctx, i); err == nil && !i.Membership.Settled() {
		err = errUnknownPerson
	}
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
	if p, ok := b.platforms[i.Person.Platform].(GroupFinder); ok {
		i.Groups = append(slices.Clip(i.Groups), b.groups(r, p)...)
	}
	if !i.Membership.Settled() {
		i.Membership = ask.Member
	}
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
