package access

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// Operator is the name of a caller without a token.
const Operator = "operator"

// Caller is the bridge as one agent sees it: the requests of its tenant, within the scopes, places and limits of its token.
// Requests of other tenants do not exist for it.
type Caller struct {
	// Agent has the settings of the token, without its secrets; it is zero for a caller without a token.
	Agent
	// Quota counts what the caller uses; nil for a caller without a token, who has no limits.
	Quota *Quota
	// Places are where the caller may ask.
	Places Places

	gate *Gate
	// id and hash identify the token; issued tokens are in the store, the others in the configuration.
	id     TokenID
	hash   [sha256.Size]byte
	issued bool
	// person has signed in at the console; nil for all others.
	person *Person
}

func newCaller(g *Gate, a Agent) *Caller {
	a.Token, a.NextToken = "", ""
	if a.Tenant == "" {
		a.Tenant = a.Name
	}
	return &Caller{Agent: a, gate: g, Quota: newQuota(&a), Places: newPlaces(g.route, &a)}
}

// Enter begins a call that requires the scope, and counts it. It returns a [*RefusedError] if the token lacks the scope
// or has used up its calls.
func (c *Caller) Enter(s Scope) error {
	if err := c.May(s); err != nil {
		return err
	}
	return c.Quota.spendCall()
}

// May is [Caller.Enter] for a further operation of the same call, which is not counted.
func (c *Caller) May(s Scope) error {
	switch {
	case c.Quota == nil && slices.Contains(named, s) && s != Admin && !c.gate.anonymousAnswers:
		return refuse(Forbidden, "agents on this machine need no token, so this requires one with the scope %q; "+
			"list agents in the configuration, or set require_tokens there", s)
	case c.Quota == nil || c.has(s):
		return nil // Without tokens only the operator can call.
	case c.person != nil:
		return refuse(Forbidden, "your role does not allow this; ask the operator of the bridge for one that has the scope %q", s)
	}
	return refuse(Forbidden, "this token lacks the scope %q; ask the operator of the bridge for one that has it", s)
}

// Still returns nil if the caller's token is still valid, or the [*RefusedError] that a new call would get. Call it before
// a caller that has waited gets a result. If a reload has given the token another tenant or fewer scopes, the error asks
// the caller to repeat the call.
func (c *Caller) Still(ctx context.Context) error {
	g := c.gate.newest()
	if c.person != nil {
		if time.Now().After(c.person.Until) {
			return refuse(Unknown, "your session is over; sign in again")
		}
		return nil
	}
	if c.issued {
		_, err := g.stored(ctx, c.id)
		return err
	}
	if g == c.gate || c.Quota == nil {
		return nil
	}
	now := g.keys.find(c.hash)
	switch {
	case now == nil:
		return refuse(Unknown, "this token was removed from the configuration")
	case now.Tenant != c.Tenant || slices.ContainsFunc(scopes, func(s Scope) bool { return c.has(s) && !now.has(s) }):
		return refuse(Unclear, "the configuration has changed what this token allows; repeat the call").later(time.Second)
	}
	return nil
}

// Self returns the caller's own token, or a [*RefusedError] if it has ended. Only issued tokens have an ID.
func (c *Caller) Self(ctx context.Context) (Token, error) {
	if !c.issued {
		own := Token{Agent: c.Agent}
		if c.Quota == nil && c.gate.anonymousAnswers {
			own.Agent.Scopes = []Scope{Ask, Read, Cancel, Answer, Grant, ManageTokens}
		}
		return own, nil
	}
	k, err := c.gate.stored(ctx, c.id)
	if err != nil {
		return Token{}, err
	}
	return k.Token, nil
}

// Asked reports whether the caller submitted a request. It is always true for a caller without a token, and never for a
// person who has signed in.
func (c *Caller) Asked(r *bridge.Record) bool {
	return c.Name == "" || c.person == nil && c.Name == r.Agent && c.Tenant == r.Tenant
}

// misnamed lists the people and places of a token that the platforms of the bridge do not know.
func misnamed(b *bridge.Bridge, path string, a *Agent) []ask.Problem {
	if b == nil {
		return nil
	}
	return b.CheckToken(path, a.Terms, a.Requesters, newPlaces("", a).listed)
}
