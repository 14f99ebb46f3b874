package ask

import "slices"

// ActionKind says what a person did.
type ActionKind string

// The kinds of actions.
const (
	// Choose takes Option of Question.
	Choose ActionKind = "choose"
	// Drop takes Option of Question away again.
	Drop ActionKind = "drop"
	// Select sets what is chosen for Question to Picks of it.
	Select ActionKind = "select"
	// Type answers Question with Texts of it.
	Type ActionKind = "type"
	// Submit sends what is chosen so far, and what Picks show beside it.
	Submit ActionKind = "submit"
	// SubmitAll sends a form that holds every question: Picks and Texts are all
	// there is to it.
	SubmitAll ActionKind = "submit_all"
	// Fill sends a form that holds some of the questions: Picks and Texts are all
	// there is to those, and the others stay as they are.
	Fill ActionKind = "fill"
	// Reply ends the request with what the person wrote in place of answers.
	Reply ActionKind = "reply"
	// Dismiss ends the request without a word.
	Dismiss ActionKind = "dismiss"
	// TakeBack takes the person's vote back, where several people decide.
	TakeBack ActionKind = "take_back"
	// Skip leaves optional Question unanswered, and Unskip takes that back.
	Skip   ActionKind = "skip"
	Unskip ActionKind = "unskip"
	// Annotate sets the note beside the answer to Question to Notes of it.
	Annotate ActionKind = "annotate"
	// Undo takes back what the person decided, while that can be done. Option is the
	// number of that decision, -1 for whichever there is.
	Undo ActionKind = "undo"
	// Claim says that the person is on it.
	Claim ActionKind = "claim"
	// AskAgent asks the agent something about its request, in Texts at -1.
	AskAgent ActionKind = "ask_agent"
	// Pass passes the request on to To, who may answer in place of the person.
	Pass ActionKind = "pass"
)

// Action is what a person did about a request. It is absolute ("question 2 is
// {1,3}"), so that the same action delivered again changes nothing.
type Action struct {
	Kind ActionKind
	// Question and Option are indexes; -1 where the kind has none.
	Question, Option int
	// Picks holds the options selected on the surface when the person acted, for
	// each question that it shows with a list.
	Picks map[int][]int
	// Texts holds what was typed, by question; a reply stands at -1.
	Texts map[int]string
	// Notes holds what was written beside answers, by question.
	Notes map[int]string
	// Revised is how often the request had been revised when the person saw it.
	Revised int
	// Since is the order of the act that opened the form, which showed what was
	// chosen until then; zero when nobody knows.
	Since int64
	// To is whom a Pass passes it on to, with what is known of them; zero for nobody.
	To Responder
}

// Text is what was typed for the action's own question, or as the reply.
func (a Action) Text() string { return a.Texts[a.Question] }

// Cleaned returns the action with its texts as they may be stored, see [Typed].
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

// Fits reports whether the questions have what the action is about, and let
// somebody type where it brings text.
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

// Covers lists the questions that a form holds, in ascending order.
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

// Outdated reports whether the draft holds something newer than the action, of
// the same question or option.
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

// Apply returns the draft after the action, and the questions for which blank
// text was typed into a form that asked for it.
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
		return a.seen(questions, d, order), nil
	case SubmitAll:
		d = a.seen(questions, nil, order)
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
		return a.filled(questions, d, order), nil
	case Reply, Dismiss, TakeBack, Undo, Claim, AskAgent, Pass:
	}
	return d, nil
}

// filled lays a form over the draft. A question that it does not change, or that
// somebody has changed since it was sent, stays as it is.
func (a Action) filled(questions []Question, d Draft, order int64) Draft {
	for _, q := range a.Covers(questions) {
		next := a.answering(q, questions[q], d, order)
		if p := next[q]; !slices.Equal(p.Selected, d[q].Selected) || p.Other != d[q].Other {
			d = next
		}
	}
	return d
}

// answering lays what a form holds for one question over the draft. Where one choice
// is possible, what is typed takes the place of what is chosen, unless it stood there
// before and the choice is new; and a form without a field for it leaves it, until
// something is chosen. What others have chosen since the form was opened is not
// emptied by whoever left it out.
func (a Action) answering(q int, question Question, d Draft, order int64) Draft {
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

// seen lays what the surface showed when the person submitted over the draft:
// what you submit is what you see. Typed text, which the surface cannot show,
// stays; on a single-select question it stands until a later pick took it away.
func (a Action) seen(questions []Question, d Draft, order int64) Draft {
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

// Finishes reports whether the action asks for the end of the request, given the
// draft after it: a submit always does, a choice does where it leaves nothing to
// change one's mind on. Shared tells that everybody acts on this one draft.
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
