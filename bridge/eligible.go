package bridge

import (
	"context"
	"errors"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// errUnknownPerson means that nobody can tell yet how a person belongs to the
// installation that was asked.
var errUnknownPerson = errors.New("nobody can tell whose person it is")

// lookUp asks the platform what decides whether the person may answer and did not
// come with the interaction: which of the record's groups they belong to, and
// how they belong to the installation. Groups that cannot be looked up count as
// somebody else's.
func (ps *platforms) lookUp(ctx context.Context, r *Record, i platform.Interaction, a record.Act) (record.Act, error) {
	var err error
	if a.By, err = ps.withGroups(ctx, a.By, policiesOf(r)...); err != nil {
		return a, err
	}
	if r.MayAnswer(a) || !record.DependsOnMembership(r, a) {
		return a, nil
	}
	a.By, err = ps.withMembership(ctx, a.By, i)
	return a, err
}

// lookUpNext is lookUp for somebody to whom a request shall be passed on. It returns why
// nobody can tell where that is so.
func (ps *platforms) lookUpNext(ctx context.Context, r *Record, to ask.Responder) (ask.Responder, record.WhyNot) {
	to, err := ps.withGroups(ctx, to, r.Schedule.PassTo)
	if err == nil && !to.Membership.Settled() {
		to, err = ps.withMembership(ctx, to, platform.Interaction{Person: to.Person})
	}
	if err != nil {
		return to, record.ToUnknown
	}
	return to, ""
}

// withGroups adds to what is known of a person those groups of the policies that they belong
// to, where the platform has to be asked.
func (ps *platforms) withGroups(ctx context.Context, who ask.Responder, policies ...ask.Policy) (ask.Responder, error) {
	finder, ok := ps.named[who.Platform].(platform.GroupFinder)
	if !ok {
		return who, nil
	}
	among := groups(finder, policies...)
	if len(among) == 0 {
		return who, nil
	}
	theirs, err := finder.GroupsOf(ctx, who.Person, among)
	who.Groups = append(slices.Clip(who.Groups), theirs...)
	return who, err
}

// withMembership adds how a person belongs to the installation, which the platform is asked.
func (ps *platforms) withMembership(ctx context.Context, who ask.Responder, i platform.Interaction) (ask.Responder, error) {
	finder, ok := ps.named[who.Platform].(platform.MembershipFinder)
	if !ok {
		return who, errUnknownPerson
	}
	var err error
	if who.Membership, err = finder.MembershipOf(ctx, i); err == nil && !who.Membership.Settled() {
		err = errUnknownPerson
	}
	return who, err
}

// policiesOf are those by which somebody may answer: the record's own, and that of whom it can
// be passed on to.
func policiesOf(r *Record) []ask.Policy {
	if r.Schedule == nil {
		return []ask.Policy{r.Policy}
	}
	return []ask.Policy{r.Policy, r.Schedule.PassTo}
}

// groups are the entries of policies that only the platform can tell the members of.
func groups(p platform.GroupFinder, policies ...ask.Policy) []string {
	prefixes := p.Prefixes()
	var among []string
	for _, policy := range policies {
		for e := range policy.Entries() {
			if slices.Contains(prefixes, e.Prefix()) && !slices.Contains(among, e.String()) {
				among = append(among, e.String())
			}
		}
	}
	return among
}

// undecided reports whether only a look-up can tell if the person may answer.
func (ps *platforms) undecided(r *Record, a record.Act) bool {
	if p, ok := ps.named[a.By.Platform].(platform.GroupFinder); ok {
		a.By.Groups = append(slices.Clip(a.By.Groups), groups(p, policiesOf(r)...)...)
	}
	return r.MayAnswer(a) || record.DependsOnMembership(r, a)
}
