package access

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// offered returns the offer of a permission that an action chooses, or nil.
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

// tokenGrants reports whether the token with an ID is valid and has the scope [Grant], so that the grants of its holder
// count.
func (g *Gate) tokenGrants(ctx context.Context, id string) (bool, error) {
	g = g.newest()
	if who := g.keys.byID[id]; who != nil {
		return who.has(Grant), nil
	}
	if g.tokens == nil || tokenKey(id).Validate() != nil {
		return false, nil //nolint:nilerr // An invalid ID identifies no token.
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

// ListGrants returns the active grants of the caller's tenant, or of all tenants with the scope [Admin], newest first.
func (c *Caller) ListGrants(ctx context.Context) ([]bridge.Grant, error) {
	t := c.gate.tokens
	if t == nil {
		return nil, nil
	}
	all, err := keyvalue.Grants{Store: t.kv}.List(ctx, c.Tenant, c.has(Admin), time.Now())
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

// RevokeGrant ends a grant that [Caller.ListGrants] returns: later requests are not covered by it. It returns
// [bridge.ErrNotFound] if the grant is not active.
func (c *Caller) RevokeGrant(ctx context.Context, id string) (bridge.Grant, error) {
	t := c.gate.tokens
	if t == nil {
		return bridge.Grant{}, bridge.ErrNotFound
	}
	return keyvalue.Grants{Store: t.kv}.Revoke(ctx, id, c.Tenant, c.has(Admin), cmp.Or(c.Name, Operator), time.Now())
}
