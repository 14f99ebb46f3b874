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

// Typing is what messages beside a card can answer.
type Typing struct {
	// Code is the request's short code.
	Code string
	// Strict tells that only a whole label behind the code counts.
	Strict bool
	// Own tells that text of one's own counts, where a question takes it.
	Own bool
}

// typing says how to answer with a message.
func (s Subject) typing(l Limits) []Span {
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
		what = say.Lines(t.Code)
	case choices:
		what = say.Number(t.Code)
	default:
		what = say.Own(t.Code)
	}
	return []Span{{Text: " · " + say.Or(way, what)}}
}
