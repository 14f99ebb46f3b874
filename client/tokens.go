package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// TokenSettings are the settings of a token, as under agents in the configuration.
type TokenSettings struct {
	Name string `json:"name" maxLength:"256" doc:"Shown in the log and on cards. No two may look alike." example:"deploy-bot"`

	Tenant     string     `json:"tenant,omitempty" maxLength:"128" doc:"Agents of one tenant see each other's requests and no others; absent for the name" example:"platform-team"`
	Requester  []string   `json:"requester,omitempty" nullable:"false" doc:"On whose behalf it asks; with the scope answer, who its holder is on each platform" example:"slack:U0000001"`
	Responders []string   `json:"responders,omitempty" nullable:"false" doc:"Who may answer its requests at most. A request can narrow this and never widen it."`
	Override   bool       `json:"override_responders,omitempty" doc:"Whether its requests may widen it all the same"`
	Policy     *NewPolicy `json:"policy,omitempty" doc:"How many people decide its requests at least"`
	Notify     []string   `json:"notify,omitzero" nullable:"false" doc:"Who is notified of its requests if neither they nor their routes say" example:"slack:U0000001"`

	Hold string `json:"hold,omitempty" doc:"How long the person who decides its requests can undo it at least" example:"10s"`

	AskBack  ask.AskBack `json:"ask_back,omitempty" enum:"off,stay,end" doc:"Whether people can ask it something if neither the request nor the route sets this"`
	Receipts bool        `json:"receipts,omitempty" doc:"Whether its cards show when it has acknowledged an answer"`

	Schedule *NewSchedule `json:"schedule,omitempty" doc:"What happens while there is no answer to its requests, if neither they nor their routes say"`

	Scopes  []string `json:"scopes,omitempty" nullable:"false" enum:"ask,read,cancel,admin,answer,grant,tokens" doc:"What it may do; absent for ask, read and cancel"`
	Targets []string `json:"targets,omitempty" nullable:"false" doc:"Where it may ask. Anywhere if there are neither targets nor routes." example:"slack:C0000001"`
	Routes  []string `json:"routes,omitempty" nullable:"false" doc:"The routes it may use" example:"deploys"`

	Subagents string        `json:"subagents,omitempty" enum:"refuse,pass" doc:"The policy for questions of sub-agents; absent for the host's own"`
	Variants  []string      `json:"variants,omitempty" nullable:"false" doc:"How its hosts differ from what they document"`
	Persist   string        `json:"persist,omitempty" enum:"none,session,local,project,user" doc:"How far the permissions that its hosts ask for may reach beyond one call; absent for session"`
	Grants    *GrantCeiling `json:"grants,omitempty" doc:"How far and how long people may allow a call of its hosts again without being asked; absent for not at all"`

	ModelMaySet []string `json:"model_may_set,omitempty" nullable:"false" enum:"to,route,responders,origin" doc:"What the model itself may set in a call of the MCP tool: where it asks, who may answer, and the conversation it works in; absent for nothing"`

	Rate       int `json:"rate_per_minute,omitempty" minimum:"1" doc:"How many requests it may hand in per minute; absent for 60"`
	MaxOpen    int `json:"max_open,omitempty" minimum:"1" doc:"How many of its requests may be open at a time; absent for 1000"`
	Calls      int `json:"calls_per_minute,omitempty" minimum:"1" doc:"How many calls of any kind it may make per minute; a wait of five seconds or longer does not count, and at most as many of those add up; absent for 6000"`
	MaxWaits   int `json:"max_waits,omitempty" minimum:"1" doc:"How many of its calls may wait for people at a time; absent for 1000"`
	MaxStreams int `json:"max_streams,omitempty" minimum:"1" doc:"How many event streams it may hold; absent for 10"`
}

// GrantCeiling is the JSON form of [ask.Grants].
type GrantCeiling struct {
	Scope ask.Same `json:"scope" enum:"session,agent" doc:"session: in the session that asked. agent: in every session of the agent, too."`
	For   string   `json:"for" doc:"How long, from the decision on: from 1m to 30d" example:"8h"`
}

