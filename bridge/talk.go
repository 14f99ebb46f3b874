package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/wait"
)

// askBack is whether people can ask the agent something: as the request says, or else its
// route, or else its token. The host of a tool call hears nothing before the end, so there
// asking ends it, where its result has a place for what is asked.
func askBack(req *ask.Request, route Route) ask.AskBack {
	switch way := cmp.Or(req.AskBack, route.AskBack, req.Token.AskBack); {
	case !way.On(), req.Wordless:
		return ""
	case req.Deaf:
		return ask.AskBackEnd
	default:
		return way
	}
}

// Talk is what agents say about requests that they have made, beside withdrawing them.
type Talk struct {
	intake     *intake
	workers    *workers
	background *background
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
func (t *Talk) Revise(ctx context.Context, id string, v ask.Revision, floor ask.Voting) (Record, error) {
	revise := func(r *Record, now time.Time) error {
		if problems := t.intake.guarded(r, v, floor); len(problems) > 0 {
			return &ask.InvalidError{Problems: problems}
		}
		return r.Revise(v, &t.intake.opts.Rules, now)
	}
	old, kept, err := t.intake.files.revise(ctx, id, &v, revise)
	if err != nil {
		return old, fmt.Errorf("bridge: revise %s: %w", id, err)
	}
	taken := false
	r, err := t.say(ctx, "revise", id, func(r *Record, now time.Time) error {
		err := revise(r, now)
		taken = err == nil
		return err
	})
	switch {
	case taken:
	case r.ID == "":
		t.intake.files.drop(ctx, &old, kept)
	default:
		t.intake.files.drop(ctx, &r, kept)
	}
	return r, err
}

// Reply gives the agent's reply to what a person asked; see [record.Record.Reply], whose
// errors it returns. A request that has ended is returned as it is.
func (t *Talk) Reply(ctx context.Context, id string, number int, text string) (Record, error) {
	return t.say(ctx, "reply", id, func(r *Record, now time.Time) error { return r.Reply(number, text, now) })
}

// Take takes note, for a request with receipts, that the agent has what a person decided.
// Any other is returned as it is.
func (t *Talk) Take(ctx context.Context, id string) (Record, error) {
	return t.say(ctx, "take", id, (*Record).Acknowledge)
}

// Overrule takes note that the agent went by something else than what people answered, in
// its words. It stands on the card, and the answer stays as it was given. A request that
// nobody has answered is returned as it is.
func (t *Talk) Overrule(ctx context.Context, id, instead string) (Record, error) {
	return t.say(ctx, "overrule", id, func(r *Record, now time.Time) error { return r.Overrule(instead, now) })
}

// Handed is Take, soon, of a record that was handed to the agent; it asks no store where
// nobody wants to know.
func (t *Talk) Handed(r *Record) {
	if !r.AwaitsReceipt() {
		return
	}
	t.background.start(func() {
		ctx, cancel := context.WithTimeoutCause(t.background.ctx, settleBudget, errors.New("store too slow for a receipt"))
		defer cancel()
		for n := 0; ; n++ {
			_, err := t.Take(ctx, r.ID)
			if err == nil || errors.Is(err, ErrNotFound) {
				return
			}
			t.intake.log.Warn("receipt not stored", "request_id", r.ID, "try", n+1, "error", err)
			if wait.For(ctx, backoff(min(n, 3))) != nil {
				return
			}
		}
	})
}

// say applies what the agent says.
func (t *Talk) say(ctx context.Context, what, id string, f Transition) (Record, error) {
	r, err := t.workers.change(ctx, id, f)
	switch {
	case errors.Is(err, ErrUnchanged):
		return *r, nil
	case err != nil:
		return *r, fmt.Errorf("bridge: %s %s: %w", what, id, err)
	}
	t.intake.log.Info("agent spoke", "what", what, "request_id", id, "status", r.Outcome.State)
	return *r, nil
}

// guarded returns what is wrong with the labels of a revision: those that look like another one, and the new ones for which
// a route or the token asks more people than for others, since the request was made without them.
func (in *intake) guarded(r *Record, v ask.Revision, floor ask.Voting) []ask.Problem {
	names := func(questions []ask.Question, label string) bool {
		return slices.ContainsFunc(questions, func(q ask.Question) bool {
			return slices.ContainsFunc(q.Options, func(o ask.Option) bool { return o.Label == label })
		})
	}
	demanded := func(label string) bool {
		for _, route := range in.opts.Routes {
			if needOf(route.Voting.Needs, label) > 0 {
				return true
			}
		}
		return needOf(floor.Needs, label) > 0
	}
	problems := checkLabels(v.Questions)
	for q, question := range v.Questions {
		for n, o := range question.Options {
			if demanded(o.Label) && !names(r.Questions, o.Label) {
				problems = append(problems, problem(fmt.Sprintf("questions[%d].options[%d].label", q, n), ask.ErrPolicy,
					"a policy says how many people this label takes; make a new request that supersedes this one"))
			}
		}
	}
	return problems
}
