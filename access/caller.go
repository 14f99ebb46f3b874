package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// Caller is the bridge as one agent sees it. Requests of other tenants are not
// there for it.
type Caller struct {
	// Agent is who calls, without its tokens; zero for a caller without one.
	Agent

	gate   *Gate
	places []ask.Place
	// token is the id of the token that was made for it, nothing where the
	// configuration lists it; shown is the hash of one that stands there.
	token TokenID
	shown [sha256.Size]byte
	*limits
}

func newCaller(g *Gate, a Agent) *Caller {
	a.Token, a.NextToken = "", ""
	if a.Tenant == "" {
		a.Tenant = a.Name
	}
	c := &Caller{Agent: a, gate: g, limits: newLimits(&a)}
	for _, target := range a.Targets {
		if place, err := ask.ParsePlace(target); err == nil { // CheckAgents has said what is none.
			c.places = append(c.places, place)
		}
	}
	return c
}

// admin reports whether the caller acts for every tenant.
func (c *Caller) admin() bool { return c.has(Admin) }

// Enter begins a call that needs the scope. A [*RefusedError] says why it may not go
// on: the token lacks the scope, or has been used too much.
func (c *Caller) Enter(s Scope) error {
	if err := c.May(s); err != nil || c.limits == nil {
		return err
	}
	return c.spend()
}

// May is [Caller.Enter] for what belongs to a call that has been begun already: it
// returns nil or the refusal of a token without the scope, and counts nothing.
func (c *Caller) May(s Scope) error {
	switch {
	case c.limits == nil && slices.Contains(named, s) && s != Admin && !c.gate.anonymousAnswers:
		return refuse(Forbidden, "agents of this machine call without a token too, so this takes one with the scope %q; "+
			"list agents in the configuration, or set require_tokens there", s)
	case c.limits == nil || c.has(s):
		return nil // Without limits nobody but the operator can call.
	}
	return refuse(Forbidden, "this token lacks the scope %q; ask whoever runs the bridge for one that has it", s)
}

// Made reports whether the caller's token was made while the bridge runs, so that
// [Caller.Still] reads the store.
func (c *Caller) Made() bool { return c.token != TokenID{} }

// Still returns nil as long as the caller's token holds, and else the refusal that it
// would meet now: before somebody who has waited is told anything. Where a reload has given
// the token another tenant or taken a scope from it, the call is to be repeated, and judged
// by that.
func (c *Caller) Still(ctx context.Context) error {
	g := c.gate.newest()
	if c.Made() {
		_, err := g.stored(ctx, c.token)
		return err
	}
	if g == c.gate || c.limits == nil {
		return nil
	}
	now := g.keys.find(c.shown)
	switch {
	case now == nil:
		return refuse(Unknown, "this token was taken out of the configuration")
	case now.Tenant != c.Tenant || slices.ContainsFunc(scopes, func(s Scope) bool { return c.has(s) && !now.has(s) }):
		return refuse(Unclear, "what this token allows was changed in the configuration; repeat the call").later(time.Second)
	}
	return nil
}

// Self returns the caller's own token, without an id unless it was made while the bridge
// runs, or a [*RefusedError] when it does not hold any more.
func (c *Caller) Self(ctx context.Context) (Token, error) {
	if !c.Made() {
		own := Token{Agent: c.Agent}
		if c.limits == nil && c.gate.anonymousAnswers {
			own.Agent.Scopes = []Scope{Ask, Read, Cancel, Answer, Grant, ManageTokens}
		}
		return own, nil
	}
	k, err := c.gate.stored(ctx, c.token)
	if err != nil {
		return Token{}, err
	}
	return k.Token, nil
}

// misnamed says whom and what the token names that the bridge's platforms do not know.
func (c *Caller) misnamed(path string) []ask.Problem {
	if c.gate.bridge == nil {
		return nil
	}
	return c.gate.bridge.CheckToken(path, c.Terms, c.Requesters, c.places)
}

// complete says on whose behalf a request comes: the token's word, not the
// agent's.
func (c *Caller) complete(r *ask.Request) {
	r.Tenant, r.Requesters, r.Token, r.Unbound = c.Tenant, c.Requesters, c.Terms, c.Unbound
	if c.Name != "" {
		r.Agent = c.Name
	}
}

