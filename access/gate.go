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

// Options are the settings of a [Gate].
type Options struct {
	// Agents are identified by their tokens.
	Agents []Agent
	// AllowAnonymous admits callers without a token, without limits, if there are no Agents. Set it only if no one but
	// the operator can connect.
	AllowAnonymous bool
	// AnonymousAnswers lets callers without a token answer requests and create tokens. Set it only if answers do not
	// matter, as in a simulator.
	AnonymousAnswers bool
	// AnonymousGrants are the [Agent.Grants] of callers without a token.
	AnonymousGrants ask.Grants
	// Store holds issued tokens, which are valid in addition to those of Agents; see [Tokens]. It may be nil.
	Store keyvalue.Store
	// Known is called with the name of each agent whose issued token is used for the first time. It may be nil.
	Known func(agent string)
	// Routes are the names of all routes, for the validation of new tokens.
	Routes []string
	// DefaultRoute is [bridge.Options.DefaultRoute].
	DefaultRoute string
}

// Gate identifies the callers of a bridge. Create one with [New].
type Gate struct {
	bridge    *bridge.Bridge
	route     string
	keys      keyring
	anonymous *Caller
	strangers *strangers
	tokens    *Tokens // nil without a store
	known     func(agent string)
	people    people

	// made are the callers with issued tokens that have called.
	mu   sync.Mutex
	made map[TokenID]*madeCaller
	// before are the quotas of the previous gate.
	before []*Quota
	// next is the gate that has replaced this one.
	next atomic.Pointer[Gate]

	// anonymousAnswers lets the anonymous caller answer.
	anonymousAnswers bool
}

// New returns a gate for a bridge, or an error that lists everything wrong with the agents: an [*ask.InvalidError] if they
// are well-formed but name people, groups or places that the bridge's platforms do not know. It keeps only hashes of the
// tokens.
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
	var problems []ask.Problem
	for n, a := range o.Agents {
		problems = append(problems, misnamed(b, fmt.Sprintf("agents[%d].", n), &a)...)
		who := newCaller(g, a)
		for _, token := range []string{a.Token, a.NextToken} {
			if token != "" {
				g.keys.add(token, *who)
			}
		}
	}
	if len(problems) > 0 {
		return nil, &ask.InvalidError{Problems: problems}
	}
	if len(o.Agents) == 0 && o.AllowAnonymous {
		g.anonymous = &Caller{gate: g, Agent: Agent{Grants: o.AnonymousGrants}}
	}
	return g, nil
}

// Bridge returns the bridge behind the gate, for operations without a caller.
func (g *Gate) Bridge() *bridge.Bridge { return g.bridge }

// Anonymous returns the caller without a token, or nil if tokens are required.
func (g *Gate) Anonymous() *Caller { return g.anonymous }

// Tokens returns the issued tokens, or nil without a store.
func (g *Gate) Tokens() *Tokens { return g.tokens }

// Hashes returns the SHA-256 of every token of the configuration.
func (g *Gate) Hashes() [][sha256.Size]byte {
	all := make([][sha256.Size]byte, 0, len(g.keys.byHash))
	for _, who := range g.keys.byHash {
		all = append(all, who.hash)
	}
	return all
}

// Identify returns the caller with a token. from is the caller's address, if known. The error is a [*RefusedError]:
// [Unknown] for a token that is unknown or has ended, [Exhausted] after too many of these from one address, or [Unclear] if
// the store of issued tokens cannot be read. A valid token is accepted from any address.
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

// newest returns the gate that has replaced this one last.
func (g *Gate) newest() *Gate {
	for next := g.next.Load(); next != nil; next = g.next.Load() {
		g = next
	}
	return g
}

// Stranger returns the error for a caller that cannot be identified, with a reason, or [Exhausted] after too many attempts
// from one address.
func (g *Gate) Stranger(from, reason string) *RefusedError {
	if wait := g.strangers.count(from); wait > 0 {
		return refuse(Exhausted, "too many calls without a token that is known here").later(wait)
	}
	return refuse(Unknown, "%s", reason)
}

// Inherit replaces another gate, as after a reload. Agents keep the counts of quotas that have not changed, and calls that
// the other gate admitted remain valid while this gate would admit them; see [Caller.Still]. Call it before [Gate.Identify].
func (g *Gate) Inherit(old *Gate) {
	defer old.next.Store(g)
	old.mu.Lock()
	defer old.mu.Unlock()
	for _, who := range old.keys.byHash {
		g.before = append(g.before, who.Quota)
	}
	for _, m := range old.made {
		g.before = append(g.before, m.who.Quota)
	}
	named := map[string][]*Quota{}
	for _, was := range g.before {
		named[was.name] = append(named[was.name], was)
	}
	for _, who := range g.keys.byHash {
		for _, was := range named[who.Name] {
			who.Quota.inherit(was)
		}
	}
	g.strangers = old.strangers
	if g.tokens != nil && old.tokens != nil {
		g.tokens.uses = old.tokens.uses
	}
}
