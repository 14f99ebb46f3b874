package record

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
func typedMark(typed MessageRef) string {
	if typed == (MessageRef{}) {
		return ""
	}
	return actMark("said\x00" + typed.Platform + "\x00" + typed.Channel + "\x00" + typed.Message)
}

// HoldsTyped reports whether something typed in the message counts: a vote, or a decision by one
// person that can still be undone.
func HoldsTyped(r *Record, typed MessageRef) bool {
	_, voted := r.Voting.typedIn(typedMark(typed))
	return voted || heldTyped(r, typed)
}

// heldTyped reports whether one person made the held decision in the message.
func heldTyped(r *Record, typed MessageRef) bool {
	mark := typedMark(typed)
	return r.Voting == nil && r.Held != nil && mark != "" && r.Held.Said == mark
}

// typedOrder is the order of the act in the message that counts; zero if none does.
func typedOrder(r *Record, typed MessageRef) int64 {
	if heldTyped(r, typed) {
		return r.Held.Order
	}
	b, _ := r.Voting.typedIn(typedMark(typed))
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
