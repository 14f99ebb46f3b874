package bridge

import (
	"context"
	"errors"
	"slices"

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
func (pp *people) undecided(r *Record, a record.Act) bool {
	if p, ok := pp.platforms.named[a.By.Platform].(GroupFinder); ok {
		a.By.Groups = append(slices.Clip(a.By.Groups), groups(r, p)...)
	}
	return r.MayAnswer(a) || r.HangsOnMembership(a)
}
