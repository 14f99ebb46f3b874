package render

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
)

// The ways to write a message that answers a card, for [Limits.Typing].
const (
	TypedInThread = "thread"
	TypedAsReply  = "reply"
)

// typingHint explains how to answer with a message.
func typingHint(s Subject, l Limits) []Span {
	if s.Typing == nil || l.Typing == "" {
		return nil
	}
	choices := slices.ContainsFunc(s.Questions, func(q ask.Question) bool { return !q.TextOnly() })
	texts := slices.ContainsFunc(s.Questions, ask.Question.TextOnly)
	way, what, say := l.Typing, "", s.voice.Typing
	switch way {
	case TypedInThread:
		way = say.InThread
	case TypedAsReply:
		way = say.AsReply
	}
	switch t := s.Typing; {
	case texts && (t.Strict || !t.Own):
		return nil // No message could answer everything.
	case t.Strict:
		what = say.Label(t.Code)
	case len(s.Questions) > 1:
		what = say.Lines
	case choices:
		what = say.Number
	default:
		what = say.Own
	}
	if code := s.Typing.Code; code != "" && !s.Typing.Strict {
		what = say.Coded(what, code)
	}
	return []Span{{Text: " · " + say.Or(way, what)}}
}

// terms is the line with who may answer and until when.
func terms(s Subject, l Limits) Section {
	text := append(s.mayAnswer(l), voteRule(s)...)
	for _, until := range expiry(s) {
		text = append(append(text, Span{Text: " · "}), until.Text...)
	}
	text = append(text, typingHint(s, l)...)
	return Section{Kind: Frame, ID: "terms", Text: text}
}

// expiry is the line that names the deadline, if there is one.
func expiry(s Subject) []Section {
	if s.Deadline.IsZero() {
		return nil
	}
	return []Section{{Kind: Frame, ID: "terms", Text: fill(Plain, s.voice.Card.Until(slot0), one(s.deadline(s.Deadline)))}}
}
