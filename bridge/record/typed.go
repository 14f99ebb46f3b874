package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/typed"
)

// Code is the request's short code, by which people who type say which one they mean.
func (r *Record) Code() string { return typed.Code(r.ID) }

// Strict reports whether nothing that is typed counts but a whole label behind the code:
// so it is for permissions, and wherever people vote.
func (r *Record) Strict() bool { return r.Replies.Strict || r.Voting != nil }

// overtook reports whether the agent has revised the request since the person typed what the act says. It
// may have been long on its way, and nobody knows which revision they saw.
func (r *Record) overtook(a Act) bool { return !a.SaidAt.IsZero() && a.SaidAt.Before(r.RevisedAt) }

// undoneSince reports whether somebody has pressed Undo since the person typed what the act says: who took
// an answer back does not mean it any more, however late it comes. What stands follows its message still.
func (r *Record) undoneSince(a Act) bool {
	return !a.SaidAt.IsZero() && a.SaidAt.Before(r.UndoneAt) && !r.Holds(a.Said)
}

// typedMark is a short name of a message that somebody typed.
func typedMark(said MessageRef) string {
	if said == (MessageRef{}) {
		return ""
	}
	return actMark("said\x00" + said.Platform + "\x00" + said.Channel + "\x00" + said.Message)
}

// Holds reports whether something stands that was typed in the message: a vote, or what one person
// has decided and can still undo.
func (r *Record) Holds(said MessageRef) bool {
	_, ok := r.ballotIn(said)
	return ok || r.decidedIn(said)
}

// decidedIn reports whether one person has decided in the message what is held.
func (r *Record) decidedIn(said MessageRef) bool {
	mark := typedMark(said)
	return r.Voting == nil && r.Held != nil && mark != "" && r.Held.Said == mark
}

// saidIn is the order of the act by which what was typed in the message stands; zero where nothing
// does.
func (r *Record) saidIn(said MessageRef) int64 {
	if r.decidedIn(said) {
		return r.Held.Order
	}
	b, _ := r.ballotIn(said)
	return b.Order
}

func (r *Record) ballotIn(said MessageRef) (Ballot, bool) {
	mark := typedMark(said)
	if r.Voting == nil || mark == "" {
		return Ballot{}, false
	}
	n := slices.IndexFunc(r.Voting.Ballots, func(b Ballot) bool { return b.Said == mark && b.Sort != TakenBack })
	if n < 0 {
		return Ballot{}, false
	}
	return r.Voting.Ballots[n], true
}

// Took reports whether an act has changed the record before.
func (r *Record) Took(id string) bool {
	return !r.Open() && r.Winner == id || slices.Contains(r.Recent, actMark(id))
}

// Unsay takes back what was typed in a message which is gone, or which no longer says what it said:
// a vote, or what one person has decided and can still undo, which is [Undone] then. A vote that was
// cast since by other means stands. A decision that rests on the vote and can be undone is undone
// first: that is [Early], and whoever calls it comes again. It returns [ErrUnchanged] when there is
// nothing to write.
func (r *Record) Unsay(said MessageRef, id string, order int64, now time.Time) (Decision, error) {
	mark := actMark(id)
	switch {
	case !r.Open():
		return Decision{Verdict: Closed}, ErrUnchanged
	case r.CatchUp(now) == nil:
		return Decision{Verdict: r.overdue()}, nil
	case slices.Contains(r.Recent, mark):
		return Decision{Verdict: Repeated}, ErrUnchanged
	case order < r.saidIn(said):
		return Decision{Verdict: Stale}, ErrUnchanged
	case r.decidedIn(said):
		r.backOut(r.Held.Outcome.By, mark, now)
		return Decision{Verdict: Undone}, nil
	}
	b, ok := r.ballotIn(said)
	if !ok {
		return Decision{Verdict: Unvoted}, ErrUnchanged
	}
	switch {
	case r.Held == nil:
	case !r.Voting.Rule.Changeable():
		return Decision{Verdict: Final}, ErrUnchanged
	case r.rests(b):
		r.backOut(b.By, mark, now)
		return Decision{Verdict: Early}, nil
	default:
		r.withdraw(b, Ballot{By: b.By, Sort: TakenBack, At: now, Order: order, Mark: mark})
		r.progress(MessageRef{}, false, now)
		return Decision{Verdict: Counted}, nil
	}
	a := Act{ID: id, Order: order, By: ask.Responder{Person: b.By}, Action: ask.Action{Kind: ask.TakeBack, Question: -1, Option: -1}}
	result, changed := r.vote(a, mark, DraftMode{}, now)
	if !changed {
		return result, ErrUnchanged
	}
	return result, nil
}

// withdraw puts the end of a vote in its place while something else is held, there and where
// an undo leads.
func (r *Record) withdraw(b, gone Ballot) {
	held := *r.Held
	if slices.ContainsFunc(held.Before, func(old Ballot) bool { return old.Mark == b.Mark }) {
		held.Before = replaced(held.Before, gone)
	}
	r.Held, r.Voting.Ballots = &held, replaced(r.Voting.Ballots, gone)
	r.noted(gone.Mark)
}
