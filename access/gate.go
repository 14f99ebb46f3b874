package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/tokentext"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Options are who may call.
type Options struct {
	// Agents are told by their tokens.
	Agents []Agent
	// AllowAnonymous serves callers without a token when there are no Agents, and
	// without limits. Set it only where nobody but the operator can call.
	AllowAnonymous bool
	// AnonymousAnswers lets callers without a token answer requests too, and make
	// tokens. Set it only where no answer matters, as in a simulator.
	AnonymousAnswers bool
	// AnonymousGrants are the [Agent.Grants] of callers without a token.
	AnonymousGrants ask.Grants
	// Store has the tokens that are made while the bridge runs, which count beside those of
	// the Agents; see [Tokens]. Nil knows none.
	Store keyvalue.Store
	// Known is told the name of each agent that calls with one of them for the first time; nil
	// is nobody.
	Known func(agent string)
	// Routes are the names of all routes, for tokens that are to be made.
	Routes []string
	// DefaultRoute is [bridge.Options.DefaultRoute], against which the routes of
	// an agent are judged.
	DefaultRoute string
}

// Gate knows who may call a bridge. Make one with [New].
type Gate struct {
	bridge    *bridge.Bridge
	route     string
	keys      keyring
	anonymous *Caller
	strangers *strangers
	tokens    *Tokens // nil without a store
	known     func(agent string)

	// made are the callers with tokens of the store, as far as they have called.
	mu   sync.Mutex
	made map[TokenID]*madeCaller
	// before are the callers of the gate before this one.
	before []*Caller
	// next is the gate that has taken this one's place.
	next atomic.Pointer[Gate]

	// anonymousAnswers lets the anonymous caller answer.
	anonymousAnswers bool
}

// New returns a gate before a bridge, or an error that names everything wrong
// with the agents: an [*ask.InvalidError] where they are well formed and name people,
// groups or places that the bridge's platforms do not know. It keeps hashes of the tokens
// only.
func New(b *bridge.Bridge, o *Options) (*Gate, error) {
	g := &Gate{bridge: b, keys: newKeyring(), strangers: newStrangers(), made: map[TokenID]*madeCaller{}, anonymousAnswers: o.AnonymousAnswers, known: o.Known}
	var errs []error
	for _, p := range CheckAgents(o.Agents) {
		errs = append(errs, fmt.Errorf("access: %w", p))
	}
	if len(o.Agents) == 0 && !o.AllowAnonymous && o.Store == nil {
		errs = append(errs, errors.New("access: agents: there are none, and anonymous calls are not allowed"))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if b != nil {
		b.JudgeGrants(g.tokenGrants)
	}
	g.route = o.DefaultRoute
	if o.Store != nil {
		g.tokens = NewTokens(o.Store, o.Agents, o.Routes)
		g.tokens.Before(b)
	}
	var misnamed []ask.Problem
	for n, a := range o.Agents {
		who := newCaller(g, a)
		misnamed = append(misnamed, who.misnamed(fmt.Sprintf("agents[%d].", n))...)
		for _, token := range []string{a.Token, a.NextToken} {
			if token != "" {
				g.keys.add(token, *who)
			}
		}
	}
	if len(misnamed) > 0 {
		return nil, &ask.InvalidError{Problems: misnamed}
	}
	if len(o.Agents) == 0 && o.AllowAnonymous {
		g.anonymous = &Caller{gate: g, Agent: Agent{Grants: o.AnonymousGrants}}
	}
	return g, nil
}

// Bridge is the bridge behind the gate, for what has no caller.
func (g *Gate) Bridge() *bridge.Bridge { return g.bridge }

// Anonymous returns the caller without a token, nil where tokens are needed.
func (g *Gate) Anonymous() *Caller { return g.anonymous }

// Tokens returns the tokens that are made while the bridge runs; nil without a store.
func (g *Gate) Tokens() *Tokens { return g.tokens }

// grants are what people have allowed for a time; not ok without a store.
func (g *Gate) grants() (keyvalue.Grants, bool) {
	if g.tokens == nil {
		return keyvalue.Grants{}, false
	}
	return keyvalue.Grants{Store: g.tokens.kv}, true
}

// Hashes returns the SHA-256 of every token of the configuration.
func (g *Gate) Hashes() [][sha256.Size]byte {
	all := make([][sha256.Size]byte, 0, len(g.keys.of))
	for _, who := range g.keys.of {
		all = append(all, who.shown)
	}
	return all
}

// Identify tells who calls with a token. From says from where the call comes, as
// far as that is known. Whoever shows tokens that nobody knows, or that do not hold any
// more, is told [Unknown], and too many from one place are told [Exhausted]; a token that
// holds counts from wherever it comes. A token of a store that cannot be read now is
// [Unclear].
func (g *Gate) Identify(ctx context.Context, token, from string) (*Caller, error) {
	hash := sha256.Sum256([]byte(token))
	switch who := g.keys.find(hash); {
	case who != nil:
		return who, nil
	case !tokentext.Is(token):
		return nil, g.Stranger(from, "this token is not known here")
	case tokentext.Check(token) != nil:
		return nil, g.Stranger(from, tokentext.ErrDamaged.Error())
	}
	k, err := g.stored(ctx, IDOf(token))
	switch {
	case err != nil:
		return nil, g.counted(err, from)
	case subtle.ConstantTimeCompare(hash[:], k.hash[:]) != 1:
		return nil, g.Stranger(from, unknownToken)
	}
	return g.callerOf(k), nil
}

// newest is the gate that holds now.
func (g *Gate) newest() *Gate {
	for next := g.next.Load(); next != nil; next = g.next.Load() {
		g = next
	}
	return g
}

// Stranger returns what somebody is told who cannot be identified: the reason,
// or that there were too many.
func (g *Gate) Stranger(from, reason string) *RefusedError {
	if wait := g.strangers.come(from); wait > 0 {
		return refuse(Exhausted, "too many calls without a token that is known here").later(wait)
	}
	return refuse(Unknown, "%s", reason)
}

// spent is what is left of a caller when its gate has gone.
func (c *Caller) spent() *Caller { return &Caller{Agent: c.Agent, limits: c.limits} }

// goOn takes over what another caller of the same name has used of limits that are the
// same.
func (c *Caller) goOn(was *Caller) {
	if was.Name == c.Name && was.Tenant == c.Tenant && was.Rate == c.Rate && was.Calls == c.Calls {
		c.limits = was.limits
	}
}

// Inherit takes the place of another gate: the agents that were known there go on with
// what they have used of limits that are the same, and calls that it has let in hold as
// long as this one would let them in too; see [Caller.Still]. Call it before anybody is
// identified.
func (g *Gate) Inherit(old *Gate) {
	defer old.next.Store(g)
	old.mu.Lock()
	defer old.mu.Unlock()
	for _, who := range old.keys.of {
		g.before = append(g.before, who.spent())
	}
	for _, m := range old.made {
		g.before = append(g.before, m.who.spent())
	}
	named := map[string][]*Caller{}
	for _, was := range g.before {
		named[was.Name] = append(named[was.Name], was)
	}
	for _, who := range g.keys.of {
		for _, was := range named[who.Name] {
			who.goOn(was)
		}
	}
	g.strangers = old.strangers
	if g.tokens != nil && old.tokens != nil {
		g.tokens.uses = old.tokens.uses
	}
}
