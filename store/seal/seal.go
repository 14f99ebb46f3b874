package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// ErrDamaged means that something was changed since it was sealed, or stands where it was not
// put.
var ErrDamaged = errors.New("sealed, and does not open: it was changed, or stands where it was not put")

// What tells the things that are sealed from each other. No part may hold a zero byte
// except the last.
type What struct {
	// Kind is what it is, Place which of several stores it belongs to, ID which one it is.
	Kind, Place, ID string
	// Beside is what stands in clear beside it and must not be changed either.
	Beside string
}

// Overhead is how many bytes longer something is when it is sealed.
const Overhead = 12 + 16

// Seal appends data as the first key seals it. The first one must not be [Plain].
func (r *Ring) Seal(to, data []byte, w What) ([]byte, error) {
	box, err := r.box(r.First(), w)
	if err != nil {
		return nil, err
	}
	return box.Seal(to, nil, data, []byte(w.Beside)), nil //nolint:gosec // Such a box makes its nonces itself.
}

// Open returns what a key has sealed; a [*KeyError] without that key, [ErrDamaged] when it
// does not open.
func (r *Ring) Open(id string, sealed []byte, w What) ([]byte, error) {
	box, err := r.box(id, w)
	if err != nil {
		return nil, err
	}
	data, err := box.Open(nil, nil, sealed, []byte(w.Beside))
	if err != nil {
		return nil, ErrDamaged
	}
	return data, nil
}

// box seals one thing: it has a key of its own, so that however much is written in years,
// random nonces never meet.
func (r *Ring) box(id string, w What) (cipher.AEAD, error) {
	if err := r.Check(id); err != nil {
		return nil, err
	}
	if id == Plain {
		return nil, errors.New("seal: what is plain is not sealed")
	}
	own, err := hkdf.Expand(sha256.New, r.keys[id], strings.Join([]string{"askbridge", w.Kind, w.Place, w.ID}, "\x00"), keySize)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
