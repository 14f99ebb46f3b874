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

// ErrTokenEnded means that a token cannot be replaced because it has ended or was replaced already.
var ErrTokenEnded = errors.New("access: this token has ended")

// ErrRepeated means that a sealed call was replayed.
var ErrRepeated = errors.New("access: replayed call")

// TokenOptions are the options of a new token.
type TokenOptions struct {
	// By is the name of the creator, for the list.
	By string
	// ExpiresIn is its lifetime, which may be [ask.Never]. Zero means [DefaultTokenTime], or the lifetime of the token that
	// it replaces.
	ExpiresIn time.Duration
	// Grace is how long a replaced token remains valid, at most [MaxGrace].
	Grace time.Duration
	// Wrong are problems found while parsing, to be reported with the others.
	Wrong []ask.Problem
}

// Create issues a token for an agent. It returns the secret, which cannot be read again, and the token. An
// [*ask.InvalidError] lists every problem of the settings, including a name that another token has.
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
	// Of two concurrent calls with the same name, at least one sees the other's token now.
	if err := t.free(ctx, a.Name, k.ID); err != nil {
		return "", Token{}, errors.Join(err, t.kv.Delete(ctx, tokenKey(k.ID.String()), ""))
	}
	return text, k.Token, nil
}

// mint makes a token without storing it.
func mint(a Agent, by string, now time.Time) (string, *kept) {
	text := tokentext.New()
	k := &kept{Token: Token{Agent: a, By: by, Created: now.UTC().Truncate(time.Second)}, hash: sha256.Sum256([]byte(text))}
	k.ID = proof.KeysOf(k.hash).ID
	return text, k
}

// free returns nil if no valid token other than but has a name that looks like this one.
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
				"is the name of the token %s, %q, or looks like it; rotate that one, revoke it first, or use another name", other.ID, other.Agent.Name)}}}
		}
	}
	return nil
}

// Rotate replaces a token, given by its ID or its agent's name, with one that has the same settings. The old one remains
// valid for the grace period. It returns [bridge.ErrNotFound] if there is no such token, and [ErrTokenEnded] if it cannot
// be replaced any more.
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
	// Store the new one first: after a crash in between, both are valid.
	old.ReplacedBy = k.ID.String()
	if end := now.Add(o.Grace).UTC().Truncate(time.Second); old.Expires.IsZero() || end.Before(old.Expires) {
		old.Expires = end
	}
	err = t.put(ctx, old, now)
	if err == nil || errors.Is(err, bridge.ErrNotReplicated) {
		return text, k.Token, nil
	}
	if errors.Is(err, keyvalue.ErrConflict) {
		err = fmt.Errorf("%w: it was replaced or revoked meanwhile", ErrTokenEnded)
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
		return nil, fmt.Errorf("%w: %s has replaced it", ErrTokenEnded, last.ReplacedBy)
	}
	return nil, fmt.Errorf("%w: it was %s; make a new one", ErrTokenEnded, last.State(now))
}

// Revoke ends a token by its ID, or all tokens of an agent by its name, immediately. It returns the revoked tokens; those
// that were revoked before are unchanged. It returns [bridge.ErrNotFound] if there are none. After
// [bridge.ErrNotReplicated] the revocation is effective here, and should be repeated.
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
				continue // The store has deleted it meanwhile, after its end.
			}
			if err == nil || errors.Is(err, bridge.ErrNotReplicated) {
				ended = append(ended, revoked)
			}
			failed = errors.Join(failed, err)
		}
		// A token may have been replaced meanwhile, so search again.
		if failed != nil || len(all) == 0 {
			return ended, failed
		}
	}
}

// revoke revokes a token, despite concurrent changes, and returns it.
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

// named returns the tokens with an ID or a name, oldest first, or [bridge.ErrNotFound].
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

// Once records a sealed call in the store, for as long as it could be replayed. It returns [ErrRepeated] for a replayed
// call, on any replica.
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
