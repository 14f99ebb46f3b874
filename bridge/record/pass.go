package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Pass is a step that somebody took: they passed the request on to somebody else, who may
// answer in their place. It is never changed once it is stored.
type Pass struct {
	By, To ask.Person
	// Out are the accounts of whoever passed it on. None of them may answer any more.
	Out []string
	// Mark is that of the act.
	Mark string
}

// WhyNot says why a request was not passed on to somebody.
type WhyNot string

// Why not.
const (
	// ToNobody: nobody was chosen.
	ToNobody WhyNot = "nobody"
	// ToThemselves: they chose themselves.
	ToThemselves WhyNot = "themselves"
	// ToBarred: the other one may not answer such a request, whoever passes it on.
	ToBarred WhyNot = "barred"
	// ToUnknown: nobody can tell whether the other one may, see [Record.Judge].
	ToUnknown WhyNot = "unknown"
	// ToPasser: the other one has passed it on.
	ToPasser WhyNot = "passer"
	// ToVoter: the other one votes on it already.
	ToVoter WhyNot = "voter"
	// ToApart: with the other one in the place of the person, fewer could be told apart of those
	// who vote than it takes.
	ToApart WhyNot = "apart"
	// HasVoted: the person has a vote, which they would have to take back.
	HasVoted WhyNot = "voted"
	// TooOften: it was passed on [ask.MaxPasses] times.
	TooOften WhyNot = "often"
)

// pass has somebody else answer in the place of who acts, who may answer. It is a step that
// happens at once, behind those that have: whom it is passed on to hears of it as of any
// other, and the steps to come tell them in place of who passed it on.
func (r *Record) pass(a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	s := r.Schedule
	if s == nil || s.PassTo.IsZero() {
		return Decision{Verdict: Unknown}, false
	}
	out := r.accounts(a.By)
	if why := r.whyNot(a.Action.To, out); why != "" {
		return Decision{Verdict: NotPassed, Why: why}, false
	}
	to := a.Action.To.Person
	place := ask.Place{Platform: to.Platform, Installation: r.installation(a.Message, to), User: to.ID}
	at := asStored(now)
	step := Step{At: at, Do: ask.HandOver, Who: []string{to.Key()}, Places: []ask.Place{place}, Pass: &Pass{By: a.By.Person, To: to, Out: out, Mark: mark}}
	s.Steps = slices.Insert(slices.Clone(s.Steps), s.Done, step)
	s.Done++
	for n := s.Done; n < len(s.Steps); n++ {
		s.Steps[n].Who = r.instead(s.Steps[n].Who)
	}
	if s.Claim != nil && slices.Contains(out, s.Claim.By.Key()) {
		s.Claim = nil
	}
	if v := r.Voting; v != nil && v.Roster != nil {
		v.Roster = v.handedOver(out, to)
	}
	delete(r.Drafts, a.By.Key())
	if !slices.ContainsFunc(r.Copies, func(c Copy) bool { return own(c, to) }) && (!m.Ungrouped || r.allowsAlone(a.Action.To)) {
		done := r.happened()
		r.Copies = append(r.Copies, Copy{Target: place, State: Delayed, Step: s.Done, Said: done, Saying: done})
	}
	r.noted(mark)
	r.progress(a.Message, m.Redraws, now)
	r.DeliveryDue = now.Add(r.lease())
	return Decision{Verdict: Passed}, true
}

// whyNot is why the request cannot be passed on to somebody by whoever has the accounts;
// empty when it can.
func (r *Record) whyNot(to ask.Responder, out []string) WhyNot {
	passes := r.passes()
	known := r.Responder(to)
	known.Addressed = false
	switch v := r.Voting; {
	case to.ID == "":
		return ToNobody
	case slices.Contains(out, to.Key()):
		return ToThemselves
	case r.PassedOn(to).ID != "":
		return ToPasser
	case len(passes) >= ask.MaxPasses:
		return TooOften
	case !slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Target.Platform == to.Platform }), !r.Schedule.PassTo.Allows(known):
		return ToBarred
	case v == nil:
		return ""
	case slices.ContainsFunc(v.live(), func(b Ballot) bool { return slices.Contains(out, b.account()) }):
		return HasVoted
	case slices.Contains(v.Roster, v.human(to.Key())), slices.ContainsFunc(v.live(), func(b Ballot) bool { return v.human(b.account()) == v.human(to.Key()) }):
		return ToVoter
	case v.Roster != nil && r.reach(v.accountsOf(v.handedOver(out, to.Person))) < v.Rule.Most():
		return ToApart
	}
	return ""
}

// handedOver is the closed list of those who vote with somebody in the place of whoever has the
// accounts.
func (v *Voting) handedOver(out []string, to ask.Person) []string {
	roster := slices.Clone(v.Roster)
	for n, human := range roster {
		if slices.ContainsFunc(out, func(account string) bool { return v.human(account) == human }) {
			roster[n] = v.human(to.Key())
		}
	}
	return roster
}

