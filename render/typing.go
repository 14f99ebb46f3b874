package render

import (
	"slices"

	"github.com/askbridge/askbridge/ask"
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
	how := ""
	switch t := s.Typing; {
	case texts && (t.Strict || !t.Own):
		return nil // No message could answer everything.
	case t.Strict:
		how = " with “" + t.Code + ":” and a whole label"
	case len(s.Questions) > 1:
		how = " with one line for each question (code " + t.Code + ")"
	case choices:
		how = " with a label or its number (code " + t.Code + ")"
	default:
		how = " in your own words (code " + t.Code + ")"
	}
	return []Span{{Text: " · or " + l.Typing + how}}
}
