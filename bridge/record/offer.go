package record

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// Offer is what a person can do now besides answering.
type Offer struct {
	Reply, Ask, Pass, TakeBack, Undo, Dismiss bool
	// Notes are the questions that take a note.
	Notes []int
}

// OfferTo returns what the person of an act can do on its card, by the rules that judge acts. It is
// empty for people who may not answer.
func OfferTo(r *Record, a Act) Offer {
	switch {
	case !r.Open(), !r.MayAnswer(a), !shown(r, a):
		return Offer{}
	case r.Held != nil:
		return Offer{Undo: mayUndo(r, a.By)}
	}
	voted := r.Voting != nil && r.Voting.hasVoted(a.By.Key())
	o := Offer{Pass: mayPass(r, a.By), Ask: r.AskBack == ask.AskBackStay && len(r.AskedBack) < ask.MaxAskedBack}
	if voted && !r.Voting.Rule.Changeable() {
		return o
	}
	o.Dismiss, o.TakeBack = true, voted
	o.Reply = len(r.Questions) > 1 && !r.Wordless
	o.Ask = o.Ask || r.AskBack == ask.AskBackEnd
	for n, q := range r.Questions {
		if q.Notes {
			o.Notes = append(o.Notes, n)
		}
	}
	return o
}

// mayPass reports whether someone could pass the request on, and on their platform anyone could take it.
func mayPass(r *Record, who ask.Responder) bool {
	if r.Schedule == nil || r.Schedule.PassTo.IsZero() {
		return false
	}
	accounts := accountsOf(r, who)
	takes := func(e ask.Entry) bool {
		if e.Word != "" || e.Kind != "" || e.Platform == ask.OnCall {
			return true // It is decided for the person they choose.
		}
		to := e.Person()
		return e.Platform == who.Platform && whyNotPass(r, ask.Responder{Person: to, Membership: ask.Member}, accounts) == ""
	}
	for _, list := range r.Schedule.PassTo.Lists() {
		if !slices.ContainsFunc(list, takes) {
			return false
		}
	}
	anyone := ask.Responder{Person: ask.Person{Platform: who.Platform, Installation: who.Installation, ID: "-"}, Membership: ask.Member}
	why := whyNotPass(r, anyone, accounts)
	return why != TooOften && why != HasVoted
}
