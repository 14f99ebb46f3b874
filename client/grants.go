package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Grant is a call that a person has allowed for a time, so that no one is asked about it.
type Grant struct {
	ID      string     `json:"id" doc:"Names the grant in other calls, and behind grant: in via of the requests it has met"`
	Tenant  string     `json:"tenant,omitempty" doc:"Whose requests it meets"`
	Agent   string     `json:"agent,omitempty" doc:"The agent whose calls it allows" example:"deploy-bot"`
	Session string     `json:"session,omitempty" doc:"The one session that it holds in; absent with the scope agent" example:"run-7"`
	Scope   ask.Same   `json:"scope" enum:"session,agent" doc:"session: in the one session. agent: in every session of the agent."`
	What    string     `json:"what" doc:"What is allowed, on one line; cut where it is long. Only a call that is the same in all of it is met." example:"Bash: npm test"`
	Request string     `json:"request" doc:"The request whose answer made it"`
	By      ask.Person `json:"by" doc:"Who has made it"`
	Token   string     `json:"token,omitempty" doc:"The id of the token that it was made with over the API, and ends with; absent for one made on a card"`
	MadeAt  time.Time  `json:"made_at" doc:"When it was made"`
	Until   time.Time  `json:"until" doc:"When it ends by itself"`
	Uses    int        `json:"uses" doc:"How many requests it has met"`
	UsedAt  time.Time  `json:"used_at,omitzero" doc:"When it met the last one; absent for never"`
	// RevokedAt is set only in the reply to a revocation.
	RevokedAt time.Time `json:"revoked_at,omitzero" doc:"When it was revoked; only in the reply to that"`
}

// Grants is a list of grants.
type Grants struct {
	Grants []Grant `json:"grants" nullable:"false" doc:"Active ones, newest first"`
}

// Grants returns the active grants.
func (c *Client) Grants(ctx context.Context) (*Grants, error) {
	return send[Grants](ctx, c, call{method: http.MethodGet, path: "/v1/grants", tries: c.opts.Tries})
}

// RevokeGrant ends a grant: it applies to no later request. One that was revoked before is
// unchanged. It fails with a [*Problem] of status 404 for an unknown ID.
func (c *Client) RevokeGrant(ctx context.Context, id string) (*Grant, error) {
	return send[Grant](ctx, c, call{method: http.MethodPost, path: "/v1/grants/" + url.PathEscape(id) + "/revoke", tries: c.opts.Tries})
}
