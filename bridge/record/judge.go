package record

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Judge applies a person's act. It returns [ErrUnchanged] if there is nothing to write.
func (r *Record) Judge(a Act, m DraftMode, now time.Time) (Decision, error) {
	if stepDue(r, now) {
		happen(r, now) // An act comes after everything that was due by its time.
		return Decision{Verdict: Early}, nil
	}
	a = a.cleaned()
	if a.Action.Kind == ask.AskAgent && r.AskBack == ask.AskBackEnd {
		a.Action.Kind = ask.Reply // The agent receives nothing before the end.
	}
	adopted := adopt(r, a, now)
	result, changed := decide(r, a, m, now)
	if m.Redraws && RedrawsCard(r, a, result.Verdict) {
		changed = markDrawing(r, a.Message, now) || changed
	}
	traced := traceAct(r, a, result.Verdict, now)
	if !changed && !adopted && !traced {
		return result, ErrUnchanged
	}
	return result, nil
}

// decide applies an act and reports whether the record changed.
func decide(r *Record, a Act, m DraftMode, now time.Time) (Decision, bool) {
	mark := actMark(a.ID)
	switch {
	case !r.Copies.Serve(a.Message, a.By.Person):
		return Decision{Verdict: Elsewhere}, false
	case HasApplied(r, a.ID):
		return Decision{Verdict: Repeated}, false
	case !r.Open():
		return Decision{Verdict: Closed}, redrawOutdated(r, a, m, now)
	case catchUp(r, now) == nil:
		return Decision{Verdict: tooLate(r)}, true
	case !r.MayAnswer(a):
		return Decision{Verdict: Forbidden}, false
	case !shown(r, a):
		return Decision{Verdict: Unshown}, false
	case a.Action.Kind == ask.AskAgent && r.Held == nil:
		return askAgent(r, a, mark, m, now)
	case a.Action.Revised != r.Revised, typedBeforeRevision(r, a):
		return Decision{Verdict: Outdated}, redrawOutdated(r, a, m, now)
	case typedBeforeUndo(r, a):
		return Decision{Verdict: Overtaken}, false
	case !a.Action.Fits(r.Questions):
		return Decision{Verdict: Unknown}, false
	case r.Held != nil:
		return whileHeld(r, a, mark, m, now)
	case a.Action.Kind == ask.Undo:
		return Decision{Verdict: Unheld}, false
	case a.Action.Kind == ask.Claim:
		return claim(r, a, mark, m, now)
	case a.Action.Kind == ask.Pass:
		return pass(r, a, mark, m, now)
	case r.Voting != nil:
		return vote(r, a, mark, m, now)
	}
	switch a.Action.Kind {
	case ask.TakeBack, ask.AskAgent:
		return Decision{Verdict: Unknown}, false
	case ask.Dismiss:
		return settle(r, ask.Dismissal(a.By.Person), a, m, now), true
	case ask.Reply:
		reply := a.Action.Text()
		if reply == "" {
			return Decision{Verdict: Incomplete}, false
		}
		return settle(r, ask.Replying(a.By.Person, reply), a, m, now), true
	}
	return choose(r, a, mark, m, now)
}

// choose applies a choice where the first complete answer decides.
func choose(r *Record, a Act, mark string, m DraftMode, now time.Time) (Decision, bool) {
	who := a.By.Key()
	if m.Shared {
		who = a.By.Platform
	}
	draft, result := draftAfter(r, a, who)
	if result.Verdict != "" {
		return result, false
	}
	switch q := a.Action.Question; {
	case !m.Shared:
	case a.Action.Kind == ask.Fill:
		draft = draft.FilledBy(r.Drafts[who], a.By.Person)
	case q < 0:
	case a.Action.Kind == ask.Annotate:
		draft = draft.NotedBy(q, a.By.Person)
	default:
		draft = draft.AttributedTo(q, a.By.Person)
	}
	if a.Action.Finishes(r.Questions, draft, m.Shared) {
		if missing := draft.Missing(r.Questions); len(missing) > 0 {
			return incomplete(r, a, mark, missing)
		}
		return settle(r, ask.Answering(r.Questions, draft, a.By.Person, now), a, m, now), true
	}
	saveDraft(r, who, draft, mark)
	if m.Shared {
		redrawPlatform(r, a, m.Redraws, now)
	}
	return Decision{Verdict: Recorded, Missing: leftOut(r, a, draft)}, true
}