// accountsOf are those of humans, as far as they are known.
func (v *Voting) accountsOf(humans []string) []string {
	var all []string
	for account, human := range v.Links {
		if slices.Contains(humans, human) {
			all = append(all, account)
		}
	}
	for _, human := range humans {
		if !slices.ContainsFunc(all, func(account string) bool { return v.human(account) == human }) {
			all = append(all, human) // Without a link it is the account.
		}
	}
	return all
}

// accounts are those of who acts, as far as they are known: of a person with linked
// accounts all.
func (r *Record) accounts(who ask.Responder) []string {
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

// installation is where the person belongs: to what the card on which they were chosen was
// sent to, or else the first one on their platform.
func (r *Record) installation(chosen MessageRef, to ask.Person) string {
	if chosen.Platform == to.Platform {
		return r.At(chosen).Target.Installation
	}
	n := slices.IndexFunc(r.Copies, func(c Copy) bool { return c.Target.Platform == to.Platform })
	return r.Copies[n].Target.Installation
}

// own reports whether a copy was sent to the person alone.
func own(c Copy, who ask.Person) bool {
	return c.Target.Platform == who.Platform && c.Target.User == who.ID
}

// passes are all that were stored, oldest first.
func (r *Record) passes() []*Pass {
	if r.Schedule == nil {
		return nil
	}
	var all []*Pass
	for _, s := range r.Schedule.Steps {
		if s.Pass != nil {
			all = append(all, s.Pass)
		}
	}
	return all
}

// PassedOn is who has it now of whom somebody has passed the request on to, zero where they have not.
func (r *Record) PassedOn(who ask.Responder) (to ask.Person) {
	accounts := append(slices.Clip(who.Groups), who.Key())
	for _, p := range r.passes() {
		if slices.ContainsFunc(p.Out, func(key string) bool { return slices.Contains(accounts, key) }) {
			to, accounts = p.To, []string{p.To.Key()}
		}
	}
	return to
}

// out reports whether the account's owner has passed the request on.
func (r *Record) out(account string) bool {
	return slices.ContainsFunc(r.passes(), func(p *Pass) bool { return slices.Contains(p.Out, account) })
}

// passedTo reports whether somebody has passed the request on to who may answer such ones.
func (r *Record) passedTo(who ask.Responder) bool {
	return slices.ContainsFunc(r.passes(), func(p *Pass) bool {
		return p.To.Key() == who.Key() || slices.Contains(who.Groups, p.To.Key())
	}) && r.Schedule.PassTo.Allows(who)
}

// allowsAlone reports whether whom it is passed on to may answer in a direct message where
// nobody's groups are known there.
func (r *Record) allowsAlone(to ask.Responder) bool {
	who := r.Responder(to)
	who.Addressed, who.Membership = true, ask.Unknown
	who.Groups = slices.DeleteFunc(slices.Clone(who.Groups), func(key string) bool {
		e, _ := ask.ParseEntry(key)
		return e.Kind != ""
	})
	return r.Policy.Allows(who) || r.Schedule.PassTo.Allows(who)
}

// instead returns a list of who is told with those whom it was passed on to in place of
// who passed it on.
func (r *Record) instead(list []string) []string {
	for _, p := range r.passes() {
		if !slices.ContainsFunc(list, func(who string) bool { return slices.Contains(p.Out, who) }) {
			continue
		}
		list = slices.DeleteFunc(slices.Clone(list), func(who string) bool { return slices.Contains(p.Out, who) })
		if to := p.To.Key(); !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	return list
}

// Asked is the policy as people are told of it, with those whom it was passed on to in place
// of who passed it on.
func (r *Record) Asked() ask.Policy {
	if len(r.passes()) == 0 {
		return r.Policy
	}
	return r.Policy.With(func(e ask.Entry) []string { return r.instead([]string{e.String()}) })
}

// toldBelow reports whether what a step says is said below the card. Whom a request was
// passed on to has a card of their own, which says it. Where they had one before, it is said
// below that one; and where the platform does not let us send one, or they could not answer
// on it, below the first card that stands there for all to see.
func (r *Record) toldBelow(step int, c Copy) bool {
	p := r.Schedule.Steps[step].Pass
	if p == nil {
		return true
	}
	first := func(is func(Copy) bool) (Copy, bool) {
		n := slices.IndexFunc(r.Copies, is)
		if n < 0 {
			return Copy{}, false
		}
		return r.Copies[n], true
	}
	if card, sent := first(func(c Copy) bool { return c.Step == step+1 }); sent && card.State != Undeliverable {
		return false
	}
	if card, had := first(func(c Copy) bool { return own(c, p.To) && c.State != Undeliverable }); had {
		return card.Ref == c.Ref
	}
	card, there := first(func(c Copy) bool {
		return c.Target.Platform == p.To.Platform && c.Target.User == "" && c.State == Posted && !c.Adopted
	})
	return there && card.Ref == c.Ref
}