// NewToken is the body for a new token.
type NewToken struct {
	TokenSettings

	ExpiresIn string `json:"expires_in,omitempty" doc:"How long it lasts: 30d, 12h, never; absent for 90d" example:"30d"`
}

// Token is a token without its secret.
type Token struct {
	TokenSettings

	ID string `json:"id,omitempty" doc:"Identifies the token in other calls without revealing it; absent for one of the configuration"`
	// State is active for a valid token.
	State      string    `json:"state" enum:"active,expired,replaced,revoked" doc:"Whether it is valid. One that was replaced is active until its grace is over."`
	By         string    `json:"by,omitempty" doc:"Who has made it" example:"operator"`
	CreatedAt  time.Time `json:"created_at,omitzero" doc:"When it was made"`
	ExpiresAt  time.Time `json:"expires_at,omitzero" doc:"When it expires; absent for one without expiry"`
	RevokedAt  time.Time `json:"revoked_at,omitzero" doc:"When it was revoked"`
	LastUsedAt time.Time `json:"last_used_at,omitzero" doc:"When it was used last, to five minutes; absent for never"`
	Replaces   string    `json:"replaces,omitempty" doc:"The id of the token that it replaces"`
	ReplacedBy string    `json:"replaced_by,omitempty" doc:"The id of the token that replaces it"`
}

// MadeToken is a new token with its secret.
type MadeToken struct {
	// Secret cannot be read again.
	Secret string `json:"token" doc:"The token itself, which cannot be shown again." example:"abk_…"`
	Token
}

// RotateToken is the body of a rotation. It may be absent.
type RotateToken struct {
	Grace     string `json:"grace,omitempty" doc:"How long the old one remains valid: 1h, 7d, 0 for no time; absent for 24h, at most 30d" example:"1h"`
	ExpiresIn string `json:"expires_in,omitempty" doc:"How long the new one lasts; absent for as long as the old one did" example:"30d"`
}

// Tokens is a list of tokens.
type Tokens struct {
	Tokens []Token `json:"tokens" nullable:"false" doc:"By name, and of one name the oldest first"`
}

// CreateToken issues a token. The client's token must have the scope "tokens". A [*Problem]
// that matches [ask.ErrInvalid] lists every problem of the settings.
func (c *Client) CreateToken(ctx context.Context, t NewToken) (*MadeToken, error) {
	return sendJSON[MadeToken](ctx, c, "/v1/tokens", t)
}

// ListTokens returns the valid tokens, and those that ended in the last thirty days.
func (c *Client) ListTokens(ctx context.Context) (*Tokens, error) {
	return send[Tokens](ctx, c, call{method: http.MethodGet, path: "/v1/tokens", tries: c.opts.Tries})
}

// RotateToken replaces a token, given by its ID or its agent's name.
func (c *Client) RotateToken(ctx context.Context, of string, how RotateToken) (*MadeToken, error) {
	return sendJSON[MadeToken](ctx, c, "/v1/tokens/"+url.PathEscape(of)+"/rotate", how)
}

// RevokeToken revokes a token by its ID, or all tokens of an agent by its name.
func (c *Client) RevokeToken(ctx context.Context, of string) (*Tokens, error) {
	return send[Tokens](ctx, c, call{method: http.MethodPost, path: "/v1/tokens/" + url.PathEscape(of) + "/revoke", tries: c.opts.Tries})
}

// Self returns the client's token. It has no name if the bridge requires none.
func (c *Client) Self(ctx context.Context) (*Token, error) {
	return send[Token](ctx, c, call{method: http.MethodGet, path: "/v1/token", tries: c.opts.Tries})
}

// sendJSON posts a body without retries, for calls that are not idempotent.
func sendJSON[T any](ctx context.Context, c *Client, path string, v any) (*T, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("client: encode: %w", err)
	}
	return send[T](ctx, c, call{method: http.MethodPost, path: path, body: body, tries: 1})
}
