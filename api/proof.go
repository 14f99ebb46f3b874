package api

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/internal/proof"
)

// HeaderProof is the reply's proof that it comes from somebody who knows the
// token, to a call that was made with a sealed one. See [ClientOptions.Sealed].
const HeaderProof = proof.Header

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

// sealedCall is a call that was made with a sealed token.
type sealedCall struct {
	*proof.Opened

	keys *proof.Keys
}

// unseal opens a sealed token and has the call go on as one with a bearer token.
// From then on the reply is proved, be it a refusal.
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
		return x.h.stranger(x.r, "sealed tokens are for calls of the API, whose replies can be proved")
	}
	keys := x.h.seals[s.ID]
	if keys == nil {
		return x.h.stranger(x.r, "this token is not known here")
	}
	o, err := keys.Open(s, proof.Call{Method: x.r.Method, Path: pathOf(x.r.URL.EscapedPath(), x.r.URL.RawQuery), Key: x.r.Header.Get("Idempotency-Key")})
	if err != nil {
		return x.h.stranger(x.r, "the sealed token does not belong to this call")
	}
	x.sealed = &sealedCall{o, keys}
	if !o.Fresh(time.Now()) {
		return problem(http.StatusUnauthorized, "the call was sealed at %s, which is more than %s from the bridge's own clock", o.At.UTC().Format(time.RFC3339), proof.MaxAge)
	}
	x.r.Header.Set("Authorization", "Bearer "+o.Token)
	return nil
}

// pathOf is the path of a call with its query, as both sides spell it.
func pathOf(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// prove adds the proof to a reply, if the call asks for one.
func (x *exchange) prove(status int, data []byte) {
	if x.sealed == nil {
		return
	}
	h := x.w.Header()
	h.Set(HeaderProof, x.sealed.keys.Prove(x.sealed.Nonce, proof.Reply{Status: status, Header: h, Body: data}))
}

// ErrUnproved means that a reply did not come from a bridge that knows the
// token, or was changed on the way. Nothing of it counts.
var ErrUnproved = errors.New("api: whoever answers there does not prove to know the token: " +
	"another program may hold the bridge's address, the bridge may be older than this client, or the token may not be one of its own")

// sealer seals the calls of a client and checks the replies.
type sealer struct {
	token string
	keys  *proof.Keys
}

func newSealer(o *ClientOptions) *sealer {
	if !o.Sealed || o.Token == "" {
		return nil
	}
	return &sealer{o.Token, proof.KeysOf(sha256.Sum256([]byte(o.Token)))}
}

// seal returns the Authorization header of a call, and what its reply is then
// held to.
func (s *sealer) seal(what *call) (string, func(proof.Reply) bool) {
	made := proof.Call{Method: what.method, Path: pathOf(what.path, what.query.Encode()), Key: what.key}
	header, nonce := s.keys.Seal(s.token, made, what.body, time.Now())
	return header, func(r proof.Reply) bool { return s.keys.Proved(nonce, r) }
}
