package access

import (
	"crypto/rand"
	"crypto/sha256"
)

// keyring finds the caller of a token of the configuration, as quickly among ten thousand as
// for the only one. Its map is by a hash of the token's hash and a secret that is made anew
// for each keyring: how long a look takes may tell something of what is in the map, and nothing of any token.
type keyring struct {
	secret [sha256.Size]byte
	of     map[[sha256.Size]byte]*Caller
	ids    map[string]*Caller
}

func newKeyring() keyring {
	r := keyring{of: map[[sha256.Size]byte]*Caller{}, ids: map[string]*Caller{}}
	_, _ = rand.Read(r.secret[:]) // It never fails.
	return r
}

// add makes a token that of a caller. The tokens of one agent share its limits.
func (r *keyring) add(token string, who Caller) {
	who.shown = sha256.Sum256([]byte(token))
	r.of[r.mark(who.shown)] = &who
	r.ids[who.tokenID()] = &who
}

// find returns the caller whose token has that hash; nil for nobody's.
func (r *keyring) find(hash [sha256.Size]byte) *Caller { return r.of[r.mark(hash)] }

func (r *keyring) mark(hash [sha256.Size]byte) [sha256.Size]byte {
	var both [2 * sha256.Size]byte
	copy(both[copy(both[:], r.secret[:]):], hash[:])
	return sha256.Sum256(both[:])
}
