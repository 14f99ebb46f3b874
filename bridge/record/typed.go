package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// typedBeforeRevision reports whether the agent has revised the request since the person typed the
// act. It may have been delayed for long, so it is unknown which revision the person saw.
func typedBeforeRevision(r *Record, a Act) bool {
	return !a.SaidAt.IsZero() && a.SaidAt.Before(r.RevisedAt)
}

// typedBeforeUndo reports whether Undo was pressed since the person typed the act: people who take an
// answer back do not mean it any more, however late it arrives. Edits of a message that still counts
// are not affected.
func typedBeforeUndo(r *Record, a Act) bool {
	return !a.SaidAt.IsZero() && a.SaidAt.Before(r.UndoneAt) && !HoldsTyped(r, a.Said)
}

// typedMark is a short name of a typed message.
func typedMark(said MessageRef) string {
	if said == (MessageRef{}) {
		return ""
	}
	return actMark("said\x00" + said.Platform + "\x00" + said.Channel + "\x00" + said.Message)
}

// HoldsTyped reports whether something typed in the message counts: a vote, or a decision by one
// person that can still be undone.
func HoldsTyped(r *Record, said MessageRef) bool {
	_, voted := r.Voting.typedIn(typedMark(said))
	return voted || heldTyped(r, said)
}

// heldTyped reports whether one person made the held decision in the message.
func heldTyped(r *Record, said MessageRef) bool {
	mark := typedMark(said)
	return r.Voting == nil && r.Held != nil && mark != "" && r.Held.Said == mark
}

// typedOrder is the order of the act in the message that counts; zero if none does.
func typedOrder(r *Record, said MessageRef) int64 {
	if heldTyped(r, said) {
		return r.Held.Order
	}
	b, _ := r.Voting.typedIn(typedMark(said))
	return b.Order
}

// contradicts reports whether the act's message was edited to something else: from the held decision,
// or from the vote that it returns.
func contradicts(r *Record, a Act) (Ballot, bool) {
	b, voted := r.Voting.typedIn(typedMark(a.Said))
	if !heldTyped(r, a.Said) && (!voted || !r.Voting.Rule.Changeable()) {
		return b, false
	}
	draft, _ := a.Action.Apply(r.Questions, nil, a.Order)
	for q, question := range r.Questions {
		before := choiceIn(r.Held.Outcome, q)
		if voted {
			before = choiceOf(q, question, b.Picks[q])
		}
		if !choiceOf(q, question, draft[q]).Same(before) {
			return b, true
		}
	}
	return b, false
}

// RetractTyped takes back what was typed in a message that was deleted, or edited to something else: a
// vote, or a decision by one person that can still be undone, for which the verdict is [Undone]. A
// vote cast since by other means stays. If a held decision rests on the vote, the decision is undone
// first with the verdict [Early], and the caller tries again. It returns [ErrUnchanged] if there is
// nothing to write.
func (r *Record) RetractTyped(said MessageRef, id string, order int64, now time.Time) (Decision, error) {
	mark := actMark(id)
	switch {
	case !r.Open():
		return Decision{Verdict: Closed}, ErrUnchanged
	case catchUp(r, now) == nil:
		return Decision{Verdict: tooLate(r)}, nil
	case slices.Contains(r.Recent, mark):
		return Decision{Verdict: Repeated}, ErrUnchanged
	case order < typedOrder(r, said):
		return Decision{Verdict: Stale}, ErrUnchanged
	case heldTyped(r, said):
		undoTyped(r, r.Held.Outcome.By, mark, now)
		return Decision{Verdict: Undone}, nil
	}
	b, ok := r.Voting.typedIn(typedMark(said))
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

// undoTyped undoes the held decision because the message it was typed in, or a vote that it rests on,
// was taken back.
func undoTyped(r *Record, who ask.Person, mark string, now time.Time) {
	unhold(r)
	redrawOthers(r, MessageRef{}, false, now)
	addEvent(r, Event{Kind: EventUndone, By: who, Act: mark}, now)
}

// withdrawVote takes a vote back that the held decision does not rest on, from the ballots and from
// those that an undo restores.
func withdrawVote(r *Record, b, withdrawn Ballot) {
	held := *r.Held
	if slices.ContainsFunc(held.Before, func(old Ballot) bool { return old.Mark == b.Mark }) {
		held.Before = replaced(held.Before, withdrawn)
	}
	r.Held, r.Voting.Ballots = &held, replaced(r.Voting.Ballots, withdrawn)
	rememberOnce(r, withdrawn.Mark)
}
