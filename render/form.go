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
	f := Form{Token: s.token(SubmitText, q, -1), Title: s.voice.Form.OtherAnswer, Submit: s.voice.Form.Send, Close: s.voice.Form.Cancel}
	input := answerInput(s, q)
	input.Required = input.Value == "" // What is there can be taken away.
	if q >= 0 && q < len(s.Questions) {
		f.Sections = append(s.top(s.voice.Card.Asks(slot0, 1)), Section{Kind: Body, ID: fmt.Sprintf("q%d.text", q), Text: heading(s, q)})
	}
	if len(s.Questions) == 1 && q == 0 && !ask.NeedsSubmit(s.Questions) {
		input.Hint = "" // What is sent is the answer: nothing was chosen before.
	}
	switch {
	case q < 0:
		f.Title = input.Label
		if len(s.Questions) > 0 {
			f.Sections = s.asks()
		}
	case input.Label == s.voice.Form.YourAnswer:
		f.Title = s.voice.Form.YourAnswer
	}
	f.Sections = append(f.Sections, Section{Kind: Entry, ID: fmt.Sprintf("q%d", q), Input: input})
	return f
}

// ConfirmForm repeats what is asked, and asks for confirmation of an option. It reports false if there is no such option.
func ConfirmForm(s Subject, question, option int) (Form, bool) {
	s = s.clean()
	if question >= len(s.Questions) || option >= len(s.Questions[question].Options) {
		return Form{}, false
	}
	f := Form{Token: s.token(Confirmed, question, option), Title: s.voice.Form.ConfirmChoice, Submit: s.voice.Form.Confirm, Close: s.voice.Form.Cancel}
	f.Sections = s.asks()
	context, _ := contextSection(s, 0, Limits{})
	f.Sections = append(slices.Concat(f.Sections, context), fileSections(s)...)
	if s.prompt != nil {
		f.Sections = append(f.Sections, s.promptSections()...)
	} else {
		f.Sections = append(f.Sections, Section{Kind: Body, ID: fmt.Sprintf("q%d.text", question), Text: heading(s, question)})
	}
	o := s.Questions[question].Options[option]
	text := append([]Span{{Style: Aside, Text: s.voice.Form.YouChoose}, {Text: " "}}, Span{Style: Bold, Text: Line(o.Label)})
	if o.Description != "" {
		text = append(text, Span{Text: "\n" + o.Description})
	}
	f.Sections = append(f.Sections, Section{Kind: Body, ID: "confirm", Text: text})
	return f, true
}

// NoteForm asks for the note on the answer to question q. The subject may hold nothing but the ID, as
// in [WriteForm].
func NoteForm(s Subject, q int) Form {
	s = s.clean()
	f := Form{Token: s.token(SubmitNote, q, -1), Title: s.voice.Form.Note, Submit: s.voice.Form.Save, Close: s.voice.Form.Cancel}
	if q >= 0 && q < len(s.Questions) {
		f.Sections = append(s.top(s.voice.Card.Asks(slot0, 1)), Section{Kind: Body, ID: fmt.Sprintf("q%d.text", q), Text: heading(s, q)})
	}
	f.Sections = append(f.Sections, Section{Kind: Entry, ID: fmt.Sprintf("q%d", q), Input: noteInput(s, q)})
	return f
}

// noteInput is the field for the note on the answer to question i.
func noteInput(s Subject, i int) *Input {
	return &Input{
		Token: s.token(SubmitNote, i, -1), Label: s.voice.Form.Note, Hint: s.voice.Form.NoteHint,
		Value: Cut(s.Draft[i].Note.Text, MaxTyped, nil),
	}
}

