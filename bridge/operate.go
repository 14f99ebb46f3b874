package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Operator is a person who acts over the API. Whoever serves the API vouches for them.
type Operator struct {
	// Name is what people see, and tells the operator from others of the tenant.
	Name string
	// As is who they are on each platform, as in "slack:U0000001". The policy of a
	// request judges them as it does those people.
	As []string
	// Token is the id of the token that they call with. Grants that their answer makes count only while the judge of
	// [Bridge.JudgeGrants] lets it; empty for grants that no token can end.
	Token string
}

// VerdictError says why what somebody answered over the API does not count.
type VerdictError struct {
	record.Decision
}

func (e *VerdictError) Error() string {
	return "bridge: the answer does not count: " + string(e.Verdict)
}

// Answer applies what an operator decided in place of a press on a card. They have to be
// let pass by the same policy, as a member who sees every card that was not sent to
// one person alone, and everybody sees on the cards who decided and how. The same key
// again is the same act.
//
// It returns the record as it stands afterwards, together with a [*VerdictError] when
// the answer does not count, or [ErrNotFound].
func (b *Bridge) Answer(ctx context.Context, id string, who Operator, key string, action ask.Action) (record.Record, error) {
	a := record.Act{
		ID: fmt.Sprintf("%s %q %s", ask.API, who.Name, key), Order: time.Now().UnixMilli(), Action: action,
		By: ask.Responder{
			Person: ask.Person{Platform: ask.API, ID: who.Name, Name: who.Name},
			Groups: b.people.Humans.WithLinked(who.As), Membership: ask.Member,
		},
		Token: who.Token,
	}
	r, result, err := b.people.Judge(ctx, id, a, true)
	if err = b.records.Tolerate(r, err); err != nil {
		return *r, fmt.Errorf("bridge: answer %s: %w", id, err)
	}
	b.opts.Logger.Info("act recorded", "request_id", r.ID, "person", a.By.Key(), "verdict", result.Verdict)
	b.people.Publish(r)
	if !result.Verdict.Counts() {
		return *r, &VerdictError{result}
	}
	if result.Over {
		return b.deadlines.AsOfNow(ctx, *r)
	}
	return *r, nil
}

// Resend brings cards and the agent up to date that are not, whatever was given up or
// put off before: see [record.Record.Resend]. A request that wants nothing is
// returned as it is.
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

// Replay calls a dead webhook again, from the start of its schedule. One that
// is not dead is left alone.
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
