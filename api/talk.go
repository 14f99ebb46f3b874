package api

import (
	"context"
	"errors"
	"net/http"
	"unicode/utf8"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/client"
)

// reviseRequest replaces the questions or the context of a request: PATCH /v1/requests/{id}.
func reviseRequest(x *exchange) error {
	data, err := x.parse(`{"questions":[…]}, {"context":"…"} or both`)
	if err != nil {
		return err
	}
	v, err := ask.DecodeRevision(data)
	if err != nil {
		return unspoken(&bridge.Record{}, err, "nothing was revised")
	}
	after, err := change(x, func(b *bridge.Bridge, ctx context.Context, id string) (bridge.Record, error) {
		return b.Talk().Revise(ctx, id, v, x.who.Voting)
	})
	if err != nil || !after.Open() {
		return unspoken(after, err, "nothing was revised")
	}
	reply := show(x, after)
	reply.Advice = remarks(ask.Advise(after.Questions))
	return x.reply(http.StatusOK, reply)
}

// replyTo records the agent's reply to a person's question: POST /v1/requests/{id}/reply.
func replyTo(x *exchange) error {
	var given client.ReplyBody
	if err := x.parseForm(&given, true, "no reply was recorded", `send {"text":"…"}, and {"to":1} too if several questions are unanswered`); err != nil {
		return err
	}
	p := problem(http.StatusUnprocessableEntity, "no reply was recorded")
	switch n := utf8.RuneCountInString(given.Text); {
	case ask.Typed(given.Text) == "":
		_ = p.at("text", "contains no visible text")
	case n > ask.MaxAsked:
		_ = p.at("text", "has %d characters; at most %d are allowed", n, ask.MaxAsked)
	}
	if given.To < 0 {
		_ = p.at("to", "must be the number of what a person asked")
	}
	if len(p.Errors) > 0 {
		return p
	}
	after, err := change(x, func(b *bridge.Bridge, ctx context.Context, id string) (bridge.Record, error) {
		return b.Talk().Reply(ctx, id, given.To, given.Text)
	})
	if err != nil || !after.Open() {
		return unspoken(after, err, "no reply was recorded")
	}
	return x.reply(http.StatusOK, show(x, after))
}

// markTaken acknowledges the answer: POST /v1/requests/{id}/taken.
func markTaken(x *exchange) error {
	var given client.TakenBody
	if err := x.parseForm(&given, false, "nothing was recorded", `send {"instead":"…"}, or no body`); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(given.Instead); n > maxReason {
		return problem(http.StatusUnprocessableEntity, "nothing was recorded").at("instead", "has %d characters; at most %d are allowed", n, maxReason)
	}
	return changes(func(b *bridge.Bridge, ctx context.Context, id string) (bridge.Record, error) {
		if instead := ask.Typed(given.Instead); instead != "" {
			return b.Talk().Overrule(ctx, id, instead)
		}
		return b.Talk().Take(ctx, id)
	})(x)
}

// unspoken returns the problem for an agent's message that did not count.
func unspoken(r *bridge.Record, err error, nothing string) error {
	var p *failure
	invalid, wrong := errors.AsType[*ask.InvalidError](err)
	switch {
	case err == nil:
		p = problem(http.StatusConflict, "this request is %s already; %s", r.Outcome.State, nothing)
	case errors.Is(err, record.ErrRevised):
		p = problem(http.StatusConflict, "this request was revised in the meantime, and is at revision %d; %s", r.Revised, nothing)
	case errors.Is(err, record.ErrRevisions):
		p = problem(http.StatusConflict, "this request was revised %d times and cannot be any more; make a new one that supersedes it", ask.MaxRevisions)
	case errors.Is(err, record.ErrPermission):
		p = problem(http.StatusConflict, "this is a permission prompt, and people decide on the call exactly as it was submitted; %s", nothing)
	case errors.Is(err, record.ErrReplied):
		p = problem(http.StatusConflict, "this has another reply already; %s", nothing)
	case errors.Is(err, record.ErrNotAsked):
		p = problem(http.StatusUnprocessableEntity, "%s", nothing).at("to", "must be the number of what a person asked; asked_back has %d", len(r.AskedBack))
	case wrong:
		p = problem(http.StatusUnprocessableEntity, "%s", nothing)
		p.Errors = remarks(invalid.Problems)
	default:
		return err
	}
	p.RequestID = r.ID
	return p
}
