package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Held is what people have decided and can still undo. The request is open until then,
// so nobody outside hears of it; only its cards show it.
type Held struct {
	// Outcome becomes that of the request at Until, which it has as its time.
	Outcome ask.Outcome
	// Winner and WonAt become those of the record.
	Winner string
	WonAt  MessageRef
	// Revision is that of the cards that show it: an undo is of what stood on the card.
	Revision int64
	Until    time.Time
	// Said and Order are those of the act, as in [Ballot].
	Said  string
	Order int64
	// Before are the ballots from before that act. What is chosen so far is not
	// touched by it.
	Before []Ballot
}

// Decided is how the request ended, or will unless it is undone, for those who may see
// that: people, on its cards.
func (r *Record) Decided() ask.Outcome {
	if r.Held != nil {
		return r.Held.Outcome
	}
	return r.Outcome
}

// hold keeps an outcome back for as long as it can be undone.
func (r *Record) hold(o ask.Outcome, a Act, m DraftMode, now time.Time) {
	// A whole number of microseconds, as stores have them.
	until := now.Add(r.Hold).Truncate(time.Microsecond)
	o.At = until
	r.Held = &Held{Outcome: o, Winner: a.ID, WonAt: a.Message, Until: until, Said: typedMark(a.Said), Order: a.Order}
	r.Due = r.nextDue()
	r.noted(actMark(a.ID))
	r.progress(a.Message, m.Redraws, now)
	r.Held.Revision = r.Revision
}

// release makes what is held final.
func (r *Record) release(now time.Time) {
	h := r.Held
	r.end(h.Outcome, now)
	r.Winner, r.WonAt = h.Winner, h.WonAt
}

// whileHeld judges an act on a request that is decided and can still be undone. Who
// acts may answer, and the act fits the questions.
func (r *Record) whileHeld(a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	switch {
	case a.Action.Kind == ask.Undo:
		return r.undo(a, mark, m, now)
	case !r.Deadline.IsZero() && !now.Before(r.Deadline):
		return Decision{Verdict: Late}, false
	case a.Order < r.saidIn(a.Said):
		return Decision{Verdict: Stale}, false
	}
	if result := r.opposed(a, mark, m, now); result.Verdict != "" {
		return result, true
	}
	b, otherwise := r.saysOtherwise(a)
	switch {
	case otherwise && (r.Voting == nil || r.rests(b)):
		r.backOut(a.By.Person, mark, now)
		return Decision{Verdict: Early}, true
	case otherwise:
		r.withdraw(b, Ballot{By: b.By, Sort: TakenBack, At: now, Order: a.Order, Mark: mark})
		r.progress(MessageRef{}, false, now)
	}
	r.noted(mark) // Delivered again after an undo it must not decide.
	return Decision{Verdict: Decided, Gone: otherwise}, true
}

// opposed applies a vote against what is held: a veto, which is a choice that takes fewer people, or
// a dismissal. Once enough people want that, it takes the place of what is held; undone, it leaves
// what there was before anything was held, and such votes. Any other vote comes too late, and has no
// verdict, as one has without which what is held would not have been decided: whose it is can undo
// that.
func (r *Record) opposed(a Act, mark string, m DraftMode, now time.Time) Decision {
	if r.Voting == nil {
		return Decision{}
	}
	next, held := r.Clone(), *r.Held
	next.Held = nil
	if result, _ := next.vote(a, mark, m, now); result.Verdict != Tentative {
		return Decision{}
	}
	switch b := next.Voting.Ballots[len(next.Voting.Ballots)-1]; {
	case r.stops(next.Held.Outcome):
		next.Held.Before = held.Before
		*r = next
		return Decision{Verdict: Tentative}
	case r.against(b, next.Held.Outcome):
		held.Before = replaced(held.Before, b)
		r.Held, r.Voting.Ballots, r.Drafts = &held, next.Voting.Ballots, next.Drafts
		r.counted(mark, a.Message, m.Redraws, now)
		return Decision{Verdict: Counted}
	}
	return Decision{}
}

// stops reports whether an outcome of a vote goes before the one that is held.
func (r *Record) stops(o ask.Outcome) bool {
	was, vetoed := r.Held.Outcome, false
	if was.State != ask.Answered || o.State != ask.Answered {
		return was.State == ask.Answered
	}
	for q := range r.Questions {
		switch old, next := choiceIn(was, q), choiceIn(o, q); {
		case next.Same(old):
		case !r.takesFewer(next, old):
			return false
		default:
			vetoed = true
		}
	}
	return vetoed
}

