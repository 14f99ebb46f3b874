package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Plain is the line of a key list that stands for no encryption.
const Plain = "plain"

const (
	keySize = 32
	// MaxKeys is the maximum number of keys.
	MaxKeys = 16
)

// Keys are the keys of a store, which can change while the store is in use. A nil pointer means no
// encryption.
type Keys struct{ ring atomic.Pointer[Ring] }

// Ring is an immutable list of keys. The first one seals.
type Ring struct {
	ids  []string
	keys map[string][]byte
}

// New returns keys with an initial ring.
func New(r *Ring) *Keys {
	k := &Keys{}
	k.Set(r)
	return k
}

// Ring returns the current ring, nil for no encryption.
func (k *Keys) Ring() *Ring {
	if k == nil {
		return nil
	}
	return k.ring.Load()
}

// Set replaces the ring.
func (k *Keys) Set(r *Ring) { k.ring.Store(r) }

// NewKey returns a random key: 64 hexadecimal digits.
func NewKey() string {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // It never fails.
	return hex.EncodeToString(key)
}

// Parse parses a key list: on each line a key of [NewKey] or the word plain. It ignores empty lines and lines
// that begin with #. Its errors contain line numbers but no content.
func Parse(text string) (*Ring, error) {
	r := &Ring{keys: map[string][]byte{}}
	var bad []error
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, key := Plain, []byte(nil)
		if line != Plain {
			var err error
			if key, err = hex.DecodeString(line); err != nil || len(key) != keySize {
				bad = append(bad, fmt.Errorf("line %d is neither a key of %d hexadecimal digits nor the word %s", n, 2*keySize, Plain))
				continue
			}
			id = idOf(key)
		}
		if slices.Contains(r.ids, id) {
			bad = append(bad, fmt.Errorf("line %d repeats %s", n, id))
			continue
		}
		r.ids, r.keys[id] = append(r.ids, id), key
	}
	switch {
	case len(bad) > 0:
	case len(r.ids) == 0:
		bad = append(bad, errors.New("there is no key"))
	case len(r.ids) == 1 && r.ids[0] == Plain:
		bad = append(bad, fmt.Errorf("there is no key, only the word %s", Plain))
	case len(r.ids) > MaxKeys:
		bad = append(bad, fmt.Errorf("there are %d keys; at most %d can be given", len(r.ids), MaxKeys))
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return r, nil
}

func idOf(key []byte) string {
	sum := sha256.Sum256(append([]byte("askbridge key of a store\n"), key...))
	return hex.EncodeToString(sum[:4])
}

// IDs returns the names of the keys in order, including [Plain]; none for no encryption.
func (r *Ring) IDs() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.ids)
}

// First returns the name of the key that seals; [Plain] for none.
func (r *Ring) First() string {
	if r == nil {
		return Plain
	}
	return r.ids[0]
}

// Has reports whether data sealed with a key, or unencrypted data for [Plain], can be read.
func (r *Ring) Has(id string) bool {
	if r == nil {
		return id == Plain
	}
	_, has := r.keys[id]
	return has
}

// Check returns a [*KeyError] if [Ring.Has] is false.
func (r *Ring) Check(id string) error {
	if r.Has(id) {
		return nil
	}
	return &KeyError{Key: id, Given: r.IDs()}
}

// KeyError means that the key of some data is missing.
type KeyError struct {
	// Key is the name of the missing key; [Plain] for unencrypted data that is not allowed.
	Key string
	// Given are the names of the available keys.
	Given []string
}

func (e *KeyError) Error() string {
	switch {
	case len(e.Given) == 0:
		return fmt.Sprintf("sealed with key %s, and no key is given", e.Key)
	case e.Key == Plain:
		return fmt.Sprintf("in clear, and the line %q is not among the keys (%s)", Plain, strings.Join(e.Given, ", "))
	}
	return fmt.Sprintf("sealed with key %s, which is not among the %d given (%s)", e.Key, len(e.Given), strings.Join(e.Given, ", "))
}
