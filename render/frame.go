package render

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/words"
)

// top is the line that names the agent.
func (s Subject) top(text string) []Section {
	return []Section{{Kind: Frame, ID: "agent", Text: fill(Plain, text, one(Span{Style: Bold, Text: s.asker()}))}}
}

// asks is that line of a form.
func (s Subject) asks() []Section { return s.top(s.lead(slot0)) }

// lead is the line above the questions: what the agent asks, or asks to do.
func (s Subject) lead(agent string) string {
	if s.prompt != nil {
		return s.wants(agent)
	}
	return s.voice.Card.Asks(agent, len(s.Questions))
}

// opening is that line of an open card, with the person on whose behalf the agent asks and where it
// works.
func (s Subject) opening(l Limits) []Section {
	top := s.asks()
	top[0].Text = append(top[0].Text, slices.Concat(s.onBehalf(l), s.workplace())...)
	return top
}

// onBehalf names the requester: by the account on the card's platform if there is one, and without
// notifying someone who is not notified anyway.
func (s Subject) onBehalf(l Limits) []Span {
	if len(s.Requesters) == 0 {
		return nil
	}
	on := func(p ask.Person) bool { return p.Platform == l.Platform }
	who := s.Requesters[max(0, slices.IndexFunc(s.Requesters, on))]
	name := s.voice.unrung
	if slices.ContainsFunc(rings(s, l), func(told ask.Person) bool { return told.Key() == who.Key() }) {
		name = s.voice.person
	}
	return append([]Span{{Text: " · "}}, fill(Plain, s.voice.Card.For(slot0), one(name(who, l)))...)
}

// workplace is the link to where the agent works. Its text ends with the host, so that readers need
// not trust the title. Square brackets in the title could end the text of a link early.
func (s Subject) workplace() []Span {
	u, err := url.Parse(s.Source.URL)
	if err != nil || s.Source.IsZero() {
		return nil
	}
	title := Isolate(unbracketed.Replace(Line(s.Source.Title))) + " (" + u.Host + ") " + linkSign
	return []Span{{Text: " · "}, {Style: Link, Text: title, URL: s.Source.URL}}
}

// unbracketed replaces square brackets by round ones.
var unbracketed = strings.NewReplacer("[", "(", "]", ")")

func (s Subject) asker() string {
	return orElse(Cut(s.Agent, agentShown, nil), s.voice.Card.AnAgent)
}

// call is the summary of an open card.
func (s Subject) call() []Span {
	text := s.lead(s.asker())
	if len(s.Questions) > 0 {
		text += ": " + Cut(Line(s.about()), summaryShown, nil)
	}
	spans := []Span{{Text: text}}
	if len(s.Notify) > 0 {
		spans = append(append(spans, Span{Text: " · "}), notified(s)...)
	}
	return spans
}

// how explains in a sentence how to answer with the controls of a card, for notifications and screen readers.
func (s Subject) how(sections []Section) string {
	say := s.voice.Card
	var labels []string
	form, send, list, write := false, false, false, false
	for _, sec := range sections {
		list = list || sec.Kind == Choice
		for _, b := range sec.Buttons {
			switch b.Token.Verb {
			case Choose, OpenConfirm, Drop:
				labels = append(labels, Line(b.Label))
			case Answer:
				form = true
			case Submit:
				send = true
			case OpenText:
				write = write || b.Token.Question >= 0
			}
		}
	}
	switch {
	case s.Filing == FilesDue:
		return s.voice.Files.Due
	case s.Filing == FilesMissing:
		return s.voice.Files.Missing
	case form:
		return say.ByForm
	case send:
		return say.BySubmit
	case list:
		return say.ByList
	case len(labels) > 0 && len(s.Questions) == 1:
		return say.ByButton(Cut(s.voice.either(labels), summaryShown, nil))
	case len(labels) > 0:
		return say.ByButtons
	case write:
		return say.ByText
	}
	return ""
}

// either joins alternatives.
func (v *voice) either(labels []string) string {
	last := len(labels) - 1
	if last < 1 {
		return strings.Join(labels, "")
	}
	return strings.Join(labels[:last], ", ") + " " + v.People.Or + " " + labels[last]
}

// soonAfter is how long after the request a time of day is enough.
const soonAfter = 12 * time.Hour

// moment is a time in the reader's own time zone. Where it cannot be shown so, English has
// the platform's own way to write it.
func (s Subject) moment(t time.Time) Span {
	span := Span{Style: Moment, Time: t}
	if after := t.Sub(s.Asked); !s.Asked.IsZero() && after >= 0 && after < soonAfter {
		span.When = Soon
	}
	if s.voice.Card.Moment != words.In(words.Default).Card.Moment {
		span.Text = t.UTC().Format(s.voice.Card.Moment)
	}
	return span
}

// deadline is a time at which something ends.
func (s Subject) deadline(t time.Time) Span {
	span := s.moment(t)
	span.When = Due
	return span
}

func (s Subject) token(v Verb, question, option int) Token {
	return Token{Request: s.ID, Mark: s.Mark, Revised: s.Revised, Verb: v, Question: question, Option: option}
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

// optional marks a question that need not be answered.
func (s Subject) optional(q ask.Question) []Span {
	if !q.Optional {
		return nil
	}
	return []Span{{Style: Aside, Text: "\n" + s.voice.Card.Optional}}
}