// against reports whether a ballot is for what stops what is held, if enough people want it. With it
// the vote comes to o, which has to be what is held.
func (r *Record) against(b Ballot, o ask.Outcome) bool {
	was, against := r.Held.Outcome, b.Sort == ForDismissal
	if was.State != ask.Answered || o.State != ask.Answered {
		return false
	}
	for q, question := range r.Questions {
		old := choiceIn(was, q)
		if !choiceIn(o, q).Same(old) {
			return false
		}
		against = against || b.Sort == ForChoice && r.takesFewer(choiceOf(q, question, b.Picks[q]), old)
	}
	return against
}

// takesFewer reports whether a choice takes fewer people than another.
func (r *Record) takesFewer(c, than ask.Choice) bool {
	return r.Voting.Rule.NeedOf(c.Selected) < r.Voting.Rule.NeedOf(than.Selected)
}

// choiceIn is what was decided for question q of an answered request.
func choiceIn(o ask.Outcome, q int) ask.Choice {
	for _, a := range o.Answers {
		if a.Index == q {
			return ask.Choice{Index: q, Selected: a.Selected, Other: a.Other}
		}
	}
	return ask.Choice{Index: q, Skipped: true}
}

// undo takes back what is held: the request stands as it did before the act that
// decided it.
func (r *Record) undo(a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	h := r.Held
	switch {
	case !r.mayUndo(a.By):
		return Decision{Verdict: Theirs}, false
	case a.Action.Option >= 0 && int64(a.Action.Option) != h.Revision:
		return Decision{Verdict: Stale}, false // It was meant for an earlier one.
	}
	r.unhold()
	r.UndoneAt = asStored(now)
	r.noted(mark)
	r.progress(a.Message, m.Redraws, now)
	return Decision{Verdict: Undone, Over: r.Overdue(now)}, true
}

func (r *Record) unhold() {
	if v := r.Voting; v != nil {
		v.Ballots = r.Held.Before
	}
	r.Held = nil
	r.Due = r.nextDue()
}

// backOut undoes what is held since somebody who typed it, or a vote that it rests on, does not say
// so any more.
func (r *Record) backOut(who ask.Person, mark string, now time.Time) {
	r.unhold()
	r.progress(MessageRef{}, false, now)
	r.event(Event{Kind: EventUndone, By: who, Act: mark}, now)
}

// saysOtherwise reports whether the act's message said something before and says something else
// now: what is held, or the vote that it returns.
func (r *Record) saysOtherwise(a Act) (Ballot, bool) {
	b, voted := r.ballotIn(a.Said)
	if !r.decidedIn(a.Said) && (!voted || !r.Voting.Rule.Changeable()) {
		return b, false
	}
	said, _ := a.Action.Apply(r.Questions, nil, a.Order)
	for q, question := range r.Questions {
		before := choiceIn(r.Held.Outcome, q)
		if voted {
			before = choiceOf(q, question, b.Picks[q])
		}
		if !choiceOf(q, question, said[q]).Same(before) {
			return b, true
		}
	}
	return b, false
}

// mayUndo reports whether somebody decided what is held, alone or as one of those on
// whose votes it rests.
func (r *Record) mayUndo(who ask.Responder) bool {
	by := r.Held.Outcome.By.Key()
	if who.Key() == by || slices.Contains(who.Groups, by) {
		return true
	}
	v := r.Voting
	if v == nil {
		return false
	}
	account := who.Key()
	if who.Platform == ask.API {
		account = r.known(who)
	}
	return slices.ContainsFunc(v.live(), func(b Ballot) bool {
		return v.human(b.account()) == v.human(account) && r.rests(b)
	})
}

// rests reports whether what is held rests on a ballot.
func (r *Record) rests(b Ballot) bool {
	o := r.Held.Outcome
	if o.State != ask.Answered {
		return b.Sort == ForDismissal
	}
	for q, pick := range b.Picks {
		if choiceOf(q, r.Questions[q], pick).Same(choiceIn(o, q)) {
			return true
		}
	}
	return false
}
