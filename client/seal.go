package client

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/internal/proof"
)

// HeaderProof is the proof that the reply to a call with a sealed token is from a
// bridge that knows the token. See [Options.Sealed].
const HeaderProof = proof.Header

// ErrUnproved means that a reply is not from a bridge that knows the token, or was
// modified. Its content is ignored.
var ErrUnproved = errors.New("client: the reply does not prove knowledge of the token")

// ErrUnknownToken is the [ErrUnproved] of a reply that refuses the token (401). A
// bridge cannot prove knowledge of an unknown token, so it cannot be distinguished
// from another program. The call is not repeated.
var ErrUnknownToken error = unknownTokenError{}

type unknownTokenError struct{}

func (unknownTokenError) Error() string {
	return "client: the bridge does not know this token, or another program has its address"
}

func (unknownTokenError) Is(target error) bool { return target == ErrUnproved }

// unproved returns the error for a reply with a status.
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

// seal returns the Authorization header of a call, and the function that verifies its
// reply.
func (s *sealer) seal(what *call) (string, func(proof.Reply) bool) {
	made := proof.Call{Method: what.method, Path: pathOf(what.path, what.query.Encode()), Key: what.key}
	header, nonce := s.keys.Seal(s.token, made, what.body, time.Now())
	return header, func(r proof.Reply) bool { return s.keys.Proved(nonce, r) }
}

// pathOf returns the path of a call with its query, as both sides encode it.
func pathOf(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}
