package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/tokentext"
)

// noToken is the result of an invalid token request.
const noToken = "no token was made"

// tokensOf returns the issued tokens.
func tokensOf(x *exchange) (*access.Tokens, error) {
	if t := x.s.entrance.Load().gate.Tokens(); t != nil {
		return t, nil
	}
	return nil, problem(http.StatusNotFound, "this bridge issues no tokens: its store holds only requests")
}

// createToken issues a token: POST /v1/tokens.
func createToken(x *exchange) error {
	var sent client.NewToken
	if err := x.parseStrictly(&sent, true, noToken); err != nil {
		return err
	}
	agent, o := ReadToken(sent)
	return makeToken(x, "token_create", nameOf(agent.Name), func(ctx context.Context, t *access.Tokens) (string, access.Token, error) {
		o.By = x.caller()
		return t.Create(ctx, agent, o)
	})
}

// rotateToken replaces a token: POST /v1/tokens/{token}/rotate.
func rotateToken(x *exchange) error {
	var sent client.RotateToken
	if err := x.parseStrictly(&sent, false, noToken); err != nil {
		return err
	}
	o, of := ReadRotation(sent), nameOf(x.r.PathValue("token"))
	return makeToken(x, "token_rotate", of, func(ctx context.Context, t *access.Tokens) (string, access.Token, error) {
		o.By = x.caller()
		return t.Rotate(ctx, of, o)
	})
}

// nameOf returns the identifier of a token for logs, trails and responses. If a caller sent the
// token itself instead of its id or name, it is the id.
func nameOf(text string) string {
	if tokentext.Is(text) {
		return access.IDOf(text).String()
	}
	return text
}

// makeToken issues a token by name, or as the replacement of another.
func makeToken(x *exchange, kind, of string, do func(context.Context, *access.Tokens) (string, access.Token, error)) error {
	t, err := tokensOf(x)
	if err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	if err := x.once(ctx, t); err != nil {
		return err
	}
	var text string
	var made access.Token
	err = audited(ctx, x, kind, of, func() (err error) {
		text, made, err = do(ctx, t)
		return err
	})
	if err != nil {
		return tokenProblem(err, of)
	}
	x.s.log.Info("token issued", "call_id", x.id(), "token", made.ID.String(), "replaces", made.Replaces, "agent", made.Agent.Name, "by", made.By)
	return x.reply(http.StatusCreated, client.MadeToken{Secret: text, Token: ShowToken(&made)})
}

// listTokens lists the issued tokens: GET /v1/tokens.
func listTokens(x *exchange) error {
	t, err := tokensOf(x)
	if err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	all, err := t.List(ctx)
	if err != nil {
		return err
	}
	return x.reply(http.StatusOK, tokenList(all))
}

// revokeToken revokes one, or all of one name: POST /v1/tokens/{token}/revoke.
func revokeToken(x *exchange) error {
	t, err := tokensOf(x)
	if err != nil {
		return err
	}
	ctx, stop := budget(x.r.Context())
	defer stop()
	if err := x.once(ctx, t); err != nil {
		return err
	}
	var ended []access.Token
	var failed error
	of := nameOf(x.r.PathValue("token"))
	err = audited(ctx, x, "token_revoke", of, func() error {
		if ended, failed = t.Revoke(ctx, of); len(ended) > 0 {
			return nil // It took effect, whatever the error.
		}
		return failed
	})
	for n := range ended {
		x.s.log.Info("token revoked", "call_id", x.id(), "token", ended[n].ID.String(), "agent", ended[n].Agent.Name, "by", x.caller())
	}
	if err = cmp.Or(err, failed); err != nil {
		return tokenProblem(err, of)
	}
	return x.reply(http.StatusOK, tokenList(ended))
}

// describeToken describes the caller's token: GET /v1/token.
func describeToken(x *exchange) error {
	ctx, stop := budget(x.r.Context())
	defer stop()
	own, err := x.who.Self(ctx)
	if err != nil {
		return err
	}
	return x.reply(http.StatusOK, ShowToken(&own))
}

