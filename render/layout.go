package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/words"
)

// How much of a text is shown where it stands in full elsewhere, or only needs
// to be recognised. In characters.
const (
	agentShown   = 60
	summaryShown = 160
	loneShown    = 700
	contextShown = 400
	typedShown   = 300
	plainShown   = 2400
)

// Layout lays a request out within a platform's limits. See the package
// comment for what is cut and in which order.
func Layout(s Subject, l Limits) Card {
	s = s.clean()
	s.Notify, s.room = here(s.Notify, l), rooms[0]
	if s.Vote != nil {
		l.SharedDraft = false // Each person has a vote of their own.
	}
	switch {
	case s.Held != nil:
		return held(s, l)
	case s.Outcome.State.Ended():
		return ended(s, l)
	}
	c := Card{Request: s.ID, State: ask.Open, Language: s.Language, Summary: s.call(), Tells: s.tells(l)}
	for _, s.room = range rooms {
		fits := false
		if c.Sections, fits = s.open(c, l); fits {
			break
		}
	}
	return c
}

// open lays an open card out in the room that there is, and reports whether one message holds it.
func (s Subject) open(c Card, l Limits) (sections []Section, fits bool) {
	switch {
	case s.Filing != FilesStand:
		c.Sections = s.unfiled(c, l)
		return c.Sections, l.fits(c)
	case s.Plain && l.Pages && len(s.Questions) > 0:
		c.Sections = s.plainPage(l)
		return c.Sections, l.fits(c)
	case s.Plain:
		c.Sections = s.plain(l)
		return c.Sections, l.fits(c)
	}
	oneMessage := !s.cutAddress(l) && (!s.inForms(l) || s.oneForm(0, len(s.Questions)-1, l))
	if oneMessage && (l.Questions == 0 || len(s.Questions) <= l.Questions) {
		c.Sections = s.full(l)
		if l.fits(c) {
			return c.Sections, true
		}
	}
	if l.Pages && len(s.Questions) > 0 {
		c.Sections = s.paged(l)
	} else {
		c.Sections = s.short(l)
	}
	return c.Sections, l.fits(c)
}

// full shows everything in the message.
func (s Subject) full(l Limits) []Section {
	sections := s.asks()
	if s.Context != "" {
		sections = append(sections, Section{Kind: Body, ID: "context", Text: prose(s.Context)})
	}
	sections = append(sections, s.beside(l)...)
	for i := range s.Questions {
		sections = append(sections, question(s, i, l)...)
	}
	return slices.Concat(sections, closing(s, l), s.talk(l), s.votes(l), s.steps(l), s.notice(), []Section{s.terms(l)}, s.claiming(), []Section{s.leaving()})
}

// short shows an outline and leaves the rest to the form that [AnswerForm]
// makes.
func (s Subject) short(l Limits) []Section {
	sections := s.asks()
	if s.Context != "" {
		sections = append(sections, Section{Kind: Body, ID: "context", Text: prose(Cut(s.Context, contextShown, l.Width))})
	}
	sections = append(sections, s.beside(l)...)
	sections = append(sections, Section{Kind: Body, ID: "outline", Text: s.outline(loneShown, l)}, answering(s))
	return slices.Concat(sections, s.talk(l), s.votes(l), s.steps(l), s.notice(), []Section{s.terms(l)}, s.claiming(), []Section{s.leaving()})
}

// outline names each question on a line of its own, or a lone one with as many characters as five
// of them have.
func (s Subject) outline(most int, l Limits) []Span {
	if len(s.Questions) == 1 {
		return append(heading(s.cutting(0, most, l), 0), s.optional(s.Questions[0])...)
	}
	var spans []Span
	each := most / 5
	for i, q := range s.Questions {
		if i > 0 {
			spans = append(spans, Span{Text: "\n"})
		}
		number, text := fmt.Sprintf("%d.", i+1), oneLine(Cut(Line(q.Text), each, l.Width))
		if q.Header == "" || q.Header == q.Text {
			spans = append(append(spans, Span{Style: Bold, Text: number}, Span{Text: " "}), text...)
		} else {
			head := Cut(q.Header, each/2, l.Width)
			spans = append(append(spans, Span{Style: Bold, Text: number + " "}, Span{Style: Bold, Text: head}, Span{Text: " – "}), text...)
		}
		if q.Optional {
			spans = append(spans, Span{Style: Aside, Text: " " + s.voice.Card.OptionalShort})
		}
	}
	return spans
}

