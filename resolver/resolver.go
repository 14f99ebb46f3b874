// Package resolver asks people on behalf of agent hosts that use a Resolver: one method that
// takes questions and returns answers in the same order, as in askuserquestion-go
// (https://pkg.go.dev/github.com/dreamware-nz/askuserquestion-go).
//
//	Bridge   people in chat
//	Static   canned answers, for tests
//	Func     a function
//	Stdin    a person at a terminal
//	Console  the same, with the input format of Spring AI's example
//
// A host without a question tool gets one from [NewTool].
//
// [For] converts any of them to a function with that library's types, without a dependency on it:
//
//	r := resolver.New(b, &ask.Request{Route: "deploys"})
//	tool := askuserquestion.NewTool(askuserquestion.ResolverFunc(
//		resolver.For[askuserquestion.Request, askuserquestion.Answer](r, askuserquestion.ErrResolverCancelled)))
//
// An error means that there is no answer: [ErrCancelled] that a person dismissed the questions,
// [ErrExpired] that the questions expired without an answer. Answers are never invented.
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

// The types of a resolver.
type (
	// Resolver asks people and returns one answer for each question, in order.
	Resolver = dialect.Resolver
	// Request is a question set with the ID of the tool call.
	Request = dialect.ToolRequest
	// Answer has labels, or typed text that replaces them.
	Answer = dialect.ToolAnswer
	// Func converts a function to a Resolver.
	Func = dialect.ResolverFunc
)

// Why there is no answer.
var (
	// ErrCancelled means that a person dismissed the questions.
	ErrCancelled = dialect.ErrResolverCancelled
	// ErrReplied means that a person replied to the agent instead of answering; the error ends
	// with the reply.
	ErrReplied = errors.New("resolver: the questions were not answered; a person replied instead")
	// ErrWithdrawn means that the questions were cancelled or superseded.
	ErrWithdrawn = errors.New("resolver: the questions were withdrawn before anyone answered; do not assume an answer")
	// ErrExpired means that the questions expired without an answer.
	ErrExpired = errors.New("resolver: no one answered in time; do not assume an answer")
	// ErrFailed means that the questions could not be shown, or that a revision replaced them.
	ErrFailed = errors.New("resolver: the questions could not be asked; do not assume an answer")
)

// Asker asks and waits: a [*github.com/askbridge/askbridge/bridge.Bridge], or a client of a
// bridge by [AskFunc].
type Asker interface {
	Ask(ctx context.Context, r ask.Request) (ask.Outcome, error)
}

// AskFunc converts a function to an Asker.
type AskFunc func(ctx context.Context, r ask.Request) (ask.Outcome, error)

// Ask calls f.
func (f AskFunc) Ask(ctx context.Context, r ask.Request) (ask.Outcome, error) { return f(ctx, r) }

// Bridge asks people in chat. Create one with [New].
type Bridge struct {
	asker Asker
	like  ask.Request
}

// New returns a resolver that submits copies of a request, which sets the places, responders
// and expiry, with the questions and the tool-call ID of each call. The request may be nil. A
// question that a person asks the agent ends the call.
func New(a Asker, like *ask.Request) *Bridge {
	b := &Bridge{asker: a}
	if like != nil {
		b.like = *like
	}
	return b
}

var _ Resolver = (*Bridge)(nil)

// Ask implements [Resolver]. The tool-call ID is the idempotency key.
func (b *Bridge) Ask(ctx context.Context, req Request) ([]Answer, error) {
	r := b.like
	r.ToolCallID, r.Questions = req.ToolCallID, req.Questions
	r.Deaf = true // The library has no events between call and result.
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

// answers returns one answer for each question, which may be empty. An answer to a question that
// a revision has replaced does not count.
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

// For returns r as a function with another library's types: its request has the fields
// ToolCallID and Questions, and its questions the JSON of the tool schema. cancelled replaces
// [ErrCancelled]; it may be nil.
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

// Static returns the same answers, or the same error, for every call.
type Static struct {
	Answers []Answer
	Err     error
}

var _ Resolver = Static{}

// Ask implements [Resolver].
func (s Static) Ask(context.Context, Request) ([]Answer, error) { return s.Answers, s.Err }
