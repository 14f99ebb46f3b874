package ask

import "slices"

// ActionKind is the kind of a person's action.
type ActionKind string

// The kinds of actions.
const (
	// Choose selects Option of Question.
	Choose ActionKind = "choose"
	// Drop deselects Option of Question.
	Drop ActionKind = "drop"
	// Select sets the selection for Question to its entry in Picks.
	Select ActionKind = "select"
	// Type sets the typed answer of Question to its entry in Texts.
	Type ActionKind = "type"
	// Submit sends the selection so far together with Picks, the selection the surface showed.
	Submit ActionKind = "submit"
	// SubmitAll submits a form that holds every question. Picks and Texts are the complete
	// content.
	SubmitAll ActionKind = "submit_all"
	// Fill submits a form that holds some of the questions. Picks and Texts are complete for
	// those; the other questions keep their answers.
	Fill ActionKind = "fill"
	// Reply ends the request with a written reply instead of answers.
	Reply ActionKind = "reply"
	// Dismiss ends the request without an answer.
	Dismiss ActionKind = "dismiss"
	// TakeBack withdraws the person's vote on a request with a [Voting].
	TakeBack ActionKind = "take_back"
	// Skip leaves optional Question unanswered; Unskip reverts that.
	Skip   ActionKind = "skip"
	Unskip ActionKind = "unskip"
	// Annotate sets the note of Question to its entry in Notes.
	Annotate ActionKind = "annotate"
	// Undo reverts a decision during its hold. Option is the number of that decision, or -1 for
	// the current one.
	Undo ActionKind = "undo"
	// Claim signals that the person is working on the request.
	Claim ActionKind = "claim"
	// AskAgent sends the agent a question about its request. The text is at index -1 of Texts.
	AskAgent ActionKind = "ask_agent"
	// Pass forwards the request to To, who may then answer instead of the person.
	Pass ActionKind = "pass"
)

// Action is what a person did about a request. Actions are absolute ("question 2 is {1,3}"), so
// a redelivered action changes nothing.
type Action struct {
	Kind ActionKind
	// Question and Option are indexes; -1 where the kind does not use them.
	Question, Option int
	// Picks holds the selected options by question, as the surface showed them when the person
	// acted.
	Picks map[int][]int
	// Texts holds typed text by question; a reply is at index -1.
	Texts map[int]string
	// Notes holds written notes by question.
	Notes map[int]string
	// Revised is the request's revision number when the person saw it.
	Revised int
	// Since is the order of the action that opened the form, which showed the selection up to
	// then; zero if unknown.
	Since int64
	// To is the recipient of a Pass, with what is known about them; zero for none.
	To Responder
}

// Text returns the text typed for the action's own question, or the reply.
func (a Action) Text() string { return a.Texts[a.Question] }

// Cleaned returns the action with its texts sanitized for storage, see [Typed].
func (a Action) Cleaned() Action {
	typed := func(texts map[int]string) map[int]string {
		cleaned := make(map[int]string, len(texts))
		for q, text := range texts {
			cleaned[q] = Typed(text)
		}
		return cleaned
	}
	a.Texts, a.Notes = typed(a.Texts), typed(a.Notes)
	return a
}

// Fits reports whether the questions have the options the action refers to and accept the text
// it brings.
func (a Action) Fits(questions []Question) bool {
	if a.Question >= len(questions) {
		return false
	}
	switch a.Kind {
	case Choose, Drop:
		return a.Question >= 0 && a.Option >= 0 && a.Option < len(questions[a.Question].Options)
	case Type:
		return a.Question >= 0 && !questions[a.Question].NoOther
	case Select:
		return a.Question >= 0
	case Skip, Unskip:
		return a.Question >= 0 && questions[a.Question].Optional
	case Annotate:
		return a.Question >= 0 && questions[a.Question].Notes
	case Submit, SubmitAll, Fill, Reply, Dismiss, TakeBack, Undo, Claim, AskAgent, Pass:
		return true
	}
	return false
}

// Covers returns the indexes of the questions that a form holds, in ascending order.
func (a Action) Covers(questions []Question) []int {
	var covered []int
	for q := range questions {
		_, picked := a.Picks[q]
		_, typed := a.Texts[q]
		if picked || typed {
			covered = append(covered, q)
		}
	}
	return covered
}

// Outdated reports whether the draft already holds a newer action on the same question or
// option.
func (a Action) Outdated(questions []Question, d Draft, order int64) bool {
	switch {
	case a.Question < 0:
		return false
	case a.Kind == Annotate:
		return order < d[a.Question].Note.Order
	case a.Kind == Skip, a.Kind == Unskip:
		return order < d[a.Question].newest()
	case a.Option >= 0 && questions[a.Question].MultiSelect:
		return d[a.Question].Passed(a.Option, order)
	}
	return order < d[a.Question].Order
}

