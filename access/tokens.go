package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/lookalike"
	"github.com/askbridge/askbridge/internal/proof"
	"github.com/askbridge/askbridge/internal/tokentext"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// Tokens are the issued tokens, in addition to those of the configuration. Each call reads them from the store, without a
// cache, so that every replica knows new and revoked tokens immediately.
//
// The store holds only hashes. A token has 190 random bits, so its SHA-256 cannot be reversed; a slow hash, as passwords
// need, would slow down each call without a benefit.
//
// It writes values of the kinds "token", a token under its ID, "token-use", the time of its last use, and "sealed-call", a
// call that must not be repeated.
type Tokens struct {
	kv     keyvalue.Store
	agents []Agent
	routes []string
	uses   *uses
	// bridge validates names; it may be nil.
	bridge *bridge.Bridge
}

// The default limits of an issued token. Those of the configuration are wider.
const (
	DefaultTokenRate    = 60
	DefaultTokenOpen    = 1000
	DefaultTokenWaits   = 1000
	DefaultTokenStreams = 10
	// DefaultTokenTime is the default lifetime of a token.
	DefaultTokenTime = 90 * 24 * time.Hour
	// DefaultGrace is how long a replaced token remains valid, MaxGrace the maximum.
	DefaultGrace = 24 * time.Hour
	MaxGrace     = 30 * 24 * time.Hour
)

const (
	kindToken, kindUse, kindCall = "token", "token-use", "sealed-call"
	// keptEnded is how long an ended token is stored, so that its users get the reason.
	keptEnded = 30 * 24 * time.Hour
	// useGrain is the precision of the last use.
	useGrain = 5 * time.Minute
	// keptUse is how long the last use is stored.
	keptUse = 400 * 24 * time.Hour
)

// NewTokens returns the tokens of a store. New tokens may not have a name that looks like that of an agent, nor other
// routes.
func NewTokens(s keyvalue.Store, agents []Agent, routes []string) *Tokens {
	return &Tokens{kv: s, agents: agents, routes: routes, uses: &uses{at: map[TokenID]time.Time{}}}
}

// Before validates the people and places of new tokens with the platforms of a bridge.
func (t *Tokens) Before(b *bridge.Bridge) { t.bridge = b }

// Store returns the store of the tokens.
func (t *Tokens) Store() keyvalue.Store { return t.kv }

// TokenID identifies a token without revealing it. It is derived from the token's hash.
type TokenID [8]byte

var idText = base32.StdEncoding.WithPadding(base32.NoPadding)

// String returns the ID in text form: 13 lower-case letters and digits.
func (id TokenID) String() string { return strings.ToLower(idText.EncodeToString(id[:])) }

// IDOf returns the ID of a token, known or not.
func IDOf(token string) TokenID { return proof.KeysOf(sha256.Sum256([]byte(token))).ID }

// TokenState is the state of a token.
type TokenState string

// The states.
const (
	TokenActive   TokenState = "active"
	TokenExpired  TokenState = "expired"
	TokenReplaced TokenState = "replaced"
	TokenRevoked  TokenState = "revoked"
)

