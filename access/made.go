package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// madeCaller is the caller with an issued token, as of a version of it in the store.
type madeCaller struct {
	version string
	who     *Caller
}

const unknownToken = "this token is not known here: it was made for another bridge, or it ended long ago; ask the operator of this bridge for a new one"

// HashOf returns the SHA-256 of the issued token with an ID, valid or not, so that also the refusal of a sealed token can
// be proved. An unknown ID counts like an unknown token in [Gate.Identify].
func (g *Gate) HashOf(ctx context.Context, id TokenID, from string) ([sha256.Size]byte, error) {
	k, err := g.read(ctx, id)
	if err != nil {
		return [sha256.Size]byte{}, g.counted(err, from)
	}
	return k.hash, nil
}

// counted counts an unknown token against the caller's address.
func (g *Gate) counted(err error, from string) error {
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Kind == Unknown {
		return g.Stranger(from, refused.Detail)
	}
	return err
}

// read reads an issued token, valid or not, or returns a [*RefusedError].
func (g *Gate) read(ctx context.Context, id TokenID) (*kept, error) {
	if g.tokens == nil {
		return nil, refuse(Unknown, "this token is not known here")
	}
	k, err := g.tokens.get(ctx, id)
	if errors.Is(err, bridge.ErrNotFound) {
		g.forget(id)
		return nil, refuse(Unknown, unknownToken)
	}
	if err != nil {
		r := refuse(Unclear, "the store cannot be read now to check this token; repeat the call")
		r.Err = err
		return nil, r.later(platformPause)
	}
	return k, nil
}

// stored reads a valid issued token, and records its use.
func (g *Gate) stored(ctx context.Context, id TokenID) (*kept, error) {
	k, err := g.read(ctx, id)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if why := k.why(now); why != "" {
		g.forget(id)
		return nil, refuse(Unknown, "%s", why)
	}
	if other := g.tokens.clashes(k.Agent.Name); other != "" {
		return nil, refuse(Forbidden, "the configuration lists the agent %q, which takes precedence because this token's name %q looks like it; "+
			"ask the operator of the bridge for a token with another name", other, k.Agent.Name)
	}
	g.tokens.used(ctx, id, now)
	return k, nil
}

// callerOf returns the caller with an issued token.
func (g *Gate) callerOf(k *kept) *Caller {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m := g.made[k.ID]; m != nil && m.version == k.version {
		return m.who
	}
	who := newCaller(g, k.Agent)
	who.id, who.hash, who.issued = k.ID, k.hash, true
	// A replacement continues the counts of the token before it, as after a reload.
	for _, was := range g.before {
		who.Quota.inherit(was)
	}
	for _, m := range g.made {
		who.Quota.inherit(m.who.Quota)
	}
	g.made[k.ID] = &madeCaller{k.version, who}
	if g.known != nil {
		g.known(who.Name)
	}
	return who
}

func (g *Gate) forget(id TokenID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.made, id)
	g.tokens.uses.forget(id)
}
