package record

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// MayAnswer is the one place that decides who may answer. It knows nothing but
// the record and what the platform vouched for. A card that was sent to one
// person is theirs alone, wherever the platform had to put it.
func (r *Record) MayAnswer(a Act) bool {
	to := r.Addressee(a.Message)
	return (to == "" || to == a.By.ID) && r.Policy.Allows(r.Responder(a.By))
}

// Responder is what the policy judges: what the platform vouches for, and what
// the record knows of the person.
func (r *Record) Responder(who ask.Responder) ask.Responder {
	who.Addressed = slices.ContainsFunc(r.Copies, func(c Copy) bool {
		return c.Target.User != "" && c.Target.User == who.ID && c.Target.Platform == who.Platform
	})
	who.Requester = slices.Contains(r.Requesters, who.Key())
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
