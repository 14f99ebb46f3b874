package record

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// MayAnswer is the one place that decides who may answer. It depends on nothing but the record and on
// what the platform reports about the person. Only the addressee of a card may use it, wherever the
// platform had to post it. If the card is unknown, people may answer who were sent one, or everyone
// the policy allows if a card is public. With [ask.NotRequester] in the policy, an answer over the API
// needs an account on a platform of the request.
func (r *Record) MayAnswer(a Act) bool {
	who := r.Responder(a.By)
	if who.Platform == ask.API && r.Policy.Has(ask.NotRequester) && accountOf(r, who) == "" {
		return false // They could be the requester.
	}
	if who.Platform == ask.API || a.Message == (MessageRef{}) {
		return (who.Addressed || r.Copies.public()) && allows(r, who)
	}
	return r.mayUse(r.Copies.At(a.Message), a.By)
}

// Awaits reports whether an open request waits for someone: they may answer it, and they have not voted yet. A
// decision that can still be undone waits for no one.
func Awaits(r *Record, who ask.Responder) bool {
	if !r.Open() || r.Held != nil || !r.MayAnswer(Act{By: who}) {
		return false
	}
	return r.Voting == nil || !slices.ContainsFunc(accountsOf(r, who), r.Voting.hasVoted)
}

// mayUse reports whether someone may answer on a copy.
func (r *Record) mayUse(c Copy, who ask.Responder) bool {
	return (c.Target.User == "" || c.Target.User == who.ID) && allows(r, r.Responder(who))
}

// allows reports whether the policy allows someone to answer, or the request was passed on to them.
// People who have passed it on may not answer any more.
func allows(r *Record, who ask.Responder) bool {
	return Successor(r, who).ID == "" && (r.Policy.Allows(who) || r.Schedule.passedTo(who))
}

// Responder adds what the record knows of a person to what the platform reports. The groups of people
// with several accounts, or who answer over the API, include their other accounts, as in
// "slack:U0000001".
func (r *Record) Responder(who ask.Responder) ask.Responder {
	is := func(key string) bool { return key == who.Key() || slices.Contains(who.Groups, key) }
	who.Addressed = slices.ContainsFunc(r.Copies, func(c Copy) bool {
		return c.Target.User != "" && is(c.addressee().Key())
	})
	who.Requester = slices.ContainsFunc(r.Requesters, is)
	return who
}

// DependsOnMembership reports whether a person's unknown membership in the installation is all that
// decides whether they may answer.
func DependsOnMembership(r *Record, a Act) bool {
	if a.By.Membership.Settled() {
		return false
	}
	a.By.Membership = ask.Member
	return r.MayAnswer(a)
}

// Successor is the last person in the chain of passes that who began; zero if who has not passed the
// request on.
func Successor(r *Record, who ask.Responder) ask.Person { return r.Schedule.successor(who) }

// AskedPolicy is the policy as cards show it, with the recipients of passes in place of those who
// passed the request on.
func AskedPolicy(r *Record) ask.Policy {
	if len(r.Schedule.passes()) == 0 {
		return r.Policy
	}
	return r.Policy.With(func(e ask.Entry) []string { return r.Schedule.replacePassers([]string{e.String()}) })
}

// accountOf returns the account that someone who acts over the API has on a platform of the request,
// preferably one that the vote links to a human; empty if there is none.
func accountOf(r *Record, who ask.Responder) string {
	account := ""
	for _, other := range who.Groups {
		e, ok := ask.ParseEntry(other)
		if !ok || e.Word != "" || e.Kind != "" || !r.Copies.on(e.Platform) {
			continue
		}
		if r.Voting != nil {
			if _, linked := r.Voting.Links[other]; linked {
				return other
			}
		}
		if account == "" {
			account = other
		}
	}
	return account
}

// accountsOf returns all known accounts of someone, including linked ones.
func accountsOf(r *Record, who ask.Responder) []string {
	all := []string{who.Key()}
	add := func(account string) {
		if e, ok := ask.ParseEntry(account); ok && e.Word == "" && e.Kind == "" && !slices.Contains(all, account) {
			all = append(all, account)
		}
	}
	for _, other := range who.Groups {
		add(other)
	}
	if v := r.Voting; v != nil {
		var linked []string
		for account, human := range v.Links {
			if slices.ContainsFunc(all, func(mine string) bool { return v.Links[mine] == human }) {
				linked = append(linked, account)
			}
		}
		slices.Sort(linked)
		for _, account := range linked {
			add(account)
		}
	}
	return all
}
