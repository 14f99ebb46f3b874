package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Voting is how several people decide one request. What it says of people was copied
// from the configuration when the request was made, so that every replica counts the
// same for as long as the request lives.
type Voting struct {
	// Rule has no words in it, see [ask.Voting.Resolve].
	Rule ask.Voting
	// Roster are the humans who may vote, where that is a closed list; else nil.
	Roster []string
	// Links tells which human an account such as "slack:U1" belongs to. An account
	// without a link is a human of its own on its platform.
	Links map[string]string
	// Ballots are the last acts of each account, in the order in which they were
	// stored. They are gone when the request has ended.
	Ballots []Ballot
}

// Sort says what a ballot is.
type Sort string

// The sorts of ballots.
const (
	// ForChoice is for what stands in Picks.
	ForChoice Sort = ""
	// ForDismissal is for ending the request without an answer.
	ForDismissal Sort = "d"
	// TakenBack is no vote any more. It stays, so that an older act which is delivered
	// again is known to be older.
	TakenBack Sort = "w"
)

// Ballot is what one account wants. It is never changed once it is stored.
type Ballot struct {
	By ask.Person
	// As is the account that it counts as, where By is none of a platform: whoever acts
	// over the API is known there by an account.
	As   string
	Sort Sort
	// Picks is the choice for each question.
	Picks []ask.Pick
	// Reply is what came with a dismissal.
	Reply string
	At    time.Time
	// Order and Mark are those of the act.
	Order int64
	Mark  string
	// Said names the message that it was typed in; empty where it was pressed.
	Said string
}

// account is whose ballot it is.
func (b Ballot) account() string {
	if b.As != "" {
		return b.As
	}
	return b.By.Key()
}

// human is who stands behind an account.
func (v *Voting) human(account string) string {
	if name, linked := v.Links[account]; linked {
		return name
	}
	return account
}

// last returns the last ballot of an account, and whether there is one.
func (v *Voting) last(account string) (Ballot, bool) {
	for _, b := range v.Ballots {
		if b.By.Key() == account {
			return b, true
		}
	}
	return Ballot{}, false
}

// live returns the one ballot of each human that counts, in the order of the store.
func (v *Voting) live() []Ballot {
	newest := map[string]int{}
	for n, b := range v.Ballots {
		newest[v.human(b.account())] = n
	}
	var live []Ballot
	for n, b := range v.Ballots {
		if b.Sort != TakenBack && newest[v.human(b.account())] == n {
			live = append(live, b)
		}
	}
	return live
}

// vote judges an act where several people decide. Who acts may answer, and the act
// fits the questions.
func (r *Record) vote(a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	v, account := r.Voting, a.By.Key()
	b := Ballot{By: a.By.Person, At: now, Order: a.Order, Mark: mark, Said: typedMark(a.Said)}
	if a.By.Platform == ask.API {
		if b.As = r.known(a.By); b.As == "" {
			return Decision{Verdict: Forbidden}, false // Nobody could tell whether they have voted.
		}
	}
	last, acted := v.last(account)
	voted := slices.ContainsFunc(v.live(), func(other Ballot) bool { return v.human(other.account()) == v.human(b.account()) })
	switch {
	case acted && last.Mark == mark:
		return Decision{Verdict: Repeated}, false
	case acted && a.Order < last.Order:
		return Decision{Verdict: Stale}, false
	case voted && !v.Rule.Changeable():
		return Decision{Verdict: Final}, false
	}
	switch a.Action.Kind {
	case ask.TakeBack:
		if !voted {
			return Decision{Verdict: Unvoted}, false
		}
		b.Sort = TakenBack
	case ask.Reply, ask.Dismiss:
		if b.Sort, b.Reply = ForDismissal, a.Action.Text(); a.Action.Kind == ask.Dismiss {
			b.Reply = ""
		} else if b.Reply == "" {
			return Decision{Verdict: Incomplete}, false
		}
	default:
		draft, result := r.drafted(a, account)
		if result.Verdict != "" {
			return result, false
		}
		if !a.Action.Finishes(r.Questions, draft, false) {
			r.keep(account, draft, mark)
			return Decision{Verdict: Recorded, Missing: r.leftOut(a, draft)}, true
		}
		if missing := draft.Missing(r.Questions); len(missing) > 0 {
			return r.incomplete(a, mark, missing)
		}
		if a.Action.Kind == ask.Fill {
			r.keep(account, draft, mark) // The next form is laid over it.
		}
		for q := range r.Questions {
			p := draft[q]
			b.Picks = append(b.Picks, ask.Pick{Selected: p.Selected, Other: p.Other, Skipped: p.Skipped, Note: ask.Note{Text: p.Note.Text}})
		}
	}
	return r.cast(b, a, m, now), true
}

