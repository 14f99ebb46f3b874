package access

import (
	"crypto/rand"
	"crypto/sha256"

	"github.com/askbridge/askbridge/internal/proof"
)

// keyring finds callers by the tokens of the configuration, in a time that does not depend on their number. The keys of
// its map are hashed with a random secret, so that the time of a lookup reveals nothing about a token.
type keyring struct {
	secret [sha256.Size]byte
	byHash map[[sha256.Size]byte]*Caller
	byID   map[string]*Caller
}

func newKeyring() keyring {
	r := keyring{byHash: map[[sha256.Size]byte]*Caller{}, byID: map[string]*Caller{}}
	_, _ = rand.Read(r.secret[:]) // It never fails.
	return r
}

// add adds a token of a caller. All tokens of an agent share its quota.
func (r *keyring) add(token string, who Caller) {
	who.hash = sha256.Sum256([]byte(token))
	who.id = proof.KeysOf(who.hash).ID
	r.byHash[r.salted(who.hash)], r.byID[who.id.String()] = &who, &who
}

// find returns the caller of the token with a hash, or nil.
func (r *keyring) find(hash [sha256.Size]byte) *Caller { return r.byHash[r.salted(hash)] }

func (r *keyring) salted(hash [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(append(r.secret[:], hash[:]...))
}