// Submit is [bridge.Bridge.Submit] within what the caller may do; else it
// returns a [*RefusedError]. The same key from another agent is a [bridge.ErrConflict]:
// its token says who answers, and no answer to the one is one to the other.
func (c *Caller) Submit(ctx context.Context, r ask.Request) (bridge.Submission, error) {
	var s bridge.Submission
	err := c.submit(ctx, &r, func() (err error) {
		s, err = c.gate.bridge.Submit(ctx, r)
		return err
	}, &s)
	return s, err
}

// Check is [bridge.Bridge.Check] as [Caller.Submit] is Submit, and counts as much.
func (c *Caller) Check(ctx context.Context, r ask.Request) error {
	if err := c.admit(ctx, &r); err != nil {
		return err
	}
	return c.gate.bridge.Check(r)
}

// Begin is [bridge.Bridge.Begin] as [Caller.Submit] is Submit.
func (c *Caller) Begin(ctx context.Context, r ask.Request) (bridge.Submission, *bridge.Parked, error) {
	var s bridge.Submission
	var place *bridge.Parked
	err := c.submit(ctx, &r, func() (err error) {
		s, place, err = c.gate.bridge.Begin(ctx, r)
		return err
	}, &s)
	if err != nil && place != nil {
		place.Leave()
		place = nil
	}
	return s, place, err
}

func (c *Caller) submit(ctx context.Context, r *ask.Request, hand func() error, s *bridge.Submission) error {
	if err := c.admit(ctx, r); err != nil {
		return err
	}
	giveBack, err := c.reserve(ctx, r)
	if err != nil {
		return err
	}
	if err = hand(); err != nil || s.Existed {
		giveBack()
	}
	if err == nil && s.Existed && !c.Asked(&s.Record) {
		err = fmt.Errorf("%w: request %s is of another agent, %q", bridge.ErrConflict, s.Record.ID, s.Record.Agent)
	}
	return err
}

// admit completes a request that the caller hands in, or says why it may not.
func (c *Caller) admit(ctx context.Context, r *ask.Request) error {
	c.complete(r)
	if err := c.spendAsk(); err != nil {
		return err
	}
	if err := c.checkPlaces(ctx, r); err != nil {
		return err
	}
	return c.mayReplace(ctx, r.Supersedes)
}

// mayReplace returns nil or a refusal of a request that would end what another agent has asked, which
// takes the scope [Cancel]. Of what is not there for the caller the bridge tells.
func (c *Caller) mayReplace(ctx context.Context, id string) error {
	if id == "" || c.May(Cancel) == nil {
		return nil
	}
	old, err := c.Load(ctx, id)
	if err != nil || !old.Open() || c.Asked(&old) {
		return nil //nolint:nilerr // The bridge reads it again, and says what is wrong.
	}
	return refuse(Forbidden, "the agent %q has asked what this supersedes, and ending that takes a token with the scope %q", old.Agent, Cancel)
}

// Asked reports whether the caller has asked a request itself, as everybody has who calls without
// a token.
func (c *Caller) Asked(r *bridge.Record) bool {
	return c.Name == "" || c.Name == r.Agent && c.Tenant == r.Tenant
}

// own is Load of a request that the caller may speak of: of another agent's, whose name stands on
// the card and whose token says where it is and who answers, only with the scope [Admin].
func (c *Caller) own(ctx context.Context, id string) (bridge.Record, error) {
	r, err := c.Load(ctx, id)
	if err == nil && !c.Asked(&r) && !c.admin() {
		err = refuse(Forbidden, "the agent %q has asked this, and this token is of another one, which may withdraw it and cannot speak for it", r.Agent)
	}
	return r, err
}

// Park is [bridge.Bridge.Park]; it tells nothing of the request before Load does.
func (c *Caller) Park(id string) *bridge.Parked { return c.gate.bridge.Park(id) }

// Load returns a record, or [bridge.ErrNotFound] also where it is another
// tenant's.
func (c *Caller) Load(ctx context.Context, id string) (bridge.Record, error) {
	r, err := c.gate.bridge.Load(ctx, id)
	if err == nil && r.Tenant != c.Tenant && !c.admin() {
		return bridge.Record{}, bridge.ErrNotFound
	}
	return r, err
}

