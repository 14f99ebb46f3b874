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

// Submission is the result of submitting a request.
type Submission struct {
	Record record.Record
	// Existed is true if the same request existed before, so that nothing was posted.
	Existed bool
	// Handed is true if an equal request was answered recently and Record is that one;
	// see [ask.Request.Within].
	Handed bool
	// Advice contains hints about a valid request. Its paths are those of the request.
	Advice []ask.Problem
}

// Submit validates a request, stores it and posts its card. It returns once the card is
// posted or cannot be posted now, as Record.Copies shows.
//
// The same key (or tool-call ID) with the same questions, places and responders returns
// the existing request in any state; with others it returns [ErrConflict] and that
// record. An invalid request returns an [*ask.InvalidError] with every problem, and
// nothing is stored or posted. It matches [ErrNotFound] if Supersedes is not a request
// of the same tenant and session.
func (b *Bridge) Submit(ctx context.Context, req ask.Request) (Submission, error) {
	if req.Same != "" {
		s, err := b.intake.SubmitSame(ctx, req, func(string) {})
		return Submission(s), err
	}
	s, err := b.intake.Submit(ctx, req, intake.RequestID(b.opts.IDSecret, &req))
	return Submission(s), err
}

// Check returns the [*ask.InvalidError] with which [Bridge.Submit] would reject a
// request, or nil. It does no I/O.
func (b *Bridge) Check(req ask.Request) error {
	_, err := b.intake.Validate(&req)
	return err
}

// IDOf returns the ID of a request with a key or tool-call ID, and "" for other
// requests.
func (b *Bridge) IDOf(req *ask.Request) string {
	if req.Key == "" && req.ToolCallID == "" || req.Same != "" {
		return ""
	}
	return intake.RequestID(b.opts.IDSecret, req)
}

// Begin is [Bridge.Submit] for a caller who will wait. It reserves the place before it
// stores the request, so that no change is missed. Unless it returns an error, the
// caller must leave the [Parked].
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

// Ask submits a request and waits until it has ended. If ctx ends first, the request
// stays open and Ask returns the error of ctx; another call with the same key finds it.
// The caller may modify the outcome.
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

// Cancel withdraws an open request. An ended request is returned unchanged.
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
