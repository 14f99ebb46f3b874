package render

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// inForms reports whether the questions are answered in forms: on platforms that want it, for two
// questions and more. A lone question is answered with one tap, the plain card has nothing that a
// platform could reject, and questions that can be skipped or have notes need more controls than a
// form has fields.
func inForms(s Subject, l Limits) bool {
	more := func(q ask.Question) bool { return q.Optional || q.Notes }
	return l.FormFields > 0 && len(s.Questions) > 1 && !s.Plain && !slices.ContainsFunc(s.Questions, more)
}

// takesOwnWords lists the questions from first to last that have options and take typed text as well.
func takesOwnWords(s Subject, first, last int) []int {
	var own []int
	for q := first; q <= last; q++ {
		if question := s.Questions[q]; !question.TextOnly() && !question.NoOther {
			own = append(own, q)
		}
	}
	return own
}

// fitsTogether reports whether one form holds the questions from first to last, each with a field for
// typed text if it takes some.
func fitsTogether(s Subject, first, last int, l Limits) bool {
	return last-first+1+len(takesOwnWords(s, first, last)) <= l.FormFields
}

// fitsOneForm reports whether one form holds the questions from first to last, with all text on their
// controls. A single question fits any form.
func fitsOneForm(s Subject, first, last int, l Limits) bool {
	if last-first >= l.FormFields {
		return false
	}
	size := 0
	for q := first; q <= last; q++ {
		text, hint := formLabels(s, q)
		size += 2 * (Units(text) + Units(hint)) // Over the options, and over what is typed.
		for _, item := range optionGroup(s, q, false).List.Items {
			size += Units(item.Label) + Units(item.Description)
		}
	}
	return first == last || l.Text == 0 || size <= l.Text
}

// formButtons open the forms of a page: one with its questions, and another one for typed text if the
// first has no room for it.
func formButtons(s Subject, first, last int, l Limits) []Button {
	row := []Button{{Token: s.token(Answer, first, last), Label: s.voice.label.answer, Main: true}}
	if !fitsTogether(s, first, last, l) && len(takesOwnWords(s, first, last)) > 0 {
		row = append(row, Button{Token: s.token(OpenText, first, last), Label: s.voice.label.other})
	}
	return row
}

// PartForm asks some of the questions, in few words because their card shows them in full. The token
// is that of the button that opens it: its verb is [Answer] or, for typed answers, [OpenText], and it
// has the first and the last question. It reports false for a token that fits no page of the card.
func PartForm(s Subject, t Token, l Limits) (Form, bool) {
	s = s.clean()
	first, last := t.Question, t.Option
	if t.Verb != Answer && t.Verb != OpenText || !inForms(s, l) || first < 0 || last < first || last >= len(s.Questions) || !fitsOneForm(s, first, last, l) {
		return Form{}, false
	}
	f := Form{Token: s.token(AnsweredAll, first, last), Title: s.voice.Form.AnswerFrom(first+1, last+1), Submit: s.voice.Form.Submit, Close: s.voice.Form.Cancel}
	switch {
	case first == last:
		f.Title = s.voice.Form.AnswerNumber(first + 1)
	case first == 0 && last == len(s.Questions)-1:
		f.Title = s.voice.Form.AnswerMany(len(s.Questions))
	}
	if t.Verb == OpenText {
		for _, q := range takesOwnWords(s, first, last) {
			f.Sections = append(f.Sections, textField(s, q, false))
		}
		return f, len(f.Sections) > 0
	}
	words := fitsTogether(s, first, last, l)
	whole := words && first == 0 && last == len(s.Questions)-1
	for q := first; q <= last; q++ {
		if !s.Questions[q].TextOnly() {
			f.Sections = append(f.Sections, optionGroup(s, q, whole))
		}
		if s.Questions[q].TextOnly() || words && !s.Questions[q].NoOther {
			f.Sections = append(f.Sections, textField(s, q, whole))
		}
	}
	return f, true
}

// optionGroup offers the options of question q in a form. Only a form with the whole request requires
// an answer: from any other one people go on to the next.
func optionGroup(s Subject, q int, whole bool) Section {
	l := list(s, q, s.voice.offering(s.Questions[q], MaxItem, true), s.Draft[q], false)
	l.Label, l.Hint = formLabels(s, q)
	l.Required = whole && s.Questions[q].NoOther
	return Section{Kind: Choice, ID: fmt.Sprintf("q%d", q), List: l}
}

// textField takes the typed answer of question q in a form.
func textField(s Subject, q int, whole bool) Section {
	in := answerInput(s, q)
	question := s.Questions[q]
	in.Empty, in.Required = in.Hint, whole && question.TextOnly()
	in.Label, in.Hint = formLabels(s, q)
	id := fmt.Sprintf("q%d", q)
	if !question.TextOnly() {
		in.Label, id = fmt.Sprintf("%d. %s", q+1, s.voice.Form.OtherAnswer), id+".other"
	}
	return Section{Kind: Entry, ID: id, Input: in}
}

// formLabels name question q in a form: its number and header, and its text if that adds something.
func formLabels(s Subject, q int) (label, hint string) {
	text := Line(s.Questions[q].Text)
	head := orElse(s.Questions[q].Header, text)
	return fmt.Sprintf("%d. %s", q+1, head), text
}