// Wait is [bridge.Bridge.Wait] for a record that Load returns, within the waits
// that the caller may have at a time; else it returns a [*RefusedError].
func (c *Caller) Wait(ctx context.Context, id string) (*bridge.Record, error) {
	if !c.BeginWait() {
		return nil, refuse(Exhausted, "this token may have %d calls wait at a time", cmp.Or(c.MaxWaits, DefaultMaxWaits)).later(waitPause)
	}
	began := time.Now()
	defer func() { c.EndWait(time.Since(began)) }()
	place := c.Park(id)
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

// Cancel is [bridge.Bridge.Cancel] for a record that Load returns.
func (c *Caller) Cancel(ctx context.Context, id, reason string) (bridge.Record, error) {
	if r, err := c.Load(ctx, id); err != nil {
		return r, err
	}
	return c.gate.bridge.Cancel(ctx, id, reason)
}

// Replay is [bridge.Bridge.Replay] for a record that Load returns.
func (c *Caller) Replay(ctx context.Context, id string) (bridge.Record, error) {
	if r, err := c.Load(ctx, id); err != nil {
		return r, err
	}
	return c.gate.bridge.Replay(ctx, id)
}

// Revise is [bridge.Talk.Revise] of what the caller has asked itself, or with the scope [Admin] of
// a record that Load returns; else it returns a [*RefusedError].
func (c *Caller) Revise(ctx context.Context, id string, v ask.Revision) (bridge.Record, error) {
	if r, err := c.own(ctx, id); err != nil {
		return r, err
	}
	return c.gate.bridge.Talk().Revise(ctx, id, v, c.Voting)
}

// Reply is [bridge.Talk.Reply], as Revise is.
func (c *Caller) Reply(ctx context.Context, id string, number int, text string) (bridge.Record, error) {
	if r, err := c.own(ctx, id); err != nil {
		return r, err
	}
	return c.gate.bridge.Talk().Reply(ctx, id, number, text)
}

// Take is [bridge.Talk.Take], as Revise is, or [bridge.Talk.Overrule] where the agent went by
// something else.
func (c *Caller) Take(ctx context.Context, id, instead string) (bridge.Record, error) {
	if r, err := c.own(ctx, id); err != nil {
		return r, err
	}
	if instead != "" {
		return c.gate.bridge.Talk().Overrule(ctx, id, instead)
	}
	return c.gate.bridge.Talk().Take(ctx, id)
}

// Handed is [bridge.Talk.Handed] of a record that was handed to the caller, where the caller
// is the agent that has asked: nobody else takes an answer by looking at it.
func (c *Caller) Handed(r *bridge.Record) {
	if r.Awaited() && c.Asked(r) {
		c.gate.bridge.Talk().Handed(r)
	}
}

// Answer is [bridge.Bridge.Answer] for a record that Load returns, by the person who
// holds the caller's token. It returns a [*RefusedError] where the caller has asked it, and where the answer allows later
// calls and the token lacks the scope [Grant].
func (c *Caller) Answer(ctx context.Context, id, key string, action ask.Action) (bridge.Record, error) {
	r, err := c.Load(ctx, id)
	if err != nil {
		return r, err
	}
	if c.limits != nil && c.Asked(&r) {
		return r, refuse(Forbidden, "a token cannot answer what it has asked itself")
	}
	who := bridge.Operator{Name: cmp.Or(c.Name, Operator), As: c.Requesters, Token: c.tokenID()}
	if offer := offered(&r, action); offer != nil {
		if err := c.mayGrant(&r, offer); err != nil {
			return r, err
		}
	}
	return c.gate.bridge.Answer(ctx, id, who, key, action)
}

// Operator is the name of somebody without a token.
const Operator = "operator"

// Resend is [bridge.Bridge.Resend] for a record that Load returns.
func (c *Caller) Resend(ctx context.Context, id string) (bridge.Record, error) {
	if r, err := c.Load(ctx, id); err != nil {
		return r, err
	}
	return c.gate.bridge.Resend(ctx, id)
}

// List is [bridge.Bridge.List] of the caller's tenant.
func (c *Caller) List(ctx context.Context, q bridge.Query) ([]bridge.Record, error) {
	q.Tenant, q.All = c.Tenant, c.admin()
	return c.gate.bridge.List(ctx, q)
}

// Follow is [bridge.Bridge.Follow] of the caller's tenant.
func (c *Caller) Follow(ctx context.Context, q bridge.Selection, f func(bridge.Event) error) error {
	q.Tenant, q.All = c.Tenant, c.admin()
	return c.gate.bridge.Follow(ctx, q, f)
}

// Usual returns where requests of the caller go that name no place: the zero values where that is the default route, else
// the first of its routes, or the first of its places that is not a whole platform.
func (c *Caller) Usual() (to []ask.Place, route string) {
	anywhere := len(c.Targets) == 0 && len(c.Routes) == 0
	if anywhere || slices.Contains(c.Routes, c.gate.route) {
		return nil, ""
	}
	if len(c.Routes) > 0 {
		return nil, c.Routes[0]
	}
	for _, place := range c.places {
		if place.Channel != everywhere {
			return []ask.Place{place}, ""
		}
	}
	return nil, ""
}

// checkPlaces returns nil or a refusal that names every place where the caller
// may not ask.
func (c *Caller) checkPlaces(ctx context.Context, r *ask.Request) error {
	if len(c.Targets) == 0 && len(c.Routes) == 0 {
		return nil
	}
	refused := refuse(Forbidden, "this token may not ask there")
	add := func(path, format string, args ...any) {
		refused.Places = append(refused.Places, ask.Problem{Path: path, Kind: ask.ErrTarget, Detail: fmt.Sprintf(format, args...)})
	}
	route := r.Route
	if route == "" && r.To == nil {
		route = c.gate.route
	}
	if route != "" && !slices.Contains(c.Routes, route) {
		add("route", "the route %q is not one of this token's", route)
	}
	check := func(path string, places []ask.Place) error {
		for n, t := range places {
			allowed, err := c.allows(ctx, t)
			if err != nil {
				return err
			}
			if !allowed {
				t.Thread = ""
				add(fmt.Sprintf("%s[%d]", path, n), "%s is not one of this token's places", t.String())
			}
		}
		return nil
	}
	if err := check("to", r.To); err != nil {
		return err
	}
	for n, step := range r.Schedule.Steps {
		if err := check(fmt.Sprintf("schedule.steps[%d].to", n), step.To); err != nil {
			return err
		}
	}
	if len(refused.Places) == 0 {
		return nil
	}
	return refused
}

// allows reports whether the caller may ask at a place. For a thread that is so
// where it stands on the list itself, or the channel it really belongs to does.
func (c *Caller) allows(ctx context.Context, t ask.Place) (bool, error) {
	if c.names(t) {
		return true, nil
	}
	if t.Thread == "" || t.Channel == "" {
		return false, nil
	}
	channel, err := c.gate.bridge.ChannelOf(ctx, c.Tenant, t)
	if pe, ok := errors.AsType[*bridge.PlatformError](err); ok && pe.Kind == bridge.Unreachable {
		return false, nil
	}
	if err != nil {
		r := refuse(Unclear, "%s cannot be asked now whether this token may post in that thread", t.Platform)
		r.Err = err
		return false, r.later(platformPause)
	}
	return channel == t.Channel && c.names(ask.Place{Platform: t.Platform, Installation: t.Installation, Channel: channel}), nil
}

// everywhere as a channel stands for every place there.
const everywhere = "*"

// names reports whether a place stands on the caller's list. Ids that do not tell
// people from channels name both.
func (c *Caller) names(t ask.Place) bool {
	return slices.ContainsFunc(c.places, func(known ask.Place) bool {
		if known.Platform != t.Platform || known.Installation != "" && known.Installation != t.Installation {
			return false
		}
		known.Installation = t.Installation
		direct := ask.Place{Platform: t.Platform, Installation: t.Installation, User: known.Channel}
		return known == t || known.Channel == everywhere || known.Thread == "" && known.User == "" && t == direct
	})
}
