package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/intake"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Submission is what came of handing in a request.
type Submission struct {
	Record record.Record
	// Existed tells that the same request had been handed in before, so that
	// nothing new was posted.
	Existed bool
	// Handed tells that the record had been answered before, and its answer is handed on;
	// see [ask.Request.Within].
	Handed bool
	// Advice is what the caller should know about the request, which was accepted. Its paths are
	// those of the request.
	Advice []ask.Problem
}

// Submit checks a request, stores it and posts its card. It returns once the
// card stands or cannot be posted now; Record.Copies says which.
//
// The same key (or tool-call ID) with the same questions, places and responders
// returns the request made before, whatever its state; with others it returns
// [ErrConflict] and that record. A bad request gives an [*ask.InvalidError]
// naming every problem; nothing is stored or posted then. It matches
// [ErrNotFound] when Supersedes names no request of the same tenant and session.
func (b *Bridge) Submit(ctx context.Context, req ask.Request) (Submission, error) {
	if req.Same != "" {
		s, err := b.intake.SubmitSame(ctx, req, func(string) {})
		return Submission(s), err
	}
	s, err := b.intake.Submit(ctx, req, intake.RequestID(b.opts.IDSecret, &req))
	return Submission(s), err
}

// Check returns what [Bridge.Submit] finds wrong with a request by itself, an [*ask.InvalidError], or nil. Nobody is asked.
func (b *Bridge) Check(req ask.Request) error {
	_, _, err := b.intake.Validate(&req)
	return err
}

// IDOf returns the id that a request with the same key or tool-call ID has, and
// nothing for one that has neither.
func (b *Bridge) IDOf(req *ask.Request) string {
	if req.Key == "" && req.ToolCallID == "" || req.Same != "" {
		return ""
	}
	return intake.RequestID(b.opts.IDSecret, req)
}

// Begin is [Bridge.Submit] for a caller who is going to wait. It parks the
// caller before anything is stored, so that no news is missed and nothing has to
// be read again. Unless there is an error the caller must leave the [Parked].
func (b *Bridge) Begin(ctx context.Context, req ask.Request) (Submission, *state.Parked, error) {
	var place *state.Parked
	park := func(id string) {
		if place != nil {
			place.Leave()
		}
		place = b.Park(id)
	}
	var s intake.Submission
	var err error
	if req.Same != "" {
		s, err = b.intake.SubmitSame(ctx, req, park)
	} else {
		id := intake.RequestID(b.opts.IDSecret, &req)
		park(id)
		s, err = b.intake.Submit(ctx, req, id)
	}
	if err != nil {
		if place != nil {
			place.Leave()
		}
		return Submission(s), nil, err
	}
	if s.Existed {
		b.records.Waiter.Wake(new(s.Record))
	}
	return Submission(s), place, nil
}

// Ask submits a request and waits until it has ended. When ctx ends first the
// request stays open and the error is ctx's; asking again with the same key
// finds it. The outcome is the caller's own, to change as it likes.
func (b *Bridge) Ask(ctx context.Context, req ask.Request) (ask.Outcome, error) {
	_, place, err := b.Begin(ctx, req)
	if err != nil {
		return ask.Outcome{}, err
	}
	defer place.Leave()
	r, err := place.Wait(ctx)
	if err != nil {
		return ask.Outcome{}, err
	}
	b.Talk().Handed(r)
	return r.Outcome.Clone(), nil
}

// Cancel withdraws an open request on the agent's word. One that has ended is
// returned as it is.
func (b *Bridge) Cancel(ctx context.Context, id, reason string) (record.Record, error) {
	r, err := b.workers.Change(ctx, id, func(r *record.Record, now time.Time) error {
		return r.Withdraw(ask.Cancelled, reason, now)
	})
	if errors.Is(err, storage.ErrUnchanged) {
		return *r, nil
	}
	if err != nil {
		return *r, fmt.Errorf("bridge: cancel %s: %w", id, err)
	}
	return *r, nil
}
