package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/proof"
)

// seals are the keys of every agent's tokens.
type seals map[[8]byte]*proof.Keys

func newSeals(hashes [][sha256.Size]byte) seals {
	all := seals{}
	for _, hash := range hashes {
		keys := proof.KeysOf(hash)
		all[keys.ID] = keys
	}
	return all
}

// sealedCall is a call with a sealed token.
type sealedCall struct {
	*proof.Opened

	keys *proof.Keys
}

// unseal opens a sealed token and continues the call as one with a bearer token. From then on
// every response has a proof, including errors.
func (x *exchange) unseal() error {
	sent := x.r.Header.Values("Authorization")
	if len(sent) != 1 {
		return nil
	}
	s := proof.Parse(sent[0])
	if s == nil {
		return nil
	}
	if x.route.id == "" {
		return x.s.stranger(x.r, "sealed tokens are for calls of the API, whose replies can be proved")
	}
	keys := x.s.entrance.Load().seals[s.ID]
	if keys == nil {
		var err error
		if keys, err = x.madeKeys(s.ID); err != nil {
			return err
		}
	}
	o, err := keys.Open(s, proof.Call{Method: x.r.Method, Path: pathOf(x.r.URL.EscapedPath(), x.r.URL.RawQuery), Key: x.r.Header.Get("Idempotency-Key")})
	if err != nil {
		return x.s.stranger(x.r, "the sealed token does not belong to this call")
	}
	x.sealed = &sealedCall{o, keys}
	if !o.Fresh(time.Now()) {
		return problem(http.StatusUnauthorized, "the call was sealed at %s, which is more than %s from the bridge's own clock", o.At.UTC().Format(time.RFC3339), proof.MaxAge)
	}
	x.r.Header.Set("Authorization", "Bearer "+o.Token)
	return nil
}

// once rejects a replayed sealed call, for operations where a replay could do harm.
func (x *exchange) once(ctx context.Context, t *access.Tokens) error {
	if x.sealed == nil {
		return nil
	}
	err := t.Once(ctx, x.sealed.Nonce)
	if errors.Is(err, access.ErrRepeated) {
		return problem(http.StatusConflict, "this very call was made before, and counts once; seal another one")
	}
	return err
}

// madeKeys returns the keys of an issued token, including an expired one, since its holder must
// be able to trust the error.
func (x *exchange) madeKeys(id access.TokenID) (*proof.Keys, error) {
	ctx, stop := budgetBefore(x.r.Context())
	defer stop()
	hash, err := x.s.entrance.Load().gate.HashOf(ctx, id, x.s.remote(x.r))
	if err != nil {
		return nil, err
	}
	return proof.KeysOf(hash), nil
}

// pathOf returns the path of a call with its query, as both sides encode it.
func pathOf(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// prove adds the proof to a response if the call requested it.
func (x *exchange) prove(status int, data []byte) {
	if x.sealed == nil {
		return
	}
	h := x.w.Header()
	h.Set(client.HeaderProof, x.sealed.keys.Prove(x.sealed.Nonce, proof.Reply{Status: status, Header: h, Body: data}))
}