// Apply returns the draft after the action, and the questions whose required form field was
// left blank.
func (a Action) Apply(questions []Question, d Draft, order int64) (next Draft, blank []int) {
	switch a.Kind {
	case Choose, Drop:
		if q := questions[a.Question]; q.MultiSelect {
			return d.Turn(a.Question, q, a.Option, a.Kind == Choose, order), nil
		}
		return d.Select(a.Question, questions[a.Question], []int{a.Option}, order), nil
	case Select:
		return d.Select(a.Question, questions[a.Question], a.Picks[a.Question], order), nil
	case Type:
		if a.Text() == "" && d[a.Question].Other == "" {
			return d, []int{a.Question}
		}
		return d.Write(a.Question, questions[a.Question], a.Text(), order), nil
	case Skip, Unskip:
		return d.Skip(a.Question, questions[a.Question], a.Kind == Skip, order), nil
	case Annotate:
		return d.Annotate(a.Question, questions[a.Question], a.Notes[a.Question], order), nil
	case Submit:
		return a.mergeShown(questions, d, order), nil
	case SubmitAll:
		d = a.mergeShown(questions, nil, order)
		for q, text := range a.Notes {
			if q >= 0 && q < len(questions) && text != "" {
				d = d.Annotate(q, questions[q], text, order)
			}
		}
		for q, text := range a.Texts {
			if q >= 0 && q < len(questions) && !questions[q].NoOther && text != "" {
				d = d.Write(q, questions[q], text, order)
			}
		}
	case Fill:
		return a.mergeForm(questions, d, order), nil
	case Reply, Dismiss, TakeBack, Undo, Claim, AskAgent, Pass:
	}
	return d, nil
}

// mergeForm merges a form into the draft. A question that the form does not change, or that
// someone changed after the form was sent, keeps its answer.
func (a Action) mergeForm(questions []Question, d Draft, order int64) Draft {
	for _, q := range a.Covers(questions) {
		next := a.mergeFormAnswer(q, questions[q], d, order)
		if p := next[q]; !slices.Equal(p.Selected, d[q].Selected) || p.Other != d[q].Other {
			d = next
		}
	}
	return d
}

// mergeFormAnswer merges a form's content for one question into the draft. On a single-select
// question typed text replaces the selection, unless the text was already there and the
// selection is new. A form without a text field keeps the typed text until an option is
// selected. A form that leaves a question empty does not clear what others selected after it
// was opened.
func (a Action) mergeFormAnswer(q int, question Question, d Draft, order int64) Draft {
	picks, listed := a.Picks[q]
	text, asked := a.Texts[q]
	asked = asked && !question.NoOther
	typed := d[q].Other
	if len(picks) == 0 && text == "" && d[q].Order > a.Since {
		return d
	}
	if !question.MultiSelect && typed != "" {
		switch {
		case asked && text == typed && len(picks) > 0:
			asked = false
		case !asked && len(picks) == 0:
			listed = false
		}
	}
	if listed {
		d = d.Select(q, question, picks, order)
	}
	if asked {
		d = d.Write(q, question, text, order)
	}
	return d
}

// mergeShown merges what the surface showed at submission into the draft: what you submit is what you
// see. The surface cannot show typed text, so typed text stays; on a single-select question
// only a later selection removes it.
func (a Action) mergeShown(questions []Question, d Draft, order int64) Draft {
	for q, picks := range a.Picks {
		if q < 0 || q >= len(questions) {
			continue
		}
		if d[q].Other != "" && (!questions[q].MultiSelect || skips(questions[q], picks)) {
			continue
		}
		d = d.Select(q, questions[q], picks, max(order, d[q].Order))
	}
	return d
}

// Finishes reports whether the action asks to end the request, given the draft after it. A
// submit always does. A choice does if it needs no separate submit. shared means that everyone
// edits this one draft.
func (a Action) Finishes(questions []Question, d Draft, shared bool) bool {
	switch a.Kind {
	case Submit, SubmitAll, Reply, Dismiss:
		return true
	case Select:
		if !shared {
			return false
		}
	case Fill:
		return len(d.Missing(questions)) == 0
	case Choose, Type, Skip:
	case Drop, TakeBack, Unskip, Annotate, Undo, Claim, AskAgent, Pass:
		return false
	}
	if NeedsSubmit(questions) {
		return false
	}
	return len(questions) == 1 || shared && len(d.Missing(questions)) == 0
}
