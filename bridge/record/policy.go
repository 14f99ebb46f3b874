package record

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// MayAnswer is the one place that decides who may answer. It knows nothing but
// the record and what the platform vouched for. A card that was sent to one
// person is theirs alone, wherever the platform had to put it. Where nobody says which card was
// used, whoever was sent one may answer, or everybody if one is in public. With [ask.NotRequester] in the policy, an answer
// over the API needs an account on a platform of the request.
func (r *Record) MayAnswer(a Act) bool {
	who := r.Responder(a.By)
	if who.Platform == ask.API && r.Policy.Has(ask.NotRequester) && r.known(who) == "" {
		return false // They could be the requester.
	}
	if who.Platform == ask.API || a.Message == (MessageRef{}) {
		return (who.Addressed || r.public()) && r.allows(who)
	}
	to := r.Addressee(a.Message)
	return (to == "" || to == a.By.ID) && r.allows(who)
}

// allows reports whether the policy lets somebody answer, or they are the one to whom
// somebody has passed the request on. Who has passed it on may not any more.
func (r *Record) allows(who ask.Responder) bool {
	return r.PassedOn(who).ID == "" && (r.Policy.Allows(who) || r.passedTo(who))
}

// public reports whether a card of the request was sent to anybody but one person.
// Only then may somebody answer over the API who was sent none.
func (r *Record) public() bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Target.User == "" })
}

// Responder is what the policy judges: what the platform vouches for, and what
// the record knows of the person. Whoever has several accounts, or answers over the API, has
// who they are elsewhere, as in "slack:U0000001", among their groups.
func (r *Record) Responder(who ask.Responder) ask.Responder {
	is := func(key string) bool { return key == who.Key() || slices.Contains(who.Groups, key) }
	who.Addressed = slices.ContainsFunc(r.Copies, func(c Copy) bool {
		return c.Target.User != "" && is(ask.Person{Platform: c.Target.Platform, ID: c.Target.User}.Key())
	})
	who.Requester = slices.ContainsFunc(r.Requesters, is)
	return who
}

// Addressee is the person whom the card at ref was sent to; empty for a card in
// a channel and for one that the record does not know.
func (r *Record) Addressee(ref MessageRef) string { return r.At(ref).Target.User }

// HangsOnMembership reports whether it depends on nothing but how the person
// belongs to the installation, which is not known yet, if they may answer.
func (r *Record) HangsOnMembership(a Act) bool {
	if a.By.Membership.Settled() {
		return false
	}
	a.By.Membership = ask.Member
	return r.MayAnswer(a)
}
