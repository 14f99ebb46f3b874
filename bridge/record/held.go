package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Held is a decision that can still be undone. Until then the request is open, and only its cards
// show the decision.
type Held struct {
	// Outcome becomes the request's at Until, which is also the outcome's time.
	Outcome ask.Outcome
	// Winner and WonAt become the record's.
	Winner string
	WonAt  MessageRef
	// Revision is that of the cards that show it: an undo applies to what the card showed.
	Revision int64
	Until    time.Time
	// Said and Order are those of the act, as in [Ballot].
	Said  string
	Order int64
	// Before are the ballots from before that act. The act does not change drafts.
	Before []Ballot
}

// restsOn reports whether the decision counts a ballot in its favor.
func (h *Held) restsOn(b Ballot, questions []ask.Question) bool {
	if h.Outcome.State != ask.Answered {
		return b.Sort == ForDismissal
	}
	for q, pick := range b.Picks {
		if choiceOf(q, questions[q], pick).Same(choiceIn(h.Outcome, q)) {
			return true
		}
	}
	return false
}

// decidedBy reports whether someone made the decision, alone or with the last vote.
func (h *Held) decidedBy(who ask.Responder) bool {
	by := h.Outcome.By.Key()
	return who.Key() == by || slices.Contains(who.Groups, by)
}

// stoppedBy reports whether a later outcome of the vote takes precedence over the decision: a
// dismissal, or vetoes and otherwise the same answers.
func (h *Held) stoppedBy(o ask.Outcome, c count) bool {
	was, vetoed := h.Outcome, false
	if was.State != ask.Answered || o.State != ask.Answered {
		return was.State == ask.Answered
	}
	for q := range c.questions {
		switch old, next := choiceIn(was, q), choiceIn(o, q); {
		case next.Same(old):
		case !c.needsFewer(next, old):
			return false
		default:
			vetoed = true
		}
	}
	return vetoed
}

// opposes reports whether a ballot is for something that would stop the decision if enough people
// voted for it. o is the outcome with the ballot, which has to be the decision itself.
func (h *Held) opposes(b Ballot, o ask.Outcome, c count) bool {
	was, against := h.Outcome, b.Sort == ForDismissal
	if was.State != ask.Answered || o.State != ask.Answered {
		return false
	}
	for q, question := range c.questions {
		old := choiceIn(was, q)
		if !choiceIn(o, q).Same(old) {
			return false
		}
		against = against || b.Sort == ForChoice && c.needsFewer(choiceOf(q, question, b.Picks[q]), old)
	}
	return against
}

// choiceIn is the choice for question q in an answered outcome.
func choiceIn(o ask.Outcome, q int) ask.Choice {
	for _, a := range o.Answers {
		if a.Index == q {
			return ask.Choice{Index: q, Selected: a.Selected, Other: a.Other}
		}
	}
	return ask.Choice{Index: q, Skipped: true}
}
