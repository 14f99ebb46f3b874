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

// ErrDamaged means that sealed data was changed or moved.
var ErrDamaged = errors.New("sealed data was changed or moved")

// What identifies sealed data, so that it cannot be moved. Kind and Place must not contain a zero byte.
type What struct {
	// Kind is a type of data, Place one of several stores, and ID unique among these.
	Kind, Place, ID string
	// Beside is unencrypted data next to it that is authenticated.
	Beside string
}

// Overhead is the number of bytes that sealing adds.
const Overhead = 12 + 16

// Seal appends data sealed with the first key, which must not be [Plain].
func (r *Ring) Seal(to, data []byte, w What) ([]byte, error) {
	box, err := r.box(r.First(), w)
	if err != nil {
		return nil, err
	}
	return box.Seal(to, nil, data, []byte(w.Beside)), nil //nolint:gosec // The AEAD generates its nonces.
}

// Open decrypts data that a key has sealed. It returns a [*KeyError] without that key, and [ErrDamaged] if
// authentication fails.
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

// box returns the AEAD of one record or value. Each has its own key, so random nonces do not collide even
// after years of writes.
func (r *Ring) box(id string, w What) (cipher.AEAD, error) {
	if err := r.Check(id); err != nil {
		return nil, err
	}
	if id == Plain {
		return nil, errors.New("seal: plain is not a key")
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
