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

// Talk is what agents say about requests that they have made, beside withdrawing them.
type Talk struct {
	intake     *intake.Intake
	workers    *deliver.Workers
	background *state.Background
}

// Talk returns what an agent says its word with.
func (b *Bridge) Talk() *Talk { return &Talk{b.intake, b.workers, b.background} }

// Revise puts something else in the place of what an open request asks; see
// [record.Record.Revise]. Floor is how many people the caller's token demands, as in
// [ask.Terms.Voting].
//
// One that has ended is returned as it is. It returns [ErrNotFound], an [*ask.InvalidError]
// naming every problem, or [record.ErrRevised] or [record.ErrRevisions] with the record as
// it stands; nothing changes then.
func (t *Talk) Revise(ctx context.Context, id string, v ask.Revision, floor ask.Voting) (record.Record, error) {
	revise := func(r *record.Record, now time.Time) error {
		if problems := t.intake.Guarded(r, v, floor); len(problems) > 0 {
			return &ask.InvalidError{Problems: problems}
		}
		return r.Revise(v, &t.intake.Opts.Rules, now)
	}
	old, kept, err := t.intake.Attached.Revise(ctx, id, &v, revise)
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
		t.intake.Attached.Drop(ctx, &old, kept)
	default:
		t.intake.Attached.Drop(ctx, &r, kept)
	}
	return r, err
}

// Reply gives the agent's reply to what a person asked; see [record.Record.Reply], whose
// errors it returns. A request that has ended is returned as it is.
func (t *Talk) Reply(ctx context.Context, id string, number int, text string) (record.Record, error) {
	return t.say(ctx, "reply", id, func(r *record.Record, now time.Time) error { return r.Reply(number, text, now) })
}

// Take takes note, for a request with receipts, that the agent has what a person decided.
// Any other is returned as it is.
func (t *Talk) Take(ctx context.Context, id string) (record.Record, error) {
	return t.say(ctx, "take", id, (*record.Record).Acknowledge)
}

// Overrule takes note that the agent went by something else than what people answered, in
// its words. It stands on the card, and the answer stays as it was given. A request that
// nobody has answered is returned as it is.
func (t *Talk) Overrule(ctx context.Context, id, instead string) (record.Record, error) {
	return t.say(ctx, "overrule", id, func(r *record.Record, now time.Time) error { return r.Overrule(instead, now) })
}

// Handed is Take, soon, of a record that was handed to the agent; it asks no store where
// nobody wants to know.
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

// say applies what the agent says.
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
