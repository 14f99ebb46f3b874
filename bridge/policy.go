package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// errUnknownPerson means that nobody can tell yet how a person belongs to the
// installation that was asked.
var errUnknownPerson = errors.New("nobody can tell whose person it is")

// policy is who may answer a request: at most whom its route and its token let
// answer, unless the operator lets the token choose; and of those whom the
// request names.
func (b *Bridge) policy(req *ask.Request, route Route) (ask.Policy, error) {
	lists := [][]string{route.Responders, req.Floor, req.Responders}
	if req.Unbound && req.Responders != nil {
		lists = lists[2:]
	}
	lists = slices.DeleteFunc(lists, func(list []string) bool { return list == nil })
	if len(lists) == 0 {
		lists = [][]string{b.opts.Responders}
	}
	p := ask.PolicyOf(lists[0]...)
	for _, list := range lists[1:] {
		p = p.Narrow(ask.PolicyOf(list...))
	}
	switch {
	case p.Vacant():
		return p, invalid("responders", fmt.Sprintf("names nobody of those who may answer here: %s; a request can only narrow that",
			strings.Join(slices.Concat(lists[:len(lists)-1]...), ", ")))
	case p.Has(ask.NotRequester) && len(req.Requesters) == 0:
		return p, invalid("responders", `"not_requester" needs to know who asks, and this caller's token names nobody`)
	}
	return p, nil
}

func invalid(path, detail string) error {
	return &ask.InvalidError{Problems: []ask.Problem{problem(path, ask.ErrResponders, detail)}}
}

// join asks the platform what decides whether the person may answer and did not
// come with the interaction: which of the record's groups they belong to, and
// how they belong to the installation. Groups that cannot be looked up count as
// somebody else's.
func (b *Bridge) join(ctx context.Context, r *Record, i Interaction, a record.Act) (record.Act, error) {
	p := b.platforms[i.Person.Platform]
	if finder, ok := p.(GroupFinder); ok {
		if among := groups(r, finder); len(among) > 0 {
			mine, err := finder.GroupsOf(ctx, i.Person, among)
			a.By.Groups = append(slices.Clip(a.By.Groups), mine...)
			if err != nil {
				return a, err
			}
		}
	}
	if r.MayAnswer(a) || !r.HangsOnMembership(a) {
		return a, nil
	}
	finder, ok := p.(MembershipFinder)
	if !ok {
		return a, errUnknownPerson
	}
	var err error
	if a.By.Membership, err = finder.MembershipOf(ctx, i); err == nil && !a.By.Membership.Settled() {
		err = errUnknownPerson
	}
	return a, err
}

// groups are the entries of the record's policy that only the platform can tell
// the members of.
func groups(r *Record, p GroupFinder) []string {
	prefixes := p.Prefixes()
	var among []string
	for e := range r.Policy.Entries() {
		if slices.Contains(prefixes, e.Prefix()) && !slices.Contains(among, e.String()) {
			among = append(among, e.String())
		}
	}
	return among
}

// undecided reports whether only a look-up can tell if the person may answer.
func (b *Bridge) undecided(r *Record, a record.Act) bool {
	if p, ok := b.platforms[a.By.Platform].(GroupFinder); ok {
		a.By.Groups = append(slices.Clip(a.By.Groups), groups(r, p)...)
	}
	return r.MayAnswer(a) || r.HangsOnMembership(a)
}

// checkRule checks a configured list of who may answer.
func (b *Bridge) checkRule(path string, responders []string) []ask.Problem {
	return append(ask.CheckResponders(path, responders), b.checkResponders(path, responders)...)
}

// checkResponders asks each platform that a list names whether it knows such
// people.
func (b *Bridge) checkResponders(path string, responders []string) []ask.Problem {
	var problems []ask.Problem
	for n, who := range responders {
		e, ok := ask.ParseEntry(who)
		if !ok || e.Word != "" {
			continue // What cannot be read has been told of.
		}
		prefix := e.Prefix()
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
func (b *Bridge) checkTargets(path string, targets []ask.Place) []ask.Problem {
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
