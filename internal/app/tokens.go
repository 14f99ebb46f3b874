package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/tokentext"
)

// Tokens implements the API's token operations for a store that is not in use.
type Tokens struct {
	store Store
	all   *access.Tokens
	trail api.Auditor // Nil without an audit trail.
	log   *slog.Logger
}

// OpenTokens opens the configured store for its tokens. If it is a file, askbridge serve must not be
// running; memory has none.
func OpenTokens(ctx context.Context, cfg *config.Config, log *slog.Logger) (*Tokens, error) {
	if cfg.Store.Type == config.StoreMemory {
		return nil, errors.New("store.type is memory, which is not persistent; request a token from the running askbridge, or list it under agents")
	}
	s, err := OpenStore(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	t := &Tokens{store: s, log: log, all: access.NewTokens(s.KeyValue(), cfg.Access(), cfg.RouteNames())}
	if b, err := newApp(cfg, nil).check(); err == nil {
		t.all.Before(b) // The server reports problems of the configuration.
	}
	if cfg.Audit.On() {
		trail, _, err := newAudit(cfg, s.KeyValue())
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		t.trail = trail
	}
	return t, nil
}

// audited is [api.Audited] for the operator.
func (t *Tokens) audited(ctx context.Context, kind, of string, do func() error) error {
	return api.Audited(ctx, t.trail, t.log, kind, access.Operator, of, do)
}

// Close closes the store.
func (t *Tokens) Close() error { return t.store.Close() }

// CreateToken is [client.Client.CreateToken]; mistakes are an [*ask.InvalidError].
func (t *Tokens) CreateToken(ctx context.Context, n client.NewToken) (*client.MadeToken, error) {
	agent, o := api.ReadToken(n)
	o.By = access.Operator
	name := n.Name
	if tokentext.Is(name) {
		name = access.IDOf(name).String() // It is rejected below and must not be in the trail.
	}
	return t.makeToken(ctx, "token_create", name, func() (string, access.Token, error) { return t.all.Create(ctx, agent, o) })
}

// RotateToken is [client.Client.RotateToken].
func (t *Tokens) RotateToken(ctx context.Context, of string, how client.RotateToken) (*client.MadeToken, error) {
	o := api.ReadRotation(how)
	o.By = access.Operator
	return t.makeToken(ctx, "token_rotate", of, func() (string, access.Token, error) { return t.all.Rotate(ctx, of, o) })
}

func (t *Tokens) makeToken(ctx context.Context, kind, of string, do func() (string, access.Token, error)) (*client.MadeToken, error) {
	var made client.MadeToken
	err := t.audited(ctx, kind, of, func() error {
		text, token, err := do()
		made = client.MadeToken{Secret: text, Token: api.ShowToken(&token)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &made, nil
}

// RevokeToken is [client.Client.RevokeToken].
func (t *Tokens) RevokeToken(ctx context.Context, of string) (*client.Tokens, error) {
	var ended []access.Token
	var failed error
	err := t.audited(ctx, "token_revoke", of, func() error {
		if ended, failed = t.all.Revoke(ctx, of); len(ended) > 0 {
			return nil // It succeeded, possibly with a warning.
		}
		return failed
	})
	return listed(ended), cmp.Or(err, failed)
}

// ListTokens is [client.Client.ListTokens].
func (t *Tokens) ListTokens(ctx context.Context) (*client.Tokens, error) {
	all, err := t.all.List(ctx)
	return listed(all), err
}

func listed(all []access.Token) *client.Tokens {
	list := &client.Tokens{}
	for n := range all {
		list.Tokens = append(list.Tokens, api.ShowToken(&all[n]))
	}
	return list
}