// plain is the form with nothing that a platform could object to: one text and
// a button that opens the form.
func (s Subject) plain(l Limits) []Section {
	lines := []string{s.voice.Card.Asks(s.asker(), 1) + ":"}
	if s.Context != "" {
		lines = append(lines, s.Context)
	}
	for _, link := range s.Links {
		lines = append(lines, Line(link.Label)+": "+link.URL)
	}
	lines = append(lines, s.filed()...)
	for i, q := range s.Questions {
		text := q.Text
		if len(s.Questions) > 1 {
			text = fmt.Sprintf("%d. %s", i+1, text)
		}
		if q.Optional {
			text += " " + s.voice.Card.OptionalShort
		}
		lines = append(lines, "", text)
		for _, o := range q.Options {
			line := "- " + o.Label
			if o.Description != "" {
				line += " – " + Line(o.Description)
			}
			lines = append(lines, line)
		}
	}
	plain := []Section{{Kind: Body, ID: "plain", Text: []Span{{Text: Cut(strings.Join(lines, "\n"), plainShown, l.Width)}}}}
	return slices.Concat(plain, []Section{answering(s)}, s.talk(l), s.plainVotes(l), s.steps(l), s.notice(), s.claiming(), []Section{s.leaving()})
}

// heading is a question's header and text.
func heading(s Subject, i int) []Span {
	q := s.Questions[i]
	head := q.Header
	if head == "" && len(s.Questions) > 1 {
		head = s.voice.Card.Question(i + 1)
	}
	if head == "" || head == q.Text {
		return prose(q.Text)
	}
	return append([]Span{{Style: Bold, Text: head}, {Text: "\n"}}, prose(q.Text)...)
}

// top is the line that says who asks.
func (s Subject) top(text string) []Section {
	return []Section{{Kind: Frame, ID: "agent", Text: fill(Plain, text, one(Span{Style: Bold, Text: s.asker()}))}}
}

// asks is that line of an open card.
func (s Subject) asks() []Section { return s.top(s.voice.Card.Asks(slot0, len(s.Questions))) }

func (s Subject) asker() string {
	return orElse(Cut(s.Agent, agentShown, nil), s.voice.Card.AnAgent)
}

// terms is the line that says who may answer and until when.
func (s Subject) terms(l Limits) Section {
	text := append(s.mayAnswer(l), s.rule()...)
	if !s.Deadline.IsZero() {
		text = append(text, fill(Plain, " · "+s.voice.Card.Until(slot0), one(s.moment(s.Deadline)))...)
	}
	text = append(text, s.typing(l)...)
	return Section{Kind: Frame, ID: "terms", Text: text}
}

// call is the summary of an open card.
func (s Subject) call() []Span {
	text := s.voice.Card.Asks(s.asker(), len(s.Questions))
	if len(s.Questions) > 0 {
		text += ": " + Cut(Line(s.Questions[0].Text), summaryShown, nil)
	}
	spans := []Span{{Text: text}}
	if len(s.Notify) > 0 {
		spans = append(append(spans, Span{Text: " · "}), s.told()...)
	}
	return spans
}

// moment is a time in the reader's own time zone. Where it cannot be shown so, English has
// the platform's own way to write it.
func (s Subject) moment(t time.Time) Span {
	span := Span{Style: Moment, Time: t}
	if s.voice.Card.Moment != words.In(words.Default).Card.Moment {
		span.Text = t.UTC().Format(s.voice.Card.Moment)
	}
	return span
}

// clean returns the subject with every text of other people as it may be shown.
func (s Subject) clean() Subject {
	s.voice = voiceIn(s.Language)
	s.Agent, s.Context, s.Place = Line(s.Agent), Clean(s.Context), Line(s.Place)
	s.Outcome.Reason = Clean(s.Outcome.Reason)
	s.Questions = slices.Clone(s.Questions)
	for i := range s.Questions {
		q := &s.Questions[i]
		q.Text, q.Header = orElse(Clean(q.Text), s.voice.Card.NoText), Line(q.Header)
		q.Options = slices.Clone(q.Options)
		for n := range q.Options {
			o := &q.Options[n]
			o.Label = orElse(Line(o.Label), s.voice.Card.Option(n+1))
			o.Description, o.Preview = Clean(o.Description), code(o.Preview)
		}
	}
	s.Vote, s.AskedBack = s.cleanVote(s.Vote), cleanTalk(s.AskedBack)
	draft := make(ask.Draft, len(s.Draft))
	for i, pick := range s.Draft {
		pick.Other, pick.Note.Text = Clean(pick.Other), Clean(pick.Note.Text)
		draft[i] = pick
	}
	s.Draft = draft
	s.Outcome.Answers = slices.Clone(s.Outcome.Answers)
	for i := range s.Outcome.Answers {
		a := &s.Outcome.Answers[i]
		a.Other, a.Notes = Clean(a.Other), Clean(a.Notes)
		a.Selected = slices.Clone(a.Selected)
		for n, label := range a.Selected {
			a.Selected[n] = orElse(Line(label), s.voice.Card.NoText)
		}
	}
	s.Outcome.Skipped, s.Outcome.Left = cleanUnanswered(s.Outcome.Skipped), cleanUnanswered(s.Outcome.Left)
	return s
}

// cleanUnanswered returns questions without an answer with notes as they may be shown.
func cleanUnanswered(all []ask.Unanswered) []ask.Unanswered {
	all = slices.Clone(all)
	for i := range all {
		all[i].Notes = Clean(all[i].Notes)
	}
	return all
}
