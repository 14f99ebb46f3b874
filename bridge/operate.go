package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Operator is a person who acts over the API. The API has authenticated them.
type Operator struct {
	// Name is the name that people see, and ID identifies the operator within the tenant; empty means Name.
	Name, ID string
	// As lists their accounts on platforms, such as "slack:U0000001", to which a
	// request's policy applies.
	As []string
	// Token is the ID of their token. Grants that result from their answer are valid
	// while the function of [Bridge.JudgeGrants] accepts it; empty for grants that are
	// independent of tokens.
	Token string
}

// VerdictError is the reason why an answer over the API does not count.
type VerdictError struct {
	record.Decision
}

func (e *VerdictError) Error() string {
	return "bridge: the answer does not count: " + string(e.Verdict)
}

// Answer applies the action of an operator instead of an interaction with a card. The
// same policy applies, as for a member who sees every card except direct messages. The
// cards show who decided and how. The same key again is the same act.
//
// It returns the record afterwards, with a [*VerdictError] if the answer does not count,
// or [ErrNotFound].
func (b *Bridge) Answer(ctx context.Context, id string, who Operator, key string, action ask.Action) (record.Record, error) {
	a := record.Act{
		ID: fmt.Sprintf("%s %q %s", ask.API, cmp.Or(who.ID, who.Name), key), Order: time.Now().UnixMilli(), Action: action,
		By:    responder(b, who),
		Token: who.Token,
	}
	r, result, err := b.handler.Judge(ctx, id, a, true)
	if err = b.records.Tolerate(r, err); err != nil {
		return *r, fmt.Errorf("bridge: answer %s: %w", id, err)
	}
	b.opts.Logger.Info("act recorded", "request_id", r.ID, "person", a.By.Key(), "verdict", result.Verdict)
	b.handler.Publish(r)
	if !result.Verdict.Counts() {
		return *r, &VerdictError{result}
	}
	if result.Over {
		return b.deadlines.AsOfNow(ctx, *r)
	}
	return *r, nil
}

// Awaits reports whether a record waits for an operator: it is open, [Bridge.Answer] would count their answer, and
// they have not voted.
func Awaits(b *Bridge, r *record.Record, who Operator) bool {
	return record.Awaits(r, responder(b, who))
}

// responder returns an operator as the policy of a request judges them.
func responder(b *Bridge, who Operator) ask.Responder {
	return ask.Responder{
		Person: ask.Person{Platform: ask.API, ID: cmp.Or(who.ID, who.Name), Name: who.Name},
		Groups: b.handler.Accounts.WithLinked(who.As), Membership: ask.Member,
	}
}

// Resend retries everything that was given up or delayed: see [record.Record.Resend]. A
// request without outstanding deliveries is returned unchanged.
func (b *Bridge) Resend(ctx context.Context, id string) (record.Record, error) {
	r, err := b.workers.Change(ctx, id, (*record.Record).Resend)
	switch {
	case errors.Is(err, storage.ErrUnchanged):
		return *r, nil
	case err != nil:
		return *r, fmt.Errorf("bridge: resend %s: %w", id, err)
	}
	b.opts.Logger.Info("request resent", "request_id", id)
	return *r, nil
}

// JudgeGrants sets the function that reports whether a grant made with an API token is
// still valid. It is called each time such a grant applies to a request; without it
// none applies. Only the first call has an effect.
func (b *Bridge) JudgeGrants(f func(ctx context.Context, token string) (bool, error)) {
	b.grants.SetJudge(f)
}

// Replay restarts the schedule of a dead webhook. Any other is returned unchanged.
func (b *Bridge) Replay(ctx context.Context, id string) (record.Record, error) {
	r, err := b.workers.Change(ctx, id, (*record.Record).Replay)
	switch {
	case errors.Is(err, storage.ErrUnchanged):
		return *r, nil
	case err != nil:
		return *r, fmt.Errorf("bridge: replay %s: %w", id, err)
	}
	return *r, nil
}
