package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/deliver"
	"github.com/askbridge/askbridge/bridge/internal/intake"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/wait"
)

// Talk is how agents update and answer their own requests.
type Talk struct {
	intake     *intake.Intake
	workers    *deliver.Workers
	background *state.Background
}

// Talk returns the operations for agents.
func (b *Bridge) Talk() *Talk { return &Talk{b.intake, b.workers, b.background} }

// Revise replaces the content of an open request; see [record.Record.Revise]. floor is
// the number of votes that the caller's token requires, as in [ask.Terms.Voting].
//
// An ended request is returned unchanged. It returns [ErrNotFound], an
// [*ask.InvalidError] with every problem, or [record.ErrRevised] or
// [record.ErrRevisions] with the current record.
func (t *Talk) Revise(ctx context.Context, id string, v ask.Revision, floor ask.Voting) (record.Record, error) {
	revise := func(r *record.Record, now time.Time) error {
		if problems := t.intake.Guarded(r, v, floor); len(problems) > 0 {
			return &ask.InvalidError{Problems: problems}
		}
		return r.Revise(v, &t.intake.Settings.Rules, now)
	}
	old, kept, err := t.intake.Attachments.Revise(ctx, id, &v, revise)
	if err != nil {
		return old, fmt.Errorf("bridge: revise %s: %w", id, err)
	}
	taken := false
	r, err := t.say(ctx, "revise", id, func(r *record.Record, now time.Time) error {
		err := revise(r, now)
		taken = err == nil
		return err
	})
	switch {
	case taken:
	case r.ID == "":
		t.intake.Attachments.Drop(ctx, &old, kept)
	default:
		t.intake.Attachments.Drop(ctx, &r, kept)
	}
	return r, err
}

// Reply answers a person's question; see [record.Record.Reply] for its errors. An ended
// request is returned unchanged.
func (t *Talk) Reply(ctx context.Context, id string, number int, text string) (record.Record, error) {
	return t.say(ctx, "reply", id, func(r *record.Record, now time.Time) error { return r.Reply(number, text, now) })
}

// Take records that the agent has received a decision, for a request with receipts. Any
// other is returned unchanged.
func (t *Talk) Take(ctx context.Context, id string) (record.Record, error) {
	return t.say(ctx, "take", id, (*record.Record).Acknowledge)
}

// Overrule records what the agent did instead of what people answered. The card shows
// it, and the answer stays unchanged. A request without an answer is returned unchanged.
func (t *Talk) Overrule(ctx context.Context, id, instead string) (record.Record, error) {
	return t.say(ctx, "overrule", id, func(r *record.Record, now time.Time) error { return r.Overrule(instead, now) })
}

// Handed is Take in the background, for a record that was returned to the agent. It does
// nothing for a request without receipts.
func (t *Talk) Handed(r *record.Record) {
	if !r.AwaitsReceipt() {
		return
	}
	t.background.Go(func() {
		ctx, cancel := context.WithTimeoutCause(t.background.Ctx, deliver.SettleBudget, errors.New("store too slow for a receipt"))
		defer cancel()
		for n := 0; ; n++ {
			_, err := t.Take(ctx, r.ID)
			if err == nil || errors.Is(err, storage.ErrNotFound) {
				return
			}
			t.intake.Log.Warn("receipt not stored", "request_id", r.ID, "try", n+1, "error", err)
			if wait.For(ctx, state.Backoff(min(n, 3))) != nil {
				return
			}
		}
	})
}

// say applies a change by the agent.
func (t *Talk) say(ctx context.Context, what, id string, f record.Transition) (record.Record, error) {
	r, err := t.workers.Change(ctx, id, f)
	switch {
	case errors.Is(err, storage.ErrUnchanged):
		return *r, nil
	case err != nil:
		return *r, fmt.Errorf("bridge: %s %s: %w", what, id, err)
	}
	t.intake.Log.Info("agent spoke", "what", what, "request_id", id, "status", r.Outcome.State)
	return *r, nil
}
