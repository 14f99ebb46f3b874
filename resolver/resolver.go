// Package resolver asks people on behalf of agent hosts that know a Resolver:
// one method that takes questions and returns answers in the same order, the
// shape of askuserquestion-go (https://pkg.go.dev/github.com/dreamware-nz/askuserquestion-go).
//
//	Bridge   people in chat
//	Static   canned answers, for tests
//	Func     a function
//	Stdin    somebody at a terminal
//	Console  the same, as Spring AI's example reads a line
//
// A host that has no question tool takes the whole of it from [NewTool].
//
// [For] turns any of them into a function of that library's own types, so that
// nothing here depends on it:
//
//	r := resolver.New(b, &ask.Request{Route: "deploys"})
//	tool := askuserquestion.NewTool(askuserquestion.ResolverFunc(
//		resolver.For[askuserquestion.Request, askuserquestion.Answer](r, askuserquestion.ErrResolverCancelled)))
//
// An error means that there is no answer, and says why: [ErrCancelled] that a
// person dismissed the questions, [ErrExpired] that nobody answered in time.
// Nothing is ever made up in its place.
package resolver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// The shape of a resolver.
type (
	// Resolver asks people and returns one answer for each question, in order.
	Resolver = dialect.Resolver
	// Request is a question set with the id of the tool call.
	Request = dialect.ToolRequest
	// Answer is labels, or typed text that replaces them.
	Answer = dialect.ToolAnswer
	// Func makes a Resolver of a function.
	Func = dialect.ResolverFunc
)

// Why there is no answer.
var (
	// ErrCancelled means that a person dismissed the questions.
	ErrCancelled = dialect.ErrResolverCancelled
	// ErrReplied means that a person answered none of the questions, and wrote
	// something to the agent in place; the error ends in that.
	ErrReplied = errors.New("resolver: nobody answered the questions; in place of that a person replied")
	// ErrWithdrawn means that the questions were taken back, or that newer ones
	// took their place.
	ErrWithdrawn = errors.New("resolver: the questions were withdrawn before anyone answered; do not assume an answer")
	// ErrExpired means that nobody answered in time.
	ErrExpired = errors.New("resolver: nobody answered in time; do not assume an answer")
	// ErrFailed means that the questions could not be shown to anybody, or that other ones
	// took their place in a revision.
	ErrFailed = errors.New("resolver: the questions could not be asked; do not assume an answer")
)

// Asker asks and waits. A [*github.com/askbridge/askbridge/bridge.Bridge] is one;
// [AskFunc] makes one of a client of a bridge elsewhere.
type Asker interface {
	Ask(ctx context.Context, r ask.Request) (ask.Outcome, error)
}

// AskFunc makes an Asker of a function.
type AskFunc func(ctx context.Context, r ask.Request) (ask.Outcome, error)

// Ask calls f.
func (f AskFunc) Ask(ctx context.Context, r ask.Request) (ask.Outcome, error) { return f(ctx, r) }

// Bridge asks people in chat. Make one with [New].
type Bridge struct {
	asker Asker
	like  ask.Request
}

// New returns a resolver that asks as the request says (where, whom, for how
// long); its questions and tool-call id come from each call. Nil leaves
// everything to the bridge. What people ask the agent ends the call.
func New(a Asker, like *ask.Request) *Bridge {
	b := &Bridge{asker: a}
	if like != nil {
		b.like = *like
	}
	return b
}

var _ Resolver = (*Bridge)(nil)

// Ask implements [Resolver]. The same tool-call id finds the same request.
func (b *Bridge) Ask(ctx context.Context, req Request) ([]Answer, error) {
	r := b.like
	r.ToolCallID, r.Questions = req.ToolCallID, req.Questions
	r.Deaf = true // The library knows call and result, nothing between them.
	out, err := b.asker.Ask(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("resolver: ask: %w", err)
	}
	switch out.End() {
	case ask.EndAnswered:
		return answers(req.Questions, out.Answers)
	case ask.EndReplied:
		return nil, fmt.Errorf("%w: %s", ErrReplied, out.Reply())
	case ask.EndDismissed:
		return nil, ErrCancelled
	case ask.EndWithdrawn, ask.EndSuperseded:
		return nil, ErrWithdrawn
	case ask.EndExpired:
		return nil, ErrExpired
	}
	if out.Reason != "" {
		return nil, fmt.Errorf("%w: %s", ErrFailed, out.Reason)
	}
	return nil, ErrFailed
}

// answers pairs answers with questions. A question without one keeps its place. An answer to
// what has taken a question's place since, in a revision, is none to that question.
func answers(questions []ask.Question, given []ask.Answer) ([]Answer, error) {
	all := make([]Answer, len(questions))
	for n, q := range questions {
		all[n].Question = q.Text
	}
	none := true
	for _, a := range given {
		if a.Index < 0 || a.Index >= len(all) {
			return nil, fmt.Errorf("%w: an answer belongs to no question", ErrFailed)
		}
		if len(a.Selected) == 0 && a.Other == "" {
			continue
		}
		if q := questions[a.Index]; a.Question != q.Text || slices.ContainsFunc(a.Selected, func(label string) bool { return !offers(q, label) }) {
			return nil, fmt.Errorf("%w: what was asked has been revised since", ErrFailed)
		}
		all[a.Index].Selected, all[a.Index].Other, none = a.Selected, a.Other, false
	}
	if none {
		return nil, fmt.Errorf("%w: the answer is empty", ErrFailed)
	}
	return all, nil
}

func offers(q ask.Question, label string) bool {
	return slices.ContainsFunc(q.Options, func(o ask.Option) bool { return o.Label == label })
}

// For returns r as a function of another library's types: its request has the
// members ToolCallID and Questions, and its questions the JSON of the tool
// schema. Cancelled is that library's own error for [ErrCancelled]; nil leaves
// ours.
func For[Req any, Ans ~struct {
	Question string
	Selected []string
	Other    string
}](r Resolver, cancelled error) func(context.Context, Req) ([]Ans, error) {
	return func(ctx context.Context, req Req) ([]Ans, error) {
		data, err := json.Marshal(req)
		if err != nil {
			return nil, fmt.Errorf("resolver: read request: %w", err)
		}
		var read struct {
			ToolCallID string
			Questions  json.RawMessage
		}
		if err := json.Unmarshal(data, &read); err != nil {
			return nil, fmt.Errorf("resolver: read request: %w", err)
		}
		questions, _, err := ask.DecodeQuestions(read.Questions)
		if err != nil {
			return nil, fmt.Errorf("resolver: read request: %w", err)
		}
		got, err := r.Ask(ctx, Request{ToolCallID: read.ToolCallID, Questions: questions})
		if cancelled != nil && errors.Is(err, ErrCancelled) {
			return nil, cancelled
		}
		if err != nil {
			return nil, err
		}
		all := make([]Ans, len(got))
		for n, a := range got {
			all[n] = Ans(a)
		}
		return all, nil
	}
}

// Static gives the same answers, or the same error, to every call.
type Static struct {
	Answers []Answer
	Err     error
}

var _ Resolver = Static{}

// Ask implements [Resolver].
func (s Static) Ask(context.Context, Request) ([]Answer, error) { return s.Answers, s.Err }
