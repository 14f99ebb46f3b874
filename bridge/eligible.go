package bridge

import (
	"context"
	"errors"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// errUnknownPerson means that nobody can tell yet how a person belongs to the
// installation that was asked.
var errUnknownPerson = errors.New("nobody can tell whose person it is")

// join asks the platform what decides whether the person may answer and did not
// come with the interaction: which of the record's groups they belong to, and
// how they belong to the installation. Groups that cannot be looked up count as
// somebody else's.
func (pp *people) join(ctx context.Context, r *Record, i Interaction, a record.Act) (record.Act, error) {
	p := pp.platforms.named[i.Person.Platform]
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

// meet asks the platform of somebody to whom a request shall be passed on what join asks
// of a person who acts. It returns why nobody can tell where that is so.
func (pp *people) meet(ctx context.Context, r *Record, to ask.Responder) (ask.Responder, record.WhyNot) {
	p := pp.platforms.named[to.Platform]
	if finder, ok := p.(GroupFinder); ok {
		if among := grouped(r.Schedule.PassTo, finder); len(among) > 0 {
			theirs, err := finder.GroupsOf(ctx, to.Person, among)
			if to.Groups = append(slices.Clip(to.Groups), theirs...); err != nil {
				return to, record.ToUnknown
			}
		}
	}
	if to.Membership.Settled() {
		return to, ""
	}
	finder, ok := p.(MembershipFinder)
	if !ok {
		return to, record.ToUnknown
	}
	var err error
	if to.Membership, err = finder.MembershipOf(ctx, Interaction{Person: to.Person}); err != nil || !to.Membership.Settled() {
		return to, record.ToUnknown
	}
	return to, ""
}

// groups are the entries of the record's policies that only the platform can tell
// the members of.
func groups(r *Record, p GroupFinder) []string {
	among := grouped(r.Policy, p)
	if r.Schedule == nil || r.Schedule.PassTo.IsZero() {
		return among
	}
	for _, entry := range grouped(r.Schedule.PassTo, p) {
		if !slices.Contains(among, entry) {
			among = append(among, entry)
		}
	}
	return among
}

// grouped are those entries of one policy.
func grouped(policy ask.Policy, p GroupFinder) []string {
	prefixes := p.Prefixes()
	var among []string
	for e := range policy.Entries() {
		if slices.Contains(prefixes, e.Prefix()) && !slices.Contains(among, e.String()) {
			among = append(among, e.String())
		}
	}
	return among
}

// undecided reports whether only a look-up can tell if the person may answer.
func (ps *platforms) undecided(r *Record, a record.Act) bool {
	if p, ok := ps.named[a.By.Platform].(GroupFinder); ok {
		a.By.Groups = append(slices.Clip(a.By.Groups), groups(r, p)...)
	}
	return r.MayAnswer(a) || r.HangsOnMembership(a)
}
