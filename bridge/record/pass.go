package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// pass lets another person answer in place of the one who acts, who may answer. It is stored as a step
// that has just happened: its recipient is notified as of any other step, and later steps notify them
// instead of the person who passed the request on.
func pass(r *Record, a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	s := r.Schedule
	if s == nil || s.PassTo.IsZero() {
		return Decision{Verdict: Unknown}, false
	}
	out := accountsOf(r, a.By)
	if why := whyNotPass(r, a.Action.To, out); why != "" {
		return Decision{Verdict: NotPassed, Why: why}, false
	}
	to := a.Action.To.Person
	place := ask.Place{Platform: to.Platform, Installation: installationOf(r, a.Message, to), User: to.ID}
	s.insert(Step{
		At: asStored(now), Do: ask.HandOver, Who: []string{to.Key()}, Places: []ask.Place{place},
		Pass: &Pass{By: a.By.Person, To: to, Out: out, Mark: mark},
	})
	if v := r.Voting; v != nil && v.Roster != nil {
		v.Roster = v.replacing(out, to)
	}
	delete(r.Drafts, a.By.Key())
	hasCard := slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.sentTo(to) })
	if !hasCard && (!m.Ungrouped || allowsWithoutGroups(r, a.Action.To)) {
		done := announcements(r)
		r.Copies = append(r.Copies, Copy{Target: place, State: Delayed, Step: s.Done, Said: done, Saying: done})
	}
	rememberOnce(r, mark)
	redrawOthers(r, a.Message, m.Redraws, now)
	lease(r, now)
	return Decision{Verdict: Passed}, true
}

// whyNotPass is why the owner of the accounts cannot pass the request on to someone; empty if they can.
func whyNotPass(r *Record, to ask.Responder, accounts []string) WhyNot {
	known := r.Responder(to)
	known.Addressed = false
	switch v := r.Voting; {
	case to.ID == "":
		return ToNobody
	case slices.Contains(accounts, to.Key()):
		return ToThemselves
	case Successor(r, to).ID != "":
		return ToPasser
	case len(r.Schedule.passes()) >= ask.MaxPasses:
		return TooOften
	case !r.Copies.on(to.Platform), !r.Schedule.PassTo.Allows(known):
		return ToBarred
	case v == nil:
		return ""
	case slices.ContainsFunc(v.live(), func(b Ballot) bool { return slices.Contains(accounts, b.account()) }):
		return HasVoted
	case slices.Contains(v.Roster, v.human(to.Key())), v.hasVoted(to.Key()):
		return ToVoter
	case v.Roster != nil && v.Reach(v.accountsOf(v.replacing(accounts, to.Person)), r.Copies.platforms()) < v.Rule.Most():
		return ToApart
	}
	return ""
}

// installationOf is the installation of a person: that of the card on which they were chosen, or of the
// first one on their platform.
func installationOf(r *Record, chosen MessageRef, to ask.Person) string {
	if to.Installation != "" {
		return to.Installation
	}
	if chosen.Platform == to.Platform {
		return r.Copies.At(chosen).Target.Installation
	}
	n := slices.IndexFunc(r.Copies, func(c Copy) bool { return c.Target.Platform == to.Platform })
	return r.Copies[n].Target.Installation
}

// allowsWithoutGroups reports whether the recipient of a pass may answer in a direct message, where no
// groups are known.
func allowsWithoutGroups(r *Record, to ask.Responder) bool {
	who := r.Responder(to)
	who.Addressed, who.Membership = true, ask.Unknown
	who.Groups = slices.DeleteFunc(slices.Clone(who.Groups), func(key string) bool {
		e, _ := ask.ParseEntry(key)
		return e.Kind != ""
	})
	return r.Policy.Allows(who) || r.Schedule.PassTo.Allows(who)
}
