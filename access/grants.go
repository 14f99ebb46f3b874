package access

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/proof"
)

// offered returns the offer of a permission that an action chooses; nil if it chooses none.
func offered(r *bridge.Record, action ask.Action) *ask.Offer {
	for _, n := range action.Picks[0] {
		if n >= 0 && len(r.Questions) > 0 && n < len(r.Questions[0].Options) {
			if offer := r.Permit.Offered(r.Questions[0].Options[n].Label); offer != nil {
				return offer
			}
		}
	}
	return nil
}

// mayGrant returns nil or the refusal of a token that may not allow calls for a time.
func (c *Caller) mayGrant(r *bridge.Record, offer *ask.Offer) error {
	if c.May(Grant) == nil {
		return nil
	}
	return refuse(Forbidden, "nothing was answered: %q allows later calls too, and this token lacks the scope %q; choose %q to allow this call alone, or press the button in chat",
		offer.Label, Grant, r.Permit.Allow)
}

// tokenID names the caller's token; empty for a caller without one.
func (c *Caller) tokenID() string {
	switch {
	case c.Made():
		return c.token.String()
	case c.limits == nil:
		return ""
	}
	return TokenID(proof.KeysOf(c.shown).ID).String()
}

// tokenGrants reports whether the token of an id holds and has the scope [Grant], so that what its holder has allowed for a
// time counts.
func (g *Gate) tokenGrants(ctx context.Context, id string) (bool, error) {
	g = g.newest()
	if who := g.keys.ids[id]; who != nil {
		return who.has(Grant), nil
	}
	if g.tokens == nil || tokenKey(id).Validate() != nil {
		return false, nil //nolint:nilerr // An invalid id names no token.
	}
	e, err := g.tokens.kv.Get(ctx, tokenKey(id))
	if errors.Is(err, bridge.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	k, err := decodeKept(e)
	if err != nil {
		return false, err
	}
	return k.State(time.Now()) == TokenActive && k.Agent.has(Grant) && g.tokens.clashes(k.Agent.Name) == "", nil
}

// ListGrants returns what people have allowed agents of the caller's tenant for a time, and
// what holds still, newest first: that of all tenants with the scope [Admin].
func (c *Caller) ListGrants(ctx context.Context) ([]bridge.Grant, error) {
	kept, ok := c.gate.grants()
	if !ok {
		return nil, nil
	}
	all, err := kept.List(ctx, c.Tenant, c.admin(), time.Now())
	if err != nil {
		return nil, err
	}
	holds := map[string]bool{"": true}
	for _, g := range all {
		if _, known := holds[g.Token]; !known {
			if holds[g.Token], err = c.gate.tokenGrants(ctx, g.Token); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(all, func(g bridge.Grant) bool { return !holds[g.Token] }), nil
}

// RevokeGrant ends a grant that [Caller.ListGrants] returns, for every request that comes from
// then on; [bridge.ErrNotFound] where none holds.
func (c *Caller) RevokeGrant(ctx context.Context, id string) (bridge.Grant, error) {
	kept, ok := c.gate.grants()
	if !ok {
		return bridge.Grant{}, bridge.ErrNotFound
	}
	return kept.Revoke(ctx, id, c.Tenant, c.admin(), cmp.Or(c.Name, Operator), time.Now())
}
