package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/lookalike"
	"github.com/askbridge/askbridge/internal/proof"
	"github.com/askbridge/askbridge/internal/tokentext"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// ErrTokenEnded means that a token was to be replaced that does not hold any more, or was
// replaced already.
var ErrTokenEnded = errors.New("access: this token does not hold any more")

// ErrRepeated means that a sealed call was made before.
var ErrRepeated = errors.New("access: this very call was made before")

// TokenOptions say how to make a token, or to replace one.
type TokenOptions struct {
	// By is who makes it, for the list.
	By string
	// ExpiresIn is how long it lasts: [ask.Never], or zero for [DefaultTokenTime], and for
	// as long as the one that is replaced.
	ExpiresIn time.Duration
	// Grace is how long one that is replaced still holds, at most [MaxGrace].
	Grace time.Duration
	// Wrong is what was wrong with the form of it already, to be named with the rest.
	Wrong []ask.Problem
}

// Create makes a token for an agent. It returns the token, which nobody can be told a second
// time, and how it stands. An [*ask.InvalidError] names everything wrong with the settings,
// a name that another token has among it; then nothing was made.
func (t *Tokens) Create(ctx context.Context, a Agent, o TokenOptions) (string, Token, error) {
	a.Token, a.NextToken = "", ""
	a.Tenant = cmp.Or(a.Tenant, a.Name)
	a.Rate, a.MaxOpen = cmp.Or(a.Rate, DefaultTokenRate), cmp.Or(a.MaxOpen, DefaultTokenOpen)
	a.Calls, a.MaxWaits = cmp.Or(a.Calls, DefaultCalls), cmp.Or(a.MaxWaits, DefaultTokenWaits)
	a.MaxStreams = cmp.Or(a.MaxStreams, DefaultTokenStreams)
	if err := t.checkMade(&a, o.Wrong); err != nil {
		return "", Token{}, err
	}
	if err := t.free(ctx, a.Name, TokenID{}); err != nil {
		return "", Token{}, err
	}
	now := time.Now()
	text, k := mint(a, o.By, now)
	if span := cmp.Or(o.ExpiresIn, DefaultTokenTime); span != ask.Never {
		k.Expires = k.Created.Add(span)
	}
	if err := t.put(ctx, k, now); err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
		return "", Token{}, err
	}
	// Of two who make one of the same name at once each sees the other's now, or one does.
	if err := t.free(ctx, a.Name, k.ID); err != nil {
		return "", Token{}, errors.Join(err, t.kv.Delete(ctx, tokenKey(k.ID.String()), ""))
	}
	return text, k.Token, nil
}

// mint makes a token that nobody has stored yet.
func mint(a Agent, by string, now time.Time) (string, *kept) {
	text := tokentext.New()
	k := &kept{Token: Token{Agent: a, By: by, Created: now.UTC().Truncate(time.Second)}, hash: sha256.Sum256([]byte(text))}
	k.ID = proof.KeysOf(k.hash).ID
	return text, k
}

// free returns nil if no token that holds, other than but, has a name that people take for
// this one.
func (t *Tokens) free(ctx context.Context, name string, but TokenID) error {
	all, err := t.List(ctx)
	if err != nil {
		return err
	}
	shapes, now := lookalike.Shapes(name), time.Now()
	for n := range all {
		other := &all[n]
		if other.ID == but || other.State(now) != TokenActive {
			continue
		}
		if slices.ContainsFunc(lookalike.Shapes(other.Agent.Name), func(s string) bool { return slices.Contains(shapes, s) }) {
			return &ask.InvalidError{Problems: []ask.Problem{{Path: "name", Detail: fmt.Sprintf(
				"is that of the token %s, %q, or looks like it; rotate that one, revoke it first, or take another name", other.ID, other.Agent.Name)}}}
		}
	}
	return nil
}

// Rotate makes a token with the settings of another, which goes on holding for the grace.
// The other one is named by its id, or by its agent's name. It returns [bridge.ErrNotFound]
// where there is none, and [ErrTokenEnded] where it cannot be replaced any more.
func (t *Tokens) Rotate(ctx context.Context, of string, o TokenOptions) (string, Token, error) {
	if o.Grace < 0 || o.Grace > MaxGrace {
		o.Wrong = append(o.Wrong, ask.Problem{Path: "grace", Detail: fmt.Sprintf("must be between 0 and %dd", int(MaxGrace.Hours()/24))})
	}
	if len(o.Wrong) > 0 {
		return "", Token{}, &ask.InvalidError{Problems: o.Wrong}
	}
	old, err := t.current(ctx, of)
	if err != nil {
		return "", Token{}, err
	}
	now := time.Now()
	text, k := mint(old.Agent, o.By, now)
	k.Replaces = old.ID.String()
	span := o.ExpiresIn
	switch {
	case span != 0:
	case old.Expires.IsZero():
		span = ask.Never
	default:
		span = old.Expires.Sub(old.Created)
	}
	if span != ask.Never {
		k.Expires = k.Created.Add(span)
	}
	if err := t.put(ctx, k, now); err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
		return "", Token{}, err
	}
	// The new one first: if we die in between, both hold.
	old.ReplacedBy = k.ID.String()
	if end := now.Add(o.Grace).UTC().Truncate(time.Second); old.Expires.IsZero() || end.Before(old.Expires) {
		old.Expires = end
	}
	err = t.put(ctx, old, now)
	if err == nil || errors.Is(err, bridge.ErrNotReplicated) {
		return text, k.Token, nil
	}
	if errors.Is(err, keyvalue.ErrConflict) {
		err = fmt.Errorf("%w: somebody else has replaced or revoked it meanwhile", ErrTokenEnded)
	}
	return "", Token{}, errors.Join(err, t.kv.Delete(ctx, tokenKey(k.ID.String()), ""))
}