// Token is an issued token, without its secret.
type Token struct {
	ID TokenID `json:"-"`
	// Agent is the caller with its permissions.
	Agent Agent `json:"agent"`
	// By is the name of the creator.
	By      string    `json:"by,omitempty"`
	Created time.Time `json:"created"`
	// Expires is zero for a token without expiry.
	Expires time.Time `json:"expires,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
	// Replaces and ReplacedBy are the IDs of the previous and the next token of a rotation.
	Replaces   string `json:"replaces,omitempty"`
	ReplacedBy string `json:"replaced_by,omitempty"`
	// LastUsed has a precision of five minutes; it is zero for an unused token.
	LastUsed time.Time `json:"-"`
}

// State returns the state of a token at a time.
func (t *Token) State(now time.Time) TokenState {
	switch {
	case !t.Revoked.IsZero():
		return TokenRevoked
	case t.Expires.IsZero() || now.Before(t.Expires):
		return TokenActive
	case t.ReplacedBy != "":
		return TokenReplaced
	}
	return TokenExpired
}

// why returns the reason why a token has ended, or "".
func (t *Token) why(now time.Time) string {
	const more = "; ask the operator of the bridge for a new one"
	switch t.State(now) {
	case TokenRevoked:
		return "this token was revoked on " + t.Revoked.UTC().Format(time.RFC3339) + more
	case TokenReplaced:
		return "this token was replaced by a newer one on " + t.Expires.UTC().Format(time.RFC3339) + "; use that one"
	case TokenExpired:
		return "this token expired on " + t.Expires.UTC().Format(time.RFC3339) + more
	case TokenActive:
	}
	return ""
}

// kept is a stored token.
type kept struct {
	// Form is the format, 1. Newer formats are refused.
	Form int    `json:"v"`
	Hash string `json:"sha256"`
	Token

	version string
	hash    [sha256.Size]byte
}

const keptForm = 1

// encode returns the stored form of a token, and for how long to store it.
func (k *kept) encode(now time.Time) (data []byte, ttl time.Duration, err error) {
	k.Form, k.Hash = keptForm, hex.EncodeToString(k.hash[:])
	ends := k.Expires
	if !k.Revoked.IsZero() {
		ends = k.Revoked
	}
	if !ends.IsZero() {
		ttl = max(ends.Sub(now), 0) + keptEnded
	}
	data, err = json.Marshal(k)
	return data, ttl, err
}

func decodeKept(e keyvalue.Entry) (*kept, error) {
	k := &kept{version: e.Version}
	if err := json.Unmarshal(e.Value, k); err != nil {
		return nil, fmt.Errorf("access: token %s: %w", e.Key.ID, err)
	}
	if k.Form != keptForm {
		return nil, fmt.Errorf("access: token %s has form %d, of a newer askbridge", e.Key.ID, k.Form)
	}
	hash, err := hex.DecodeString(k.Hash)
	if err == nil && copy(k.hash[:], hash) == sha256.Size {
		k.ID = proof.KeysOf(k.hash).ID
	}
	if k.ID.String() != e.Key.ID {
		return nil, fmt.Errorf("access: token %s has the hash of another one", e.Key.ID)
	}
	return k, nil
}

func tokenKey(id string) keyvalue.Key { return keyvalue.Key{Kind: kindToken, ID: id} }

// get reads a token, or returns [bridge.ErrNotFound].
func (t *Tokens) get(ctx context.Context, id TokenID) (*kept, error) {
	e, err := t.kv.Get(ctx, tokenKey(id.String()))
	if err != nil {
		return nil, err
	}
	return decodeKept(e)
}

// put stores a new token, or replaces the version that was read.
func (t *Tokens) put(ctx context.Context, k *kept, now time.Time) error {
	data, ttl, err := k.encode(now)
	if err != nil {
		return err
	}
	o := &keyvalue.PutOptions{If: cmp.Or(k.version, keyvalue.Absent), TTL: ttl}
	e, err := t.kv.Put(ctx, tokenKey(k.ID.String()), data, o)
	if err == nil {
		k.version = e.Version
	}
	return err
}

// List returns the valid tokens, and those that ended within the last thirty days, by name and then by age.
func (t *Tokens) List(ctx context.Context) ([]Token, error) {
	used := map[string]time.Time{}
	for e, err := range keyvalue.All(ctx, t.kv, keyvalue.Range{Kind: kindUse}) {
		if err != nil {
			return nil, err
		}
		if at, err := time.Parse(time.RFC3339, string(e.Value)); err == nil { // All values have this format.
			used[e.Key.ID] = at
		}
	}
	all := []Token{}
	for e, err := range keyvalue.All(ctx, t.kv, keyvalue.Range{Kind: kindToken}) {
		if err != nil {
			return nil, err
		}
		k, err := decodeKept(e)
		if err != nil {
			return nil, err
		}
		k.LastUsed = used[e.Key.ID]
		all = append(all, k.Token)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(strings.Compare(a.Agent.Name, b.Agent.Name), a.Created.Compare(b.Created)) < 0
	})
	return all, nil
}

// uses are the last uses that this process has stored.
type uses struct {
	mu sync.Mutex
	at map[TokenID]time.Time
}

// due reports whether a use has to be stored.
func (u *uses) due(id TokenID, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, known := u.at[id]; known && now.Sub(last) < useGrain {
		return false
	}
	u.at[id] = now
	return true
}

// forget removes a deleted token.
func (u *uses) forget(id TokenID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.at, id)
}

// used stores the use of a token. An error does not fail the call.
func (t *Tokens) used(ctx context.Context, id TokenID, now time.Time) {
	if t.uses.due(id, now) {
		_, _ = t.kv.Put(ctx, keyvalue.Key{Kind: kindUse, ID: id.String()}, []byte(now.UTC().Format(time.RFC3339)), &keyvalue.PutOptions{TTL: keptUse})
	}
}

// clashes returns the name of an agent of the configuration that looks like a name.
func (t *Tokens) clashes(name string) string {
	shapes := lookalike.Shapes(name)
	for _, a := range t.agents {
		if slices.ContainsFunc(lookalike.Shapes(a.Name), func(s string) bool { return slices.Contains(shapes, s) }) {
			return a.Name
		}
	}
	return ""
}

// checkMade returns an [*ask.InvalidError] with every problem of a new token's settings, after those found before, or nil.
func (t *Tokens) checkMade(a *Agent, wrong []ask.Problem) error {
	all := remarks(wrong)
	if !a.checkName(&all, "", lookalike.Shapes(a.Name)) {
		if tokentext.Is(a.Name) {
			all.add("name", "looks like a token, and cards and the log show names")
		}
		if other := t.clashes(a.Name); other != "" {
			all.add("name", "is the name of the agent %q in the configuration, or looks like it; use another name", other)
		}
	}
	a.check(&all, "")
	for n, route := range a.Routes {
		if !slices.Contains(t.routes, route) {
			all.add(fmt.Sprintf("routes[%d]", n), "is not a route of the configuration")
		}
	}
	if len(all) == 0 {
		all = misnamed(t.bridge, "", a)
	}
	if len(all) == 0 {
		return nil
	}
	return &ask.InvalidError{Problems: all}
}
