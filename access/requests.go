package access

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// Submit is [bridge.Bridge.Submit] within the caller's scopes, places and limits, else it returns a [*RefusedError]. The
// key of another agent's request is a [bridge.ErrConflict]: that agent's token decides who answers.
func (c *Caller) Submit(ctx context.Context, r ask.Request) (bridge.Submission, error) {
	return c.submit(ctx, r, c.gate.bridge.Submit)
}

// Begin is [bridge.Bridge.Begin], checked like [Caller.Submit].
func (c *Caller) Begin(ctx context.Context, r ask.Request) (s bridge.Submission, place *bridge.Parked, err error) {
	s, err = c.submit(ctx, r, func(ctx context.Context, r ask.Request) (s bridge.Submission, err error) {
		s, place, err = c.gate.bridge.Begin(ctx, r)
		return s, err
	})
	if err != nil && place != nil {
		place.Leave()
		place = nil
	}
	return s, place, err
}

func (c *Caller) submit(ctx context.Context, r ask.Request, submit func(context.Context, ask.Request) (bridge.Submission, error)) (bridge.Submission, error) {
	if err := c.admit(ctx, &r); err != nil {
		return bridge.Submission{}, err
	}
	release, err := c.Quota.reserve(ctx, c, &r)
	if err != nil {
		return bridge.Submission{}, err
	}
	s, err := submit(ctx, r)
	if err != nil || s.Existed {
		release()
	}
	if err == nil && s.Existed && !c.Asked(&s.Record) {
		err = fmt.Errorf("%w: request %s belongs to another agent, %q", bridge.ErrConflict, s.Record.ID, s.Record.Agent)
	}
	return s, err
}

// Check is [bridge.Bridge.Check], checked and counted like [Caller.Submit].
func (c *Caller) Check(ctx context.Context, r ask.Request) error {
	if err := c.admit(ctx, &r); err != nil {
		return err
	}
	return c.gate.bridge.Check(r)
}

// admit adds the terms of the caller's token to a request, or returns a [*RefusedError] if the caller may not submit it.
func (c *Caller) admit(ctx context.Context, r *ask.Request) error {
	r.Tenant, r.Requesters, r.Token, r.Unbound = c.Tenant, c.Requesters, c.Terms, c.Unbound
	if c.Name != "" {
		r.Agent = c.Name
	}
	if err := c.Quota.spendRequest(); err != nil {
		return err
	}
	if err := c.Places.check(ctx, r, c.gate.bridge); err != nil {
		return err
	}
	if r.Supersedes == "" || c.May(Cancel) == nil {
		return nil
	}
	old, err := c.Load(ctx, r.Supersedes)
	if err != nil || !old.Open() || c.Asked(&old) {
		return nil //nolint:nilerr // The bridge reads it again and returns the error.
	}
	return refuse(Forbidden, "this supersedes a request of the agent %q, and ending that requires a token with the scope %q", old.Agent, Cancel)
}

// Load returns a record, or [bridge.ErrNotFound], also for a request of another tenant.
func (c *Caller) Load(ctx context.Context, id string) (bridge.Record, error) {
	r, err := c.gate.bridge.Load(ctx, id)
	if err == nil && r.Tenant != c.Tenant && !c.has(Admin) {
		return bridge.Record{}, bridge.ErrNotFound
	}
	return r, err
}

// Wait is [bridge.Bridge.Wait] for a record that [Caller.Load] returns. It returns a [*RefusedError] if too many calls of
// the caller are waiting, or if the token ends meanwhile.
func (c *Caller) Wait(ctx context.Context, id string) (*bridge.Record, error) {
	if !c.Quota.BeginWait() {
		return nil, refuse(Exhausted, "this token may have %d calls wait at a time", c.Quota.maxWaits).later(waitPause)
	}
	began := time.Now()
	defer func() { c.Quota.EndWait(time.Since(began)) }()
	place := c.gate.bridge.Park(id)
	defer place.Leave()
	if r, err := c.Load(ctx, id); err != nil || !r.Open() {
		return &r, err
	}
	r, err := place.Wait(ctx)
	if err == nil {
		err = c.Still(ctx)
	}
	if err != nil {
		return nil, err
	}
	c.Handed(r)
	return r, nil
}

