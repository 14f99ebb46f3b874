package respond

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
)

// errUnknownPerson means that the membership of a person is unknown.
var errUnknownPerson = errors.New("membership of the person is unknown")

// lookUp asks the platform for what decides whether the person may answer and was not in
// the interaction: groups of the record's policies, and membership. Groups that cannot
// be looked up do not count.
func (l *Lookup) lookUp(ctx context.Context, r *record.Record, i platform.Interaction, a record.Act) (record.Act, error) {
	var err error
	if a.By, err = l.withGroups(ctx, a.By, policiesOf(r)...); err != nil {
		return a, err
	}
	if r.MayAnswer(a) || !record.DependsOnMembership(r, a) {
		return a, nil
	}
	a.By, err = l.withMembership(ctx, a.By, i)
	return a, err
}

// lookUpNext is lookUp for the successor of a request. It returns a
// reason if the look-up fails.
func (l *Lookup) lookUpNext(ctx context.Context, r *record.Record, to ask.Responder) (ask.Responder, record.WhyNot) {
	to, err := l.withGroups(ctx, to, r.Schedule.PassTo)
	if err == nil && !to.Membership.Settled() {
		to, err = l.withMembership(ctx, to, platform.Interaction{Person: to.Person})
	}
	if err != nil {
		return to, record.ToUnknown
	}
	return to, ""
}

// withGroups adds the groups of the policies to which a person belongs.
func (l *Lookup) withGroups(ctx context.Context, who ask.Responder, policies ...ask.Policy) (ask.Responder, error) {
	finder, ok := l.Platforms.Named[who.Platform].(platform.GroupFinder)
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

// withMembership adds a person's membership of the installation.
func (l *Lookup) withMembership(ctx context.Context, who ask.Responder, i platform.Interaction) (ask.Responder, error) {
	finder, ok := l.Platforms.Named[who.Platform].(platform.MembershipFinder)
	if !ok {
		return who, errUnknownPerson
	}
	var err error
	if who.Membership, err = finder.MembershipOf(ctx, i); err == nil && !who.Membership.Settled() {
		err = errUnknownPerson
	}
	return who, err
}

// policiesOf returns the record's policy and that of possible successors.
func policiesOf(r *record.Record) []ask.Policy {
	if r.Schedule == nil {
		return []ask.Policy{r.Policy}
	}
	return []ask.Policy{r.Policy, r.Schedule.PassTo}
}

// groups returns the group entries of policies.
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

// undecided reports whether a look-up can decide that the person may answer.
func (l *Lookup) undecided(r *record.Record, a record.Act) bool {
	if p, ok := l.Platforms.Named[a.By.Platform].(platform.GroupFinder); ok {
		a.By.Groups = append(slices.Clip(a.By.Groups), groups(p, policiesOf(r)...)...)
	}
	return r.MayAnswer(a) || record.DependsOnMembership(r, a)
}

// offer returns what the person can do now, after the same look-ups as for judging an act.
func (l *Lookup) offer(ctx context.Context, i platform.Interaction, x acted) (record.Offer, error) {
	a := x.a
	if !x.r.MayAnswer(a) && l.undecided(x.r, a) {
		ctx, cancel := context.WithTimeoutCause(ctx, clickBudget, errors.New("look-up too slow for a click"))
		defer cancel()
		var err error
		if a, err = l.lookUp(ctx, x.r, i, a); err != nil {
			return record.Offer{}, fmt.Errorf("%w: %w", errUnchecked, err)
		}
	}
	return record.OfferTo(x.r, a), nil
}

// nameBudget bounds the look-up of a name during an interaction.
const nameBudget = 700 * time.Millisecond

// withName adds a person's display name if the platform did not send it.
func (l *Lookup) withName(ctx context.Context, who ask.Person) ask.Person {
	namer, able := l.Platforms.Named[who.Platform].(platform.Namer)
	if who.Name != "" || !able {
		return who
	}
	ctx, cancel := context.WithTimeout(ctx, nameBudget)
	defer cancel()
	who.Name = namer.NameOf(ctx, who)
	return who
}

// mode returns how a platform shows drafts and knows people.
func (l *Lookup) mode(name string) record.DraftMode {
	p, ok := l.Platforms.Named[name]
	if !ok {
		return record.DraftMode{}
	}
	_, finds := p.(platform.GroupFinder)
	return record.DraftMode{Shared: p.Limits().SharedDraft, Redraws: p.Limits().RedrawInReply, Ungrouped: !finds}
}

// redraws reports whether the reply to an act draws its card.
func (l *Lookup) redraws(r *record.Record, a record.Act, v record.Verdict) bool {
	return l.mode(a.By.Platform).Redraws && !a.Private && a.Message != (platform.MessageRef{}) && record.RedrawsCard(r, a, v)
}

// Lookup asks platforms for what an interaction does not contain.
type Lookup struct{ Platforms *deliver.Platforms }
