package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// whileHeld applies an act to a request that is decided and can still be undone. The person may
// answer, and the act fits the questions.
func whileHeld(r *Record, a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	switch {
	case a.Action.Kind == ask.Undo:
		return undo(r, a, mark, m, now)
	case !r.Deadline.IsZero() && !now.Before(r.Deadline):
		return Decision{Verdict: Late}, false
	case a.Order < typedOrder(r, a.Said):
		return Decision{Verdict: Stale}, false
	}
	if result := oppose(r, a, mark, m, now); result.Verdict != "" {
		return result, true
	}
	b, edited := contradicts(r, a)
	switch {
	case edited && (r.Voting == nil || r.Held.restsOn(b, r.Questions)):
		undoTyped(r, a.By.Person, mark, now)
		return Decision{Verdict: Early}, true
	case edited:
		withdrawVote(r, b, Ballot{By: b.By, Sort: TakenBack, At: now, Order: a.Order, Mark: mark})
		redrawOthers(r, MessageRef{}, false, now)
	}
	rememberOnce(r, mark) // A redelivery after an undo must not decide.
	return Decision{Verdict: Decided, Gone: edited}, true
}

// oppose applies a vote against the held decision: a veto, which is a choice that takes fewer votes,
// or a dismissal. Once enough people want that, it replaces the decision; undoing it restores what
// there was before the first decision, plus those votes. Every other vote comes too late and gets no
// verdict, and so does one by a person whose vote the decision needed: they can undo it.
func oppose(r *Record, a Act, mark string, m DraftMode, now time.Time) Decision {
	if r.Voting == nil {
		return Decision{}
	}
	next, held := r.Clone(), *r.Held
	next.Held = nil
	if result, _ := vote(&next, a, mark, m, now); result.Verdict != Tentative {
		return Decision{}
	}
	switch b, c := next.Voting.Ballots[len(next.Voting.Ballots)-1], countOf(r); {
	case held.stoppedBy(next.Held.Outcome, c):
		next.Held.Before = held.Before
		*r = next
		return Decision{Verdict: Tentative}
	case held.opposes(b, next.Held.Outcome, c):
		held.Before = replaced(held.Before, b)
		r.Held, r.Voting.Ballots, r.Drafts = &held, next.Voting.Ballots, next.Drafts
		showVote(r, mark, a.Message, m.Redraws, now)
		return Decision{Verdict: Counted}
	}
	return Decision{}
}

// undo restores the request from before the act that decided it.
func undo(r *Record, a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	switch {
	case !mayUndo(r, a.By):
		return Decision{Verdict: Theirs}, false
	case a.Action.Option >= 0 && int64(a.Action.Option) != r.Held.Revision:
		return Decision{Verdict: Stale}, false // It was meant for an earlier decision.
	}
	unhold(r)
	r.UndoneAt = asStored(now)
	rememberOnce(r, mark)
	redrawOthers(r, a.Message, m.Redraws, now)
	return Decision{Verdict: Undone, Over: isOverdue(r, now)}, true
}

// mayUndo reports whether someone made the held decision, alone or with one of the votes that it
// rests on.
func mayUndo(r *Record, who ask.Responder) bool {
	if r.Held.decidedBy(who) {
		return true
	}
	v := r.Voting
	if v == nil {
		return false
	}
	account := who.Key()
	if who.Platform == ask.API {
		account = accountOf(r, who)
	}
	for _, b := range v.live() {
		if v.human(b.account()) == v.human(account) && r.Held.restsOn(b, r.Questions) {
			return true
		}
	}
	return false
}

// RetractTyped takes back what was typed in a message that was deleted, or edited to something else: a
// vote, or a decision by one person that can still be undone, for which the verdict is [Undone]. A
// vote cast since by other means stays. If a held decision rests on the vote, the decision is undone
// first with the verdict [Early], and the caller tries again. It returns [ErrUnchanged] if there is
// nothing to write.
func (r *Record) RetractTyped(typed MessageRef, id string, order int64, now time.Time) (Decision, error) {
	mark := actMark(id)
	switch {
	case !r.Open():
		return Decision{Verdict: Closed}, ErrUnchanged
	case catchUp(r, now) == nil:
		return Decision{Verdict: tooLate(r)}, nil
	case slices.Contains(r.Recent, mark):
		return Decision{Verdict: Repeated}, ErrUnchanged
	case order < typedOrder(r, typed):
		return Decision{Verdict: Stale}, ErrUnchanged
	case heldTyped(r, typed):
		undoTyped(r, r.Held.Outcome.By, mark, now)
		return Decision{Verdict: Undone}, nil
	}
	b, ok := r.Voting.typedIn(typedMark(typed))
	if !ok {
		return Decision{Verdict: Unvoted}, ErrUnchanged
	}
	switch {
	case r.Held == nil:
	case !r.Voting.Rule.Changeable():
		return Decision{Verdict: Final}, ErrUnchanged
	case r.Held.restsOn(b, r.Questions):
		undoTyped(r, b.By, mark, now)
		return Decision{Verdict: Early}, nil
	default:
		withdrawVote(r, b, Ballot{By: b.By, Sort: TakenBack, At: now, Order: order, Mark: mark})
		redrawOthers(r, MessageRef{}, false, now)
		return Decision{Verdict: Counted}, nil
	}
	a := Act{ID: id, Order: order, By: ask.Responder{Person: b.By}, Action: ask.Action{Kind: ask.TakeBack, Question: -1, Option: -1}}
	result, changed := vote(r, a, mark, DraftMode{}, now)
	if !changed {
		return result, ErrUnchanged
	}
	return result, nil
}
