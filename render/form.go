package render

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// WriteForm asks for the typed answer of question q, or for a reply to all of
// them where it is -1. The subject may hold nothing but the ID when the record
// could not be loaded in time: then the form speaks in general.
func WriteForm(s Subject, q int) Form {
	s = s.clean()
	f := Form{Token: s.token(SubmitText, q, -1), Title: otherAnswer, Submit: "Send", Close: "Cancel"}
	input := s.input(q)
	input.Required = input.Value == "" // What is there can be taken away.
	if q >= 0 && q < len(s.Questions) {
		f.Sections = append(s.top("asks"), Section{Kind: Body, ID: fmt.Sprintf("q%d.text", q), Text: heading(s, q)})
		f.Sections[0].Text[1].Text = " asks"
	}
	if len(s.Questions) == 1 && q == 0 && !ask.NeedsSubmit(s.Questions) {
		input.Hint = "" // What is sent is the answer: nothing was chosen before.
	}
	switch {
	case q < 0:
		f.Title = input.Label
		if len(s.Questions) > 0 {
			f.Sections = s.top("asks")
		}
	case input.Label == yourAnswer:
		f.Title = yourAnswer
	}
	f.Sections = append(f.Sections, Section{Kind: Entry, ID: fmt.Sprintf("q%d", q), Input: input})
	return f
}

// NoteForm asks for the note beside the answer to question q. The subject may hold
// nothing but the ID, as in [WriteForm].
func NoteForm(s Subject, q int) Form {
	s = s.clean()
	f := Form{Token: s.token(SubmitNote, q, -1), Title: yourNote, Submit: "Save", Close: "Cancel"}
	if q >= 0 && q < len(s.Questions) {
		f.Sections = append(s.top("asks"), Section{Kind: Body, ID: fmt.Sprintf("q%d.text", q), Text: heading(s, q)})
		f.Sections[0].Text[1].Text = " asks"
	}
	f.Sections = append(f.Sections, Section{Kind: Entry, ID: fmt.Sprintf("q%d", q), Input: s.note(q)})
	return f
}

// note is the field for the note beside the answer to question i.
func (s Subject) note(i int) *Input {
	return &Input{
		Token: s.token(SubmitNote, i, -1), Label: yourNote, Hint: "Goes to the agent beside the answer, and is none by itself.",
		Value: Cut(s.Draft[i].Note.Text, MaxTyped, nil),
	}
}

// DismissForm asks whoever wants to end the request without an answer whether
// they mean it, and what the agent shall be told in place of one. The subject may
// hold nothing but the ID, as in [WriteForm].
func DismissForm(s Subject) Form {
	s = s.clean()
	f := Form{Token: s.token(Dismissed, -1, -1), Title: "Dismiss this question?", Submit: "Dismiss", Close: "Keep open"}
	switch len(s.Questions) {
	case 0:
	case 1:
		text := Cut(Line(s.Questions[0].Text), summaryShown, nil)
		f.Sections = append(s.top("asks"), Section{Kind: Body, ID: "q0.text", Text: []Span{{Text: text}}})
	default:
		f.Title, f.Sections = "Dismiss these questions?", s.top("asks")
	}
	input := s.input(-1)
	input.Hint = "Leave it blank, or write what the agent is told in place of an answer."
	warning := "Nobody can answer after this."
	if n := s.toDismiss(); n > 1 {
		warning = fmt.Sprintf("It takes %d people to dismiss it.", n)
	}
	f.Sections = append(f.Sections,
		Section{Kind: Body, ID: "dismiss", Text: []Span{{Text: warning}}},
		Section{Kind: Entry, ID: "q-1", Input: input})
	return f
}

// AnswerForm asks every question of the request, in full.
func AnswerForm(s Subject) Form {
	s = s.clean()
	f := Form{Token: s.token(AnsweredAll, -1, -1), Title: "Answer", Close: "Close"}
	if len(s.Questions) == 0 {
		f.Sections = []Section{{Kind: Body, ID: "none", Text: []Span{{Text: "These questions cannot be shown right now. Please try again."}}}}
		return f
	}
	f.Submit, f.Close = "Submit", "Cancel"
	if n := len(s.Questions); n > 1 {
		f.Title = fmt.Sprintf("Answer %d questions", n)
	}
	f.Sections = s.top("asks")
	if s.Context != "" {
		f.Sections = append(f.Sections, Section{Kind: Body, ID: "context", Text: prose(s.Context)})
	}
	if links := s.links(); links != nil {
		f.Sections = append(f.Sections, links[0]) // The buttons are on the card.
	}
	f.Sections = append(f.Sections, s.files()...)
	for i := range s.Questions {
		if i > 0 {
			f.Sections = append(f.Sections, Section{Kind: Rule, ID: fmt.Sprintf("q%d.rule", i)})
		}
		f.Sections = append(f.Sections, s.fields(i)...)
	}
	return f
}

// fields is one question of a form. The first input has the id "q<index>", so
// that what is wrong with the answer can be said beside it.
func (s Subject) fields(i int) []Section {
	q, id := s.Questions[i], fmt.Sprintf("q%d", i)
	o := offering(q, MaxItem, true)
	sections := []Section{{Kind: Body, ID: id + ".text", Text: slices.Concat(heading(s, i), optional(q), o.lines())}}
	if !q.TextOnly() || q.Optional {
		choice := list(s, i, o, s.Draft[i], q.Optional)
		if choice.Required = q.NoOther && !q.Optional; !q.NoOther {
			choice.Label += ", or write your own answer below"
		}
		sections = append(sections, Section{Kind: Choice, ID: id, List: choice})
		id += ".other"
	}
	if !q.NoOther {
		input := s.input(i)
		input.Required = q.TextOnly() && !q.Optional
		sections = append(sections, Section{Kind: Entry, ID: id, Input: input})
	}
	if q.Notes {
		sections = append(sections, Section{Kind: Entry, ID: fmt.Sprintf("q%d.note", i), Input: s.note(i)})
	}
	return sections
}

const (
	yourAnswer  = "Your answer"
	yourReply   = "Your reply"
	otherAnswer = "Other answer"
	yourNote    = "Note"
)

// input is the field for the typed answer of question i.
func (s Subject) input(i int) *Input {
	in := &Input{Token: s.token(SubmitText, i, -1), Label: yourAnswer, Value: Cut(s.Draft[i].Other, MaxTyped, nil)}
	if i < 0 {
		in.Label, in.Hint = yourReply, "Takes the place of all answers, and ends the questions."
		if n := s.toDismiss(); n > 1 {
			in.Hint = fmt.Sprintf("Takes the place of your answers. It takes %d people to end the questions.", n)
		}
		return in
	}
	if i >= len(s.Questions) {
		return in
	}
	switch q := s.Questions[i]; {
	case q.TextOnly():
	case q.MultiSelect:
		in.Label, in.Hint = otherAnswer, "Counts together with what is chosen."
	default:
		in.Label, in.Hint = otherAnswer, "Takes the place of a chosen option."
	}
	return in
}
