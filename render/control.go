package render

import (
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// How the options of one question are offered.
type control int

const (
	// written: there is nothing to choose from, only a button to write.
	written control = iota
	// buttons: one button per option.
	buttons
	// listed: radio buttons, checkboxes or a menu, as the platform has it.
	listed
	// asked: the control is in a form.
	asked
)

// choose is the one place that decides between buttons, lists and menus. A
// button answers with one tap, so a lone single-select question gets buttons,
// and so does every question where the message shows what is chosen. Where a
// choice can still change unseen until it is submitted, lists show it best. A
// menu costs a tap more and takes the least room: for long sets, and for more
// options than a phone shows buttons at once.
func choose(s Subject, q ask.Question, l Limits) control {
	switch {
	case inForms(s, l):
		return asked
	case q.TextOnly():
		return written
	case l.Lists && (len(s.Questions) > 1 || q.MultiSelect || q.Notes || q.Confirm):
		return listed
	case l.Menus > 0 && len(s.Questions) >= l.Menus:
		return listed
	case l.Buttons > 0 && len(q.Options) > l.Buttons:
		return listed
	case s.Vote != nil && l.Menus > 0 && (len(s.Questions) > 1 || q.MultiSelect || q.Notes || q.Confirm):
		return listed // A button could not show to each person what they chose.
	}
	return buttons
}

// needsSubmit reports whether the card needs a submit button: where several options may be chosen, or
// where the bridge does not see what a list holds until it is submitted.
func needsSubmit(s Subject, l Limits) bool {
	return ask.NeedsSubmit(s.Questions) || slices.ContainsFunc(s.Questions, func(q ask.Question) bool {
		return !l.SharedDraft && (len(s.Questions) > 1 || choose(s, q, l) == listed)
	})
}

// ticks reports whether a card offers to skip the question as an entry of a list, which
// shows to each person what they chose until they submit it. Elsewhere it is a button.
func ticks(s Subject, q ask.Question, l Limits) bool {
	return q.Optional && l.Lists && (len(s.Questions) > 1 || choose(s, q, l) == listed)
}

// asking is one question of an open card while it is laid out.
type asking struct {
	Subject
	l     Limits
	at    int // Which question it is.
	q     ask.Question
	how   control
	offer offer
	pick  ask.Pick // What the card shows to everybody as chosen.
	ticks bool     // See [ticks].
}

// question lays out one question of an open card: its text, then a list if it is offered so,
// then a row of buttons.
func question(s Subject, at int, l Limits) []Section {
	q := s.Questions[at]
	a := asking{Subject: s, l: l, at: at, q: q, how: choose(s, q, l), ticks: ticks(s, q, l)}
	most := MaxItem
	if a.how == buttons {
		most = l.buttonText()
	}
	a.offer = s.voice.offering(q, most, a.how != buttons)
	if s.cutLabels {
		a.offer.bare, a.offer.spelled = true, true
	}
	if a.how == asked {
		a.offer.spelled = len(q.Options) > 0 // Nothing else on the card shows them.
	}
	if l.SharedDraft {
		a.pick = s.Draft[at]
	}

	id := fmt.Sprintf("q%d", at)
	var sections []Section
	if s.prompt == nil {
		sections = []Section{{Kind: Body, ID: id + ".text", Text: a.text()}}
	} else {
		sections = s.promptSections()
	}
	if a.how == asked {
		return sections
	}
	row := Section{Kind: Row, ID: id, Buttons: a.row()}
	if a.how == listed || a.how == written && a.ticks {
		sections = append(sections, Section{Kind: Choice, ID: id, List: list(s, at, a.offer, a.pick, a.ticks)})
		row.ID += ".other"
	}
	if len(row.Buttons) > 0 {
		sections = append(sections, row)
	}
	return append(sections, a.reach()...)
}

// text is the question, what its controls cannot show of the options, and what is chosen so far.
func (a *asking) text() []Span {
	text := slices.Concat(heading(a.Subject, a.at), a.optional(a.q), a.offer.lines())
	add := func(label, said string) {
		text = append(text, Span{Style: Aside, Text: "\n" + label}, Span{Text: " " + said})
	}
	if a.how == asked {
		text = numbered(a.Subject, text, a.at)
	}
	if (a.how == buttons || a.how == asked) && a.q.MultiSelect {
		text = append(text, Span{Style: Aside, Text: "\n" + a.voice.Card.Any})
	}
	if a.how == asked && len(a.pick.Selected) > 0 {
		add(a.voice.Card.Chosen, a.offer.chosen(a.pick.Selected))
	}
	if a.pick.Other != "" {
		add(a.voice.Card.Typed, Cut(a.pick.Other, typedShown, a.l.Width))
	}
	by := ""
	switch {
	case a.pick.By.ID == "":
	case !a.pick.Empty():
		by = a.voice.Card.ChosenBy(slot0)
	case a.pick.Skipped:
		by = a.voice.Card.SkippedBy(slot0)
	}
	if by != "" {
		text = append(text, fill(Aside, "\n"+by, one(a.voice.person(a.pick.By, a.l)))...)
	}
	if a.pick.Note.Text != "" {
		add(a.voice.Card.Noted, Cut(a.pick.Note.Text, typedShown, a.l.Width))
	}
	return text
}

// row returns the buttons: the options if they are buttons, then those for other answers.
func (a *asking) row() []Button {
	var row []Button
	if a.how == buttons {
		for n := range a.q.Options {
			b := Button{Token: a.token(Choose, a.at, n), Label: a.offer.label(n), Chosen: slices.Contains(a.pick.Selected, n)}
			b.Main, b.Danger = a.q.Options[n].Style == ask.Primary, a.q.Options[n].Style == ask.Danger || a.denies(n)
			if b.Chosen && a.q.MultiSelect {
				b.Token.Verb = Drop
			}
			if a.Confirms {
				b.Token.Verb = OpenConfirm
			}
			row = append(row, b)
		}
	}
	if !a.q.NoOther {
		other := Button{Token: a.token(OpenText, a.at, -1), Label: a.voice.label.other}
		if a.how == written {
			other.Label = a.voice.label.answer
		}
		row = append(row, other)
	}
	switch {
	case !a.q.Optional || a.ticks:
	case a.pick.Skipped:
		row = append(row, Button{Token: a.token(Unskip, a.at, -1), Label: a.voice.label.skipped, Chosen: true})
	default:
		row = append(row, Button{Token: a.token(Skip, a.at, -1), Label: a.voice.label.skip})
	}
	return row
}

// closing returns the buttons that send the answers to all questions.
func closing(s Subject, l Limits) []Button {
	if inForms(s, l) {
		return formButtons(s, 0, len(s.Questions)-1, l)
	}
	if !needsSubmit(s, l) {
		return nil
	}
	return []Button{{Token: s.token(Submit, -1, -1), Label: s.voice.label.submit, Main: true}}
}

// answering is the button of a card whose questions stand in a form.
func answering(s Subject) []Button {
	return []Button{{Token: s.token(Answer, -1, -1), Label: s.voice.label.answer, Main: true}}
}

// more is the button for everything that is not a choice.
func more(s Subject) []Button {
	return []Button{{Token: s.token(OpenMore, -1, -1), Label: s.voice.label.more}}
}

// withControls adds the controls of the whole card below the last question: what sends the answers, the
// claim, and the one button for everything else. Those of a lone question join its own row: behind the
// options if they are buttons, and in front of what is below a list.
func withControls(s Subject, sections []Section, sending []Button) []Section {
	further := more(s)
	if s.Claims {
		further = append([]Button{{Token: s.token(Claiming, -1, -1), Label: s.voice.label.claim}}, further...)
	}
	last := len(sections) - 1
	if last >= 0 && sections[last].ID == reachID {
		last--
	}
	if len(s.Questions) > 1 || last < 0 || sections[last].Kind != Row || sections[last].ID == linksID {
		return slices.Insert(slices.Clone(sections), last+1, Section{Kind: Row, ID: "end", Buttons: append(sending, further...)})
	}
	row := sections[last]
	if last > 0 && sections[last-1].Kind == Choice {
		row.Buttons = slices.Concat(sending, row.Buttons, further)
	} else {
		row.Buttons = slices.Concat(row.Buttons, sending, further)
	}
	return slices.Concat(sections[:last], []Section{row}, sections[last+1:])
}

// numbered puts its number before the name of question i.
func numbered(s Subject, text []Span, i int) []Span {
	number := fmt.Sprintf("%d.", i+1)
	if text[0].Style == Bold {
		if text[0].Text == s.voice.Card.Question(i+1) {
			return text
		}
		number += " "
	} else {
		between := " "
		if text[0].Style == Bullet {
			between = "\n"
		}
		text = append([]Span{{Text: between}}, text...)
	}
	return append([]Span{{Style: Bold, Text: number}}, text...)
}
