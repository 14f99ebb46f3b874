package client

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/internal/proof"
)

// HeaderProof is the reply's proof that it comes from somebody who knows the
// token, to a call that was made with a sealed one. See [Options.Sealed].
const HeaderProof = proof.Header

// ErrUnproved means that a reply did not come from a bridge that knows the
// token, or was changed on the way. Nothing of it counts.
var ErrUnproved = errors.New("client: whoever answers there does not prove to know the token")

// ErrUnknownToken is the [ErrUnproved] of a reply that refuses the token (401). A
// bridge cannot prove to know a token that it does not know, so nobody can tell such a
// bridge from another program. A call that gets it is not repeated.
var ErrUnknownToken = fmt.Errorf("%w: either it is a bridge that does not know this token, or that is older than this client, "+
	"or another program holds the bridge's address", ErrUnproved)

// unproved is the error of a reply with that status.
func unproved(status int) error {
	if status == http.StatusUnauthorized {
		return ErrUnknownToken
	}
	return fmt.Errorf("%w: another program may hold the bridge's address, or the bridge may be older than this client (status %d)", ErrUnproved, status)
}

// sealer seals the calls of a client and checks the replies.
type sealer struct {
	token string
	keys  *proof.Keys
}

func newSealer(o *Options) *sealer {
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

// pathOf is the path of a call with its query, as both sides spell it.
func pathOf(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}
