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
	of     map[[sha256.Size]byte]key
}

type key struct {
	hash [sha256.Size]byte
	who  *Caller
}

func newKeyring() keyring {
	r := keyring{of: map[[sha256.Size]byte]key{}}
	_, _ = rand.Read(r.secret[:]) // It never fails.
	return r
}

func (r *keyring) add(token string, who *Caller) {
	hash := sha256.Sum256([]byte(token))
	r.of[r.mark(hash)] = key{hash, who}
}

// find returns the caller whose token has that hash; nil for nobody's.
func (r *keyring) find(hash [sha256.Size]byte) *Caller { return r.of[r.mark(hash)].who }

func (r *keyring) mark(hash [sha256.Size]byte) [sha256.Size]byte {
	var both [2 * sha256.Size]byte
	copy(both[copy(both[:], r.secret[:]):], hash[:])
	return sha256.Sum256(both[:])
}
