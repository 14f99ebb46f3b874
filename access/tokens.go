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

// Tokens are those that were made while the bridge runs, beside those that the
// configuration lists. They stand in a store, so that every replica knows at once what
// was made, and what was revoked: nobody keeps a copy, each call reads the store.
//
// What stands there is a hash. A token holds 190 random bits, so nobody finds it from its
// SHA-256, however fast that is; a slow hash, as passwords need, would make each call slow
// and keep out nobody.
//
// Of the two kinds that it writes, "token" holds a token under its id, and "token-use" when
// it was used last.
type Tokens struct {
	kv     keyvalue.Store
	agents []Agent
	routes []string
	uses   *uses
	// bridge validates names; it may be nil.
	bridge *bridge.Bridge
}

// The limits of a token that names none. Those of the configuration are wider.
const (
	DefaultTokenRate    = 60
	DefaultTokenOpen    = 1000
	DefaultTokenWaits   = 1000
	DefaultTokenStreams = 10
	// DefaultTokenTime is how long a token lasts where nobody says.
	DefaultTokenTime = 90 * 24 * time.Hour
	// DefaultGrace is how long a token that was replaced still holds, MaxGrace the longest.
	DefaultGrace = 24 * time.Hour
	MaxGrace     = 30 * 24 * time.Hour
)

const (
	kindToken, kindUse, kindCall = "token", "token-use", "sealed-call"
	// keptEnded is how long a token is listed that does not hold any more, so that whoever
	// still shows it is told why.
	keptEnded = 30 * 24 * time.Hour
	// useGrain is how exact the last use is.
	useGrain = 5 * time.Minute
	// keptUse is how long a last use is known.
	keptUse = 400 * 24 * time.Hour
)

// NewTokens returns the tokens of a store. A token is made only beside agents whose names
// nobody takes for its own, and for routes that there are.
func NewTokens(s keyvalue.Store, agents []Agent, routes []string) *Tokens {
	return &Tokens{kv: s, agents: agents, routes: routes, uses: &uses{at: map[TokenID]time.Time{}}}
}

// Before has the names in new tokens judged by the platforms of a bridge.
func (t *Tokens) Before(b *bridge.Bridge) { t.bridge = b }

// Store is where they stand.
func (t *Tokens) Store() keyvalue.Store { return t.kv }

// TokenID names a token without telling it. It is made of the token's hash.
type TokenID [8]byte

var idText = base32.StdEncoding.WithPadding(base32.NoPadding)

// String is the id as it is listed: 13 lower-case letters and digits.
func (id TokenID) String() string { return strings.ToLower(idText.EncodeToString(id[:])) }

// IDOf returns the id of a token, be it known here or not.
func IDOf(token string) TokenID { return proof.KeysOf(sha256.Sum256([]byte(token))).ID }

// TokenState is whether a token holds.
type TokenState string

// The states.
const (
	TokenActive   TokenState = "active"
	TokenExpired  TokenState = "expired"
	TokenReplaced TokenState = "replaced"
	TokenRevoked  TokenState = "revoked"
)

