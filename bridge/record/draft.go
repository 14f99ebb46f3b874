package record

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// DraftOf is the draft that the person's next act adds to: their own, or the shared one of their
// platform.
func (r *Record) DraftOf(who ask.Person, m DraftMode) ask.Draft {
	if m.Shared && r.Voting == nil {
		return r.Drafts[who.Platform]
	}
	return r.Drafts[who.Key()]
}

// draftAfter returns the draft with the act applied, or a verdict if there is none.
func draftAfter(r *Record, a Act, who string) (ask.Draft, Decision) {
	draft := r.Drafts[who]
	switch {
	case a.Action.Kind == ask.Submit && a.Order < draft.Newest():
		return nil, Decision{Verdict: Hasty}
	case a.Action.Outdated(r.Questions, draft, a.Order):
		return nil, Decision{Verdict: Stale}
	}
	draft, blank := a.Action.Apply(r.Questions, draft, a.Order)
	if len(blank) > 0 {
		return nil, Decision{Verdict: Incomplete, Missing: blank}
	}
	return draft, Decision{}
}

// leftOut are the questions that the form asked and that are still unanswered.
func leftOut(r *Record, a Act, draft ask.Draft) []int {
	if a.Action.Kind != ask.Fill {
		return nil
	}
	covered := a.Action.Covers(r.Questions)
	return slices.DeleteFunc(draft.Missing(r.Questions), func(q int) bool { return !slices.Contains(covered, q) })
}

// incomplete refuses a submit with missing answers.
func incomplete(r *Record, a Act, mark string, missing []int) (Decision, bool) {
	result := Decision{Verdict: Incomplete, Missing: missing}
	if a.Action.Kind != ask.Submit {
		return result, false // A form carries all of its answers.
	}
	remember(r, mark) // A redelivery must not find the missing answers there.
	return result, true
}

// saveDraft stores a draft, and the act that made it.
func saveDraft(r *Record, who string, draft ask.Draft, mark string) {
	if r.Drafts == nil {
		r.Drafts = map[string]ask.Draft{}
	}
	r.Drafts[who] = draft
	remember(r, mark)
}