// Whose limits which requests of its tenant a caller may change with an operation.
type Whose int

const (
	// OfTenant are all requests of the caller's tenant.
	OfTenant Whose = iota
	// OfCaller are those that the caller submitted. The card shows the agent's name, so other agents may not speak there
	// for it. With the scope [Admin] they are all requests.
	OfCaller
)

// Change is an operation of the bridge that changes one request.
type Change func(b *bridge.Bridge, ctx context.Context, id string) (bridge.Record, error)

// Change applies a change to a request that the caller may change, else it returns [bridge.ErrNotFound] or a
// [*RefusedError].
func (c *Caller) Change(ctx context.Context, id string, whose Whose, change Change) (bridge.Record, error) {
	r, err := c.Load(ctx, id)
	if err == nil && whose == OfCaller && !c.Asked(&r) && !c.has(Admin) {
		err = refuse(Forbidden, "this request belongs to the agent %q, and another agent may cancel it but not speak for it", r.Agent)
	}
	if err != nil {
		return r, err
	}
	return change(c.gate.bridge, ctx, id)
}

// Cancel is [bridge.Bridge.Cancel] for a record that [Caller.Load] returns.
func (c *Caller) Cancel(ctx context.Context, id, reason string) (bridge.Record, error) {
	return c.Change(ctx, id, OfTenant, func(b *bridge.Bridge, ctx context.Context, id string) (bridge.Record, error) {
		return b.Cancel(ctx, id, reason)
	})
}

// Handed is [bridge.Talk.Handed] for a record that was returned to the caller, if the caller asked: only then does it
// acknowledge the answer.
func (c *Caller) Handed(r *bridge.Record) {
	if r.AwaitsReceipt() && c.Asked(r) {
		c.gate.bridge.Talk().Handed(r)
	}
}

// Answer is [bridge.Bridge.Answer] for a record that [Caller.Load] returns, by the person who holds the caller's token. It
// returns a [*RefusedError] if the caller asked the question itself, or if the answer allows later calls and the token
// lacks the scope [Grant].
func (c *Caller) Answer(ctx context.Context, id, key string, action ask.Action) (bridge.Record, error) {
	r, err := c.Load(ctx, id)
	if err != nil {
		return r, err
	}
	if c.Quota != nil && c.Asked(&r) {
		return r, refuse(Forbidden, "a token cannot answer its own request")
	}
	if offer := offered(&r, action); offer != nil && c.May(Grant) != nil {
		return r, refuse(Forbidden, "nothing was answered: %q allows later calls too, and this token lacks the scope %q; choose %q to allow this call alone, or press the button in chat",
			offer.Label, Grant, r.Permit.Allow)
	}
	return c.gate.bridge.Answer(ctx, id, c.operator(), key, action)
}

// Awaited reports whether a request waits for the person who holds the caller's token, as [bridge.Awaits] does. No
// request waits for the token that made it.
func (c *Caller) Awaited(r *bridge.Record) bool {
	return (c.Quota == nil || !c.Asked(r)) && bridge.Awaits(c.gate.bridge, r, c.operator())
}

// operator is the person who holds the caller's token, or has signed in.
func (c *Caller) operator() bridge.Operator {
	if c.person != nil {
		return bridge.Operator{ID: c.person.ID, Name: c.person.Name}
	}
	who := bridge.Operator{Name: cmp.Or(c.Name, Operator), As: c.Requesters}
	if c.Quota != nil {
		who.Token = c.id.String()
	}
	return who
}

// List is [bridge.Bridge.List] for the caller's tenant.
func (c *Caller) List(ctx context.Context, q bridge.Query) ([]bridge.Record, error) {
	q.Tenant, q.All = c.Tenant, c.has(Admin)
	return c.gate.bridge.List(ctx, q)
}

// Follow is [bridge.Bridge.Follow] for the caller's tenant.
func (c *Caller) Follow(ctx context.Context, q bridge.Selection, f func(bridge.Event) error) error {
	q.Tenant, q.All = c.Tenant, c.has(Admin)
	return c.gate.bridge.Follow(ctx, q, f)
}
