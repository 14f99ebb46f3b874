package record

import (
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// settle ends the request by a person's act, at once or once it can no longer be undone.
func settle(r *Record, o ask.Outcome, a Act, m DraftMode, now time.Time) Decision {
	if r.Permit != nil {
		r.Token = a.Token
	}
	if r.Hold > 0 {
		hold(r, o, a, m, now)
		return Decision{Verdict: Tentative}
	}
	end(r, o, now)
	r.Winner, r.WonAt = a.ID, a.Message
	return Decision{Verdict: Completed}
}

// hold keeps an outcome back for as long as it can be undone.
func hold(r *Record, o ask.Outcome, a Act, m DraftMode, now time.Time) {
	until := now.Add(r.Hold).Truncate(time.Microsecond) // Stores keep whole microseconds.
	o.At = until
	r.Held = &Held{Outcome: o, Winner: a.ID, WonAt: a.Message, Until: until, Said: typedMark(a.Said), Order: a.Order}
	r.Due = nextDue(r)
	rememberOnce(r, actMark(a.ID))
	redrawOthers(r, a.Message, m.Redraws, now)
	r.Held.Revision = r.Revision
}

// unhold removes the held decision, and restores the ballots from before it.
func unhold(r *Record) {
	if v := r.Voting; v != nil {
		v.Ballots = r.Held.Before
	}
	r.Held = nil
	r.Due = nextDue(r)
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
