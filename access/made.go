package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// madeCaller is a caller whose token stands in the store, as that was read.
type madeCaller struct {
	version string
	who     *Caller
}

const unknownToken = "this token is not known here: it was made for another bridge, or it ended long ago; ask whoever runs this one for a new one"

// HashOf returns the SHA-256 of a token by its id, whether it holds or not: for a call whose
// token is sealed, so that its refusal can be proved too. It refuses an id that nobody knows
// as [Gate.Identify] does.
func (g *Gate) HashOf(ctx context.Context, id TokenID, from string) ([sha256.Size]byte, error) {
	k, err := g.read(ctx, id)
	if err != nil {
		return [sha256.Size]byte{}, g.counted(err, from)
	}
	return k.hash, nil
}

// counted counts a refusal of what nobody knows against where it comes from.
func (g *Gate) counted(err error, from string) error {
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Kind == Unknown {
		return g.Stranger(from, refused.Detail)
	}
	return err
}

// read reads a token, or returns a [*RefusedError] for one that is not there.
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
		r := refuse(Unclear, "whether this token holds cannot be read from the store now; repeat the call")
		r.Err = err
		return nil, r.later(platformPause)
	}
	return k, nil
}

// stored is read for a token that is to hold.
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
		return nil, refuse(Forbidden, "the configuration lists the agent %q, which this token's %q could be taken for, and that one holds; "+
			"ask whoever runs the bridge for a token of another name", other, k.Agent.Name)
	}
	g.tokens.used(ctx, id, now)
	return k, nil
}

// callerOf returns the caller of a token, with what it has used of its limits.
func (g *Gate) callerOf(k *kept) *Caller {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m := g.made[k.ID]; m != nil && m.version == k.version {
		return m.who
	}
	who := newCaller(g, k.Agent)
	who.token = k.ID
	// What replaces a token goes on where that one was, as after a reload.
	for _, was := range g.before {
		who.goOn(was)
	}
	for _, m := range g.made {
		who.goOn(m.who)
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