// parseStrictly parses a body with no other members than those of v, and no duplicates. Unless
// needed is set the body may be empty. nothing states in errors what was not done.
func (x *exchange) parseStrictly(v any, needed bool, nothing string) error {
	data, err := x.body(MaxBody)
	if err != nil || !needed && len(data) == 0 {
		return err
	}
	if bytes.HasPrefix(data, []byte(`"`)) {
		return wellFormed(data, "")
	}
	if twice, ok := errors.AsType[*ask.InvalidError](ask.CheckMembers(data)); ok {
		p := problem(http.StatusUnprocessableEntity, "%s", nothing)
		p.Errors = remarks(twice.Problems)
		return p
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err = d.Decode(v)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("json: unexpected data after the object")
		}
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return problem(http.StatusUnprocessableEntity, "%s", nothing).at(strings.TrimPrefix(wrong.Field, "TokenSettings."), "must not be a %s", wrong.Value)
	}
	if name, ok := strings.CutPrefix(errorText(err), "json: unknown field "); ok {
		return problem(http.StatusUnprocessableEntity, "%s", nothing).at(strings.Trim(name, `"`), "is not known here")
	}
	if err != nil {
		return problem(http.StatusBadRequest, notAnObject+"%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// notAnObject is the prefix of the error for a body that is not a JSON object.
const notAnObject = "the body is not a JSON object: "

// parseForm is parseStrictly with an example of the expected body for errors.
func (x *exchange) parseForm(v any, needed bool, nothing, form string) error {
	err := x.parseStrictly(v, needed, nothing)
	if p, ok := errors.AsType[*failure](err); ok && strings.HasPrefix(p.Detail, notAnObject) {
		return problem(http.StatusBadRequest, "%s", form)
	}
	return err
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// tokenProblem converts an error of a token operation.
func tokenProblem(err error, of string) error {
	var invalid *ask.InvalidError
	switch {
	case errors.As(err, &invalid):
		p := problem(http.StatusUnprocessableEntity, noToken)
		p.Errors = remarks(invalid.Problems)
		return p
	case errors.Is(err, bridge.ErrNotFound):
		return problem(http.StatusNotFound, "no token has the id or the name %q; GET /v1/tokens lists those that there are", of)
	case errors.Is(err, access.ErrTokenEnded):
		return problem(http.StatusConflict, "%s", strings.TrimPrefix(err.Error(), "access: "))
	}
	return err
}

// ReadToken converts a token request. Invalid values are kept for validation to report.
func ReadToken(t client.NewToken) (access.Agent, access.TokenOptions) {
	s, o := t.TokenSettings, access.TokenOptions{}
	a := access.Agent{
		Name: s.Name, Tenant: s.Tenant, Requesters: s.Requester, Unbound: s.Override,
		Terms:   ask.Terms{Responders: s.Responders, Notify: s.Notify, AskBack: s.AskBack, Receipts: s.Receipts},
		Targets: s.Targets, Routes: s.Routes, Subagents: access.Subagents(s.Subagents), Variants: s.Variants, Persist: s.Persist,
		ModelMaySet: s.ModelMaySet,
		Rate:        s.Rate, MaxOpen: s.MaxOpen, Calls: s.Calls, MaxWaits: s.MaxWaits, MaxStreams: s.MaxStreams,
	}
	if s.Hold != "" {
		var err error
		if a.Hold, err = ask.ParseHold(s.Hold); err != nil {
			o.Wrong = append(o.Wrong, ask.Problem{Path: "hold", Detail: fmt.Sprintf("is no time from %s to %s, such as 10s", ask.MinHold, ask.MaxHold)})
		}
	}
	for _, scope := range s.Scopes {
		a.Scopes = append(a.Scopes, access.Scope(scope))
	}
	if s.Grants != nil {
		a.Grants = ask.Grants{Scope: s.Grants.Scope, For: span(&o, "grants.for", s.Grants.For)}
	}
	if s.Policy != nil || s.Schedule != nil {
		// Parse them like those of a request.
		data, err := json.Marshal(struct {
			Policy   *client.NewPolicy   `json:"policy,omitempty"`
			Schedule *client.NewSchedule `json:"schedule,omitempty"`
		}{s.Policy, s.Schedule})
		if err != nil {
			o.Wrong = append(o.Wrong, ask.Problem{Path: "policy", Detail: "cannot be read"})
		}
		r, _, err := ask.DecodeRequest(data)
		if wrong, ok := errors.AsType[*ask.InvalidError](err); ok {
			o.Wrong = append(o.Wrong, wrong.Problems...)
		}
		a.Voting, a.Schedule = r.Voting, r.Schedule
	}
	o.ExpiresIn = span(&o, "expires_in", t.ExpiresIn)
	return a, o
}

// ReadRotation converts a rotation request.
func ReadRotation(r client.RotateToken) access.TokenOptions {
	o := access.TokenOptions{Grace: access.DefaultGrace}
	o.ExpiresIn = span(&o, "expires_in", r.ExpiresIn)
	switch r.Grace {
	case "":
	case "0", "0s":
		o.Grace = 0
	case "never":
		o.Grace = access.MaxGrace + 1
	default:
		o.Grace = span(&o, "grace", r.Grace)
	}
	return o
}

func span(o *access.TokenOptions, path, text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := ask.ParseExpiry(text)
	if err != nil || d > ask.MaxExpiresIn {
		o.Wrong = append(o.Wrong, ask.Problem{Path: path, Detail: "is not a duration such as 30m, 24h or 30d (at most 366d), nor never"})
	}
	return d
}

// ShowToken returns a token as the API shows it.
func ShowToken(t *access.Token) client.Token {
	a := t.Agent
	reply := client.Token{
		TokenSettings: client.TokenSettings{
			Name: a.Name, Tenant: a.Tenant, Requester: a.Requesters, Responders: a.Responders, Override: a.Unbound, Notify: a.Notify,
			Targets: a.Targets, Routes: a.Routes, Subagents: string(a.Subagents), Variants: a.Variants, Persist: a.Persist,
			AskBack: a.AskBack, Receipts: a.Receipts, ModelMaySet: a.ModelMaySet,
			Rate: a.Rate, MaxOpen: a.MaxOpen, Calls: a.Calls, MaxWaits: a.MaxWaits, MaxStreams: a.MaxStreams,
		},
		State: string(t.State(time.Now())), By: t.By,
		CreatedAt: client.UTC(t.Created), ExpiresAt: client.UTC(t.Expires), RevokedAt: client.UTC(t.Revoked), LastUsedAt: client.UTC(t.LastUsed),
		Replaces: t.Replaces, ReplacedBy: t.ReplacedBy,
	}
	if a.Hold > 0 {
		reply.Hold = a.Hold.String()
	}
	if !a.Schedule.IsZero() {
		reply.Schedule = client.NewScheduleOf(a.Schedule)
	}
	if g := a.Grants; g != (ask.Grants{}) {
		reply.Grants = &client.GrantCeiling{Scope: g.Scope, For: g.For.String()}
	}
	if t.ID != (access.TokenID{}) {
		reply.ID = t.ID.String()
	}
	for _, scope := range a.Granted() {
		reply.Scopes = append(reply.Scopes, string(scope))
	}
	if v := a.Voting; !v.IsZero() {
		reply.Policy = new(client.NewPolicy(v))
	}
	return reply
}

func tokenList(all []access.Token) client.Tokens {
	list := client.Tokens{Tokens: make([]client.Token, len(all))}
	for n := range all {
		list.Tokens[n] = ShowToken(&all[n])
	}
	return list
}
