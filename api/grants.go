package api

import (
	"errors"
	"net/http"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
)

// listGrants lists the grants: GET /v1/grants.
func listGrants(x *exchange) error {
	ctx, stop := budget(x.r.Context())
	defer stop()
	all, err := x.who.ListGrants(ctx)
	if err != nil {
		return err
	}
	list := client.Grants{Grants: make([]client.Grant, len(all))}
	for n := range all {
		list.Grants[n] = grantOf(&all[n])
	}
	return x.reply(http.StatusOK, list)
}

// revokeGrant revokes one: POST /v1/grants/{grant}/revoke.
func revokeGrant(x *exchange) error {
	ctx, stop := budget(x.r.Context())
	defer stop()
	id := x.r.PathValue("grant")
	var g bridge.Grant
	err := audited(ctx, x, "grant_revoke", id, func() (err error) {
		g, err = x.who.RevokeGrant(ctx, id)
		return err
	})
	if errors.Is(err, bridge.ErrNotFound) {
		return problem(http.StatusNotFound, "no grant with the id %q holds; GET /v1/grants lists those that do", id)
	}
	if err != nil {
		return err
	}
	x.s.log.Info("grant revoked", "call_id", x.id(), "grant", g.ID, "agent", g.Agent, "by", g.RevokedBy)
	return x.reply(http.StatusOK, grantOf(&g))
}

func grantOf(g *bridge.Grant) client.Grant {
	return client.Grant{
		ID: g.ID, Tenant: g.Tenant, Agent: g.Agent, Session: g.Session, Scope: g.Scope, What: g.What, Request: g.Request, By: g.By, Token: g.Token,
		MadeAt: client.UTC(g.Made), Until: client.UTC(g.Until), Uses: g.Uses, UsedAt: client.UTC(g.Used), RevokedAt: client.UTC(g.Revoked),
	}
}
