package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/internal/tokentext"
)

// Tokens are those of a store that no running bridge stands before, in the words of the API.
type Tokens struct {
	store Store
	all   *access.Tokens
	trail *Audit // nil where the configuration has no audit
}

// OpenTokens opens the store of a configuration for its tokens. A store in a file has to
// be let go of by askbridge serve, one in memory has none.
func OpenTokens(ctx context.Context, cfg *config.Config, log *slog.Logger) (*Tokens, error) {
	if cfg.Store.Type == config.StoreMemory {
		return nil, errors.New("the store of the configuration is memory, which would forget the token at once; ask the running askbridge for one, or list it under agents")
	}
	s, err := OpenStore(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	t := &Tokens{store: s, all: access.NewTokens(s.KeyValue(), cfg.Access(), cfg.RouteNames())}
	if b, err := newApp(cfg, nil).check(); err == nil {
		t.all.Before(b) // What is wrong with the configuration is for whoever serves it.
	}
	if cfg.Audit.On() {
		if t.trail, _, err = newAudit(cfg, s.KeyValue()); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return t, nil
}

// note has the audit trail tell what is about to be done; the bridge gives it its place.
func (t *Tokens) note(ctx context.Context, kind, of string) error {
	if t.trail == nil {
		return nil
	}
	return t.trail.Note(ctx, kind, access.Operator, of)
}

// Close lets go of the store.
func (t *Tokens) Close() error { return t.store.Close() }

// CreateToken is [client.Client.CreateToken]; what is wrong is an [*ask.InvalidError].
func (t *Tokens) CreateToken(ctx context.Context, n client.NewToken) (*client.MadeToken, error) {
	agent, o := api.ReadToken(n)
	o.By = access.Operator
	name := n.Name
	if tokentext.Is(name) {
		name = access.IDOf(name).String() // It is refused below, and is nothing for a trail.
	}
	if err := t.note(ctx, "token_create", name); err != nil {
		return nil, err
	}
	return shown(t.all.Create(ctx, agent, o))
}

// RotateToken is [client.Client.RotateToken].
func (t *Tokens) RotateToken(ctx context.Context, of string, how client.RotateToken) (*client.MadeToken, error) {
	o := api.ReadRotation(how)
	o.By = access.Operator
	if err := t.note(ctx, "token_rotate", of); err != nil {
		return nil, err
	}
	return shown(t.all.Rotate(ctx, of, o))
}

// RevokeToken is [client.Client.RevokeToken].
func (t *Tokens) RevokeToken(ctx context.Context, of string) (*client.Tokens, error) {
	if err := t.note(ctx, "token_revoke", of); err != nil {
		return nil, err
	}
	ended, err := t.all.Revoke(ctx, of)
	return listed(ended), err
}

// ListTokens is [client.Client.ListTokens].
func (t *Tokens) ListTokens(ctx context.Context) (*client.Tokens, error) {
	all, err := t.all.List(ctx)
	return listed(all), err
}

func shown(text string, t access.Token, err error) (*client.MadeToken, error) {
	if err != nil {
		return nil, err
	}
	return &client.MadeToken{Secret: text, Token: api.ShowToken(&t)}, nil
}

func listed(all []access.Token) *client.Tokens {
	list := &client.Tokens{}
	for n := range all {
		list.Tokens = append(list.Tokens, api.ShowToken(&all[n]))
	}
	return list
}