// Token is one that was made, without what it is.
type Token struct {
	ID TokenID `json:"-"`
	// Agent is who calls with it, and what they may do.
	Agent Agent `json:"agent"`
	// By is who has made it.
	By      string    `json:"by,omitempty"`
	Created time.Time `json:"created"`
	// Expires is zero for one that holds until it is revoked.
	Expires time.Time `json:"expires,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
	// Replaces and ReplacedBy are the ids of the one before and the one behind it.
	Replaces   string `json:"replaces,omitempty"`
	ReplacedBy string `json:"replaced_by,omitempty"`
	// LastUsed is exact to five minutes, and zero for one that nobody has used.
	LastUsed time.Time `json:"-"`
}

// State returns how a token stands.
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

// why is what somebody is told who shows a token that does not hold, nothing if it does.
func (t *Token) why(now time.Time) string {
	const more = "; ask whoever runs the bridge for a new one"
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

// kept is a token as it is stored.
type kept struct {
	// Form is 1. A build does not judge what it cannot read whole.
	Form int    `json:"v"`
	Hash string `json:"sha256"`
	Token

	version string
	hash    [sha256.Size]byte
}

const keptForm = 1

// encode returns the token as it is stored, and for how long.
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
		return nil, fmt.Errorf("access: token %s cannot be read: %w", e.Key.ID, err)
	}
	if k.Form != keptForm {
		return nil, fmt.Errorf("access: token %s has form %d, of a newer askbridge", e.Key.ID, k.Form)
	}
	hash, err := hex.DecodeString(k.Hash)
	if err == nil && copy(k.hash[:], hash) == sha256.Size {
		k.ID = proof.KeysOf(k.hash).ID
	}
	if k.ID.String() != e.Key.ID {
		return nil, fmt.Errorf("access: token %s holds the hash of another one", e.Key.ID)
	}
	return k, nil
}

func tokenKey(id string) keyvalue.Key { return keyvalue.Key{Kind: kindToken, ID: id} }

// get reads a token, or returns that it is not found.
func (t *Tokens) get(ctx context.Context, id TokenID) (*kept, error) {
	e, err := t.kv.Get(ctx, tokenKey(id.String()))
	if err != nil {
		return nil, err
	}
	return decodeKept(e)
}

// put stores a token where none stands yet, or in place of its version.
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

// List returns every token that holds, and those that did within the last thirty days, by
// name and then by age.
func (t *Tokens) List(ctx context.Context) ([]Token, error) {
	used := map[string]time.Time{}
	for e, err := range keyvalue.All(ctx, t.kv, keyvalue.Range{Kind: kindUse}) {
		if err != nil {
			return nil, err
		}
		if at, err := time.Parse(time.RFC3339, string(e.Value)); err == nil { // Nothing else is written there.
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
	slices.SortFunc(all, func(a, b Token) int {
		if by := strings.Compare(a.Agent.Name, b.Agent.Name); by != 0 {
			return by
		}
		return a.Created.Compare(b.Created)
	})
	return all, nil
}

// uses are when this process has noted that tokens were used.
type uses struct {
	mu sync.Mutex
	at map[TokenID]time.Time
}

// due reports whether a use has to be noted.
func (u *uses) due(id TokenID, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, known := u.at[id]; known && now.Sub(last) < useGrain {
		return false
	}
	u.at[id] = now
	return true
}

// forget is for a token that is not there any more.
func (u *uses) forget(id TokenID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.at, id)
}

// used notes that a token was used. A call does not fail over it.
func (t *Tokens) used(ctx context.Context, id TokenID, now time.Time) {
	if t.uses.due(id, now) {
		_, _ = t.kv.Put(ctx, keyvalue.Key{Kind: kindUse, ID: id.String()}, []byte(now.UTC().Format(time.RFC3339)), &keyvalue.PutOptions{TTL: keptUse})
	}
}

// clashes names an agent of the configuration that people could take for this one.
func (t *Tokens) clashes(name string) string {
	shapes := lookalike.Shapes(name)
	for _, a := range t.agents {
		if slices.ContainsFunc(lookalike.Shapes(a.Name), func(s string) bool { return slices.Contains(shapes, s) }) {
			return a.Name
		}
	}
	return ""
}

// checkMade returns an [*ask.InvalidError] that names everything wrong with the settings
// of a token to be, and what was wrong already.
func (t *Tokens) checkMade(a *Agent, wrong []ask.Problem) error {
	all := remarks(wrong)
	if !a.checkName(&all, "", lookalike.Shapes(a.Name)) {
		if tokentext.Is(a.Name) {
			all.add("name", "looks like a token; a name stands on cards and in logs")
		}
		if other := t.clashes(a.Name); other != "" {
			all.add("name", "is that of the agent %q in the configuration, or looks like it; that one holds, so take another name", other)
		}
	}
	a.check(&all, "")
	for n, route := range a.Routes {
		if !slices.Contains(t.routes, route) {
			all.add(fmt.Sprintf("routes[%d]", n), "names no route of the configuration")
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
