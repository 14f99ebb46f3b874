package access

import (
	"cmp"
	"context"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// ListGrants returns what people have allowed agents of the caller's tenant for a time, and
// what holds still, newest first: that of all tenants with the scope [Admin].
func (c *Caller) ListGrants(ctx context.Context) ([]bridge.Grant, error) {
	kept, ok := c.gate.grants()
	if !ok {
		return nil, nil
	}
	return kept.List(ctx, c.Tenant, c.admin(), time.Now())
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