// DismissForm asks for confirmation that the request should end without an answer, and for a message
// to the agent if it can receive one. The subject may hold nothing but the ID, as in [WriteForm].
func DismissForm(s Subject) Form {
	s = s.clean()
	f := Form{Token: s.token(Dismissed, -1, -1), Title: s.voice.Form.DismissOne, Submit: s.voice.Form.Dismiss, Close: s.voice.Form.KeepOpen}
	switch len(s.Questions) {
	case 0:
	case 1:
		text := Cut(Line(s.Questions[0].Text), summaryShown, nil)
		f.Sections = append(s.asks(), Section{Kind: Body, ID: "q0.text", Text: []Span{{Text: text}}})
	default:
		f.Title, f.Sections = s.voice.Form.DismissAll, s.asks()
	}
	input := answerInput(s, -1)
	input.Label, input.Hint = s.voice.Form.Reason, s.voice.Form.DismissHint
	warning := s.voice.Form.NobodyAfter
	if n := needToDismiss(s); n > 1 {
		warning = s.voice.Form.TakesToDismiss(n)
	}
	if s.Wordless {
		warning += "\n" + s.voice.Form.NoWords
	}
	f.Sections = append(f.Sections, Section{Kind: Body, ID: "dismiss", Text: []Span{{Text: warning}}})
	if !s.Wordless {
		f.Sections = append(f.Sections, Section{Kind: Entry, ID: "q-1", Input: input})
	}
	return f
}

// AnswerForm asks every question of the request, in full.
func AnswerForm(s Subject) Form {
	s = s.clean()
	f := Form{Token: s.token(AnsweredAll, -1, -1), Title: s.voice.Form.Answer, Close: s.voice.Form.Close}
	if len(s.Questions) == 0 {
		f.Sections = []Section{{Kind: Body, ID: "none", Text: []Span{{Text: s.voice.Form.CannotShow}}}}
		return f
	}
	f.Submit, f.Close = s.voice.Form.Submit, s.voice.Form.Cancel
	if n := len(s.Questions); n > 1 {
		f.Title = s.voice.Form.AnswerMany(n)
	}
	f.Sections = s.asks()
	context, _ := contextSection(s, 0, Limits{})
	f.Sections = append(f.Sections, context...)
	if links := linkSections(s, Limits{}); links != nil {
		f.Sections = append(f.Sections, links[0]) // The buttons are on the card.
	}
	f.Sections = append(f.Sections, fileSections(s)...)
	for i := range s.Questions {
		if i > 0 {
			f.Sections = append(f.Sections, Section{Kind: Rule, ID: fmt.Sprintf("q%d.rule", i)})
		}
		f.Sections = append(f.Sections, formFields(s, i)...)
	}
	return f
}

// formFields is one question of a form. The first input has the ID "q<index>", so that an error can be
// shown at the answer.
func formFields(s Subject, i int) []Section {
	q, id := s.Questions[i], fmt.Sprintf("q%d", i)
	o := s.voice.offering(q, MaxItem, true)
	sections := []Section{{Kind: Body, ID: id + ".text", Text: slices.Concat(heading(s, i), s.optional(q), o.lines())}}
	if s.prompt != nil {
		sections = s.promptSections()
		if o.spelled {
			sections = append(sections, Section{Kind: Body, ID: id + ".reach", Text: o.reach()})
		}
	}
	if !q.TextOnly() || q.Optional {
		choice := list(s, i, o, s.Draft[i], q.Optional)
		if choice.Required = q.NoOther && !q.Optional; !q.NoOther {
			choice.Label = s.voice.Form.OrWrite(choice.Label)
		}
		sections = append(sections, Section{Kind: Choice, ID: id, List: choice})
		id += ".other"
	}
	if !q.NoOther {
		input := answerInput(s, i)
		input.Required = q.TextOnly() && !q.Optional
		sections = append(sections, Section{Kind: Entry, ID: id, Input: input})
	}
	if q.Notes {
		sections = append(sections, Section{Kind: Entry, ID: fmt.Sprintf("q%d.note", i), Input: noteInput(s, i)})
	}
	return sections
}

// answerInput is the field for the typed answer of question i.
func answerInput(s Subject, i int) *Input {
	in := &Input{Token: s.token(SubmitText, i, -1), Label: s.voice.Form.YourAnswer, Value: Cut(s.Draft[i].Other, MaxTyped, nil)}
	if i < 0 {
		in.Label, in.Hint = s.voice.Form.YourReply, s.voice.Form.ReplyHint
		if n := needToDismiss(s); n > 1 {
			in.Hint = s.voice.Form.ReplyVoteHint(n)
		}
		return in
	}
	if i >= len(s.Questions) {
		return in
	}
	switch q := s.Questions[i]; {
	case q.TextOnly():
	case q.MultiSelect:
		in.Label, in.Hint = s.voice.Form.OtherAnswer, s.voice.Form.BesideHint
	default:
		in.Label, in.Hint = s.voice.Form.OtherAnswer, s.voice.Form.InsteadHint
	}
	return in
}