// known returns the account that somebody who acts over the API has on a platform of the request, preferably one that the
// vote links to a human; empty if there is none.
func (r *Record) known(who ask.Responder) string {
	account := ""
	for _, other := range who.Groups {
		e, ok := ask.ParseEntry(other)
		there := slices.ContainsFunc(r.Copies, func(c Copy) bool { return c.Target.Platform == e.Platform })
		if !ok || e.Word != "" || e.Kind != "" || !there {
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

// cast puts a ballot in the place of the last one of its account, and ends the request
// if that decides it.
func (r *Record) cast(b Ballot, a Act, m DraftMode, now time.Time) Decision {
	v := r.Voting
	before := v.Ballots
	v.Ballots = replaced(v.Ballots, b)
	if o, decided := r.result(b); decided {
		result := r.decided(o, a, m, now)
		if r.Held != nil {
			r.Held.Before = before
		}
		return result
	}
	r.counted(b.Mark, a.Message, m.Redraws, now)
	return Decision{Verdict: Counted}
}

// counted takes note of a vote that decides nothing by itself.
func (r *Record) counted(mark string, used MessageRef, redraws bool, now time.Time) {
	r.noted(mark)
	if r.Voting.Rule.Show != ask.ShowSealed {
		r.progress(used, redraws, now)
	}
}

// replaced are ballots with one in the place of the last one of its account.
func replaced(ballots []Ballot, b Ballot) []Ballot {
	return append(slices.DeleteFunc(slices.Clone(ballots), func(old Ballot) bool { return old.By.Key() == b.By.Key() }), b)
}

// result is how the request ends with the ballot that was cast last, if it does.
func (r *Record) result(b Ballot) (ask.Outcome, bool) {
	v := r.Voting
	against := only(v.live(), func(b Ballot) bool { return b.Sort == ForDismissal })
	if b.Sort == ForDismissal && r.support(against) >= v.Rule.ToDismiss() {
		if b.Reply != "" {
			return ask.Replying(b.By, b.Reply), true
		}
		return ask.Dismissal(b.By), true
	}
	if v.Rule.Mode == ask.Poll && !v.allVoted() {
		return ask.Outcome{}, false
	}
	o, _ := r.settled()
	o.By = b.By
	return o, o.State == ask.Answered
}

// allVoted reports whether everybody of a closed list has a vote.
func (v *Voting) allVoted() bool {
	if len(v.Roster) == 0 {
		return false
	}
	voted := map[string]bool{}
	for _, b := range v.live() {
		voted[v.human(b.account())] = true
	}
	return !slices.ContainsFunc(v.Roster, func(human string) bool { return !voted[human] })
}

// progress makes every card stale that shows how a vote stands, but for the one that
// the reply to the act draws anew.
func (r *Record) progress(used MessageRef, redraws bool, now time.Time) {
	r.anew(now)
	for n := range r.Copies {
		c := &r.Copies[n]
		if redraws && c.Ref == used && used != (MessageRef{}) && c.Rendered == r.Revision-1 {
			c.Rendered = r.Revision
		}
	}
	r.lag(now)
}