// current finds the token to replace.
func (t *Tokens) current(ctx context.Context, of string) (*kept, error) {
	all, err := t.named(ctx, of)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, k := range slices.Backward(all) {
		if k.State(now) == TokenActive && k.ReplacedBy == "" {
			return k, nil
		}
	}
	last := all[len(all)-1]
	if last.ReplacedBy != "" {
		return nil, fmt.Errorf("%w: %s has taken its place", ErrTokenEnded, last.ReplacedBy)
	}
	return nil, fmt.Errorf("%w: it was %s; make a new one", ErrTokenEnded, last.State(now))
}

// Revoke ends a token at once, named by its id, or all of an agent, by its name. It returns
// them as they stand then; those that were revoked before stay as they are. It returns
// [bridge.ErrNotFound] where there is none. After [bridge.ErrNotReplicated] it holds here,
// and should be repeated.
func (t *Tokens) Revoke(ctx context.Context, of string) ([]Token, error) {
	var ended []Token
	done := map[TokenID]bool{}
	for {
		all, failed := t.named(ctx, of)
		all = slices.DeleteFunc(all, func(k *kept) bool { return done[k.ID] })
		for _, k := range all {
			done[k.ID] = true
			revoked, err := t.revoke(ctx, k.ID)
			if errors.Is(err, bridge.ErrNotFound) {
				continue // It was forgotten meanwhile, since it held no more.
			}
			if err == nil || errors.Is(err, bridge.ErrNotReplicated) {
				ended = append(ended, revoked)
			}
			failed = errors.Join(failed, err)
		}
		// One may have been replaced while it was being revoked, so they are looked for again.
		if failed != nil || len(all) == 0 {
			return ended, failed
		}
	}
}

// revoke stores that a token is revoked, against whatever else happens to it meanwhile, and
// returns how it stands then.
func (t *Tokens) revoke(ctx context.Context, id TokenID) (Token, error) {
	var k *kept
	_, err := keyvalue.Update(ctx, t.kv, tokenKey(id.String()), func(old keyvalue.Entry) ([]byte, time.Duration, error) {
		if old.Version == "" {
			return nil, 0, bridge.ErrNotFound
		}
		var err error
		if k, err = decodeKept(old); err != nil {
			return nil, 0, err
		}
		if k.Revoked.IsZero() {
			k.Revoked = time.Now().UTC().Truncate(time.Second)
		}
		return k.encode(k.Revoked)
	})
	switch {
	case err == nil:
		return k.Token, nil
	case errors.Is(err, bridge.ErrNotReplicated):
		return k.Token, err
	}
	return Token{}, fmt.Errorf("access: token %s is not revoked: %w", id, err)
}

// named finds the tokens with an id or a name, oldest first: at least one, or
// [bridge.ErrNotFound].
func (t *Tokens) named(ctx context.Context, of string) ([]*kept, error) {
	var all []*kept
	for e, err := range keyvalue.All(ctx, t.kv, keyvalue.Range{Kind: kindToken}) {
		if err != nil {
			return nil, err
		}
		k, err := decodeKept(e)
		if err != nil {
			return nil, err
		}
		if e.Key.ID == strings.ToLower(of) || k.Agent.Name == of {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("access: no token has the id or the name %q: %w", of, bridge.ErrNotFound)
	}
	slices.SortFunc(all, func(a, b *kept) int { return a.Created.Compare(b.Created) })
	return all, nil
}

// Once notes that a sealed call was made, whatever replica it came to, for as long as it could
// be sent again. It returns [ErrRepeated] for one that was made before.
func (t *Tokens) Once(ctx context.Context, call proof.Nonce) error {
	key := keyvalue.Key{Kind: kindCall, ID: hex.EncodeToString(call[:])}
	_, err := t.kv.Put(ctx, key, nil, &keyvalue.PutOptions{If: keyvalue.Absent, TTL: 2 * proof.MaxAge})
	switch {
	case errors.Is(err, keyvalue.ErrConflict):
		return ErrRepeated
	case errors.Is(err, bridge.ErrNotReplicated):
		return nil
	}
	return err
}
