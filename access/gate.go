package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/askbridge/askbridge/bridge"
)

// Options are who may call.
type Options struct {
	// Agents are told by their tokens.
	Agents []Agent
	// AllowAnonymous serves callers without a token when there are no Agents, and
	// without limits. Set it only where nobody but the operator can call.
	AllowAnonymous bool
	// AnonymousAnswers lets callers without a token answer requests too. Set it only
	// where no answer matters, as in a simulator.
	AnonymousAnswers bool
	// DefaultRoute is [bridge.Options.DefaultRoute], against which the routes of
	// an agent are judged.
	DefaultRoute string
}

// Gate knows who may call a bridge. Make one with [New].
type Gate struct {
	bridge    *bridge.Bridge
	route     string
	keys      []key
	anonymous *Caller
	strangers *strangers
	// anonymousAnswers lets the anonymous caller answer.
	anonymousAnswers bool
}

type key struct {
	hash [sha256.Size]byte
	who  *Caller
}

// New returns a gate before a bridge, or an error that names everything wrong
// with the agents. It keeps hashes of the tokens only.
func New(b *bridge.Bridge, o *Options) (*Gate, error) {
	g := &Gate{bridge: b, strangers: newStrangers(), anonymousAnswers: o.AnonymousAnswers}
	var errs []error
	for _, p := range CheckAgents(o.Agents) {
		errs = append(errs, fmt.Errorf("access: %w", p))
	}
	if len(o.Agents) == 0 && !o.AllowAnonymous {
		errs = append(errs, errors.New("access: agents: there are none, and anonymous calls are not allowed"))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	g.route = o.DefaultRoute
	for _, a := range o.Agents {
		who := newCaller(g, a)
		for _, token := range []string{a.Token, a.NextToken} {
			if token != "" {
				g.keys = append(g.keys, key{sha256.Sum256([]byte(token)), who})
			}
		}
	}
	if len(o.Agents) == 0 {
		g.anonymous = &Caller{gate: g}
	}
	return g, nil
}

// Bridge is the bridge behind the gate, for what has no caller.
func (g *Gate) Bridge() *bridge.Bridge { return g.bridge }

// Anonymous returns the caller without a token, nil where tokens are needed.
func (g *Gate) Anonymous() *Caller { return g.anonymous }

// Hashes returns the SHA-256 of every token.
func (g *Gate) Hashes() [][sha256.Size]byte {
	all := make([][sha256.Size]byte, len(g.keys))
	for n, k := range g.keys {
		all[n] = k.hash
	}
	return all
}

// Identify tells who calls with a token. From says from where the call comes, as
// far as that is known. Whoever shows tokens that nobody knows is told
// [Unknown], and too many from one place are told [Exhausted]; a token that is
// known counts from wherever it comes.
func (g *Gate) Identify(token, from string) (*Caller, error) {
	hash := sha256.Sum256([]byte(token))
	var who *Caller
	for _, key := range g.keys {
		if subtle.ConstantTimeCompare(hash[:], key.hash[:]) == 1 {
			who = key.who
		}
	}
	if who == nil {
		return nil, g.Stranger(from, "this token is not known here")
	}
	return who, nil
}

// Stranger returns what somebody is told who cannot be identified: the reason,
// or that there were too many.
func (g *Gate) Stranger(from, reason string) *RefusedError {
	if wait := g.strangers.come(from); wait > 0 {
		return refuse(Exhausted, "too many calls without a token that is known here").later(wait)
	}
	return refuse(Unknown, "%s", reason)
}

// Inherit lets the agents that were known before go on with what they have used of
// limits that are the same. Call it before anybody is identified.
func (g *Gate) Inherit(old *Gate) {
	before := map[string]*Caller{}
	for _, k := range old.keys {
		before[k.who.Name] = k.who
	}
	for _, k := range g.keys {
		if was, ok := before[k.who.Name]; ok && was.Tenant == k.who.Tenant && was.Rate == k.who.Rate && was.Calls == k.who.Calls {
			k.who.limits = was.limits
		}
	}
	g.strangers = old.strangers
}
