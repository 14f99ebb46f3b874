package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// vote applies an act where several people decide. The person may answer, and the act fits the
// questions.
func vote(r *Record, a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	v, account := r.Voting, a.By.Key()
	b := Ballot{By: a.By.Person, At: now, Order: a.Order, Mark: mark, Said: typedMark(a.Said)}
	if a.By.Platform == ask.API {
		if b.As = accountOf(r, a.By); b.As == "" {
			return Decision{Verdict: Forbidden}, false // They may have voted already.
		}
	}
	last, acted := v.last(account)
	voted := v.hasVoted(b.account())
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
		draft, result := draftAfter(r, a, account)
		if result.Verdict != "" {
			return result, false
		}
		if !a.Action.Finishes(r.Questions, draft, false) {
			saveDraft(r, account, draft, mark)
			return Decision{Verdict: Recorded, Missing: leftOut(r, a, draft)}, true
		}
		if missing := draft.Missing(r.Questions); len(missing) > 0 {
			return incomplete(r, a, mark, missing)
		}
		if a.Action.Kind == ask.Fill {
			saveDraft(r, account, draft, mark) // The next form adds to it.
		}
		for q := range r.Questions {
			p := draft[q]
			b.Picks = append(b.Picks, ask.Pick{Selected: p.Selected, Other: p.Other, Skipped: p.Skipped, Note: ask.Note{Text: p.Note.Text}})
		}
	}
	return cast(r, b, a, m, now), true
}

// cast replaces the last ballot of an account, and ends the request if that decides it.
func cast(r *Record, b Ballot, a Act, m DraftMode, now time.Time) Decision {
	before := r.Voting.Ballots
	r.Voting.Ballots = replaced(before, b)
	if o, decided := countOf(r).after(b); decided {
		result := settle(r, o, a, m, now)
		if r.Held != nil {
			r.Held.Before = before
		}
		return result
	}
	showVote(r, b.Mark, a.Message, m.Redraws, now)
	return Decision{Verdict: Counted}
}

// showVote remembers a vote that decides nothing by itself, and redraws the cards that show it.
func showVote(r *Record, mark string, used MessageRef, redraws bool, now time.Time) {
	rememberOnce(r, mark)
	if !r.Voting.sealed() {
		redrawOthers(r, used, redraws, now)
	}
}
