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

// Plain is the line among the keys that stands for no key: what is written in clear.
const Plain = "plain"

const (
	keySize = 32
	// MaxKeys is how many lines there can be; nobody changes keys that often.
	MaxKeys = 16
)

// Keys are the keys of a store, which may be changed while it is used. A nil pointer stands
// for a store in clear that knows nothing of keys.
type Keys struct{ ring atomic.Pointer[Ring] }

// Ring is a list of keys that does not change. The first one seals.
type Ring struct {
	ids  []string
	keys map[string][]byte
}

// New returns keys that begin with a ring.
func New(r *Ring) *Keys {
	k := &Keys{}
	k.Set(r)
	return k
}

// Ring returns the keys as they are now, nil for a store in clear.
func (k *Keys) Ring() *Ring {
	if k == nil {
		return nil
	}
	return k.ring.Load()
}

// Set has everything be written and read with other keys from now on.
func (k *Keys) Set(r *Ring) { k.ring.Store(r) }

// NewKey makes a key: 64 hexadecimal digits.
func NewKey() string {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // It never fails.
	return hex.EncodeToString(key)
}

// Parse reads keys, one a line, as [NewKey] makes them, or the word plain. Empty lines and
// those that begin with # are passed over. Its errors name lines by their number and show
// nothing of them.
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
			bad = append(bad, fmt.Errorf("line %d says %s again", n, id))
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

// IDs names the keys in their order, [Plain] among them; none for a store in clear.
func (r *Ring) IDs() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.ids)
}

// First names the key that seals; [Plain] for what is written in clear.
func (r *Ring) First() string {
	if r == nil {
		return Plain
	}
	return r.ids[0]
}

// Has reports whether what a key has sealed, or what stands in clear, can be read.
func (r *Ring) Has(id string) bool {
	if r == nil {
		return id == Plain
	}
	_, has := r.keys[id]
	return has
}

// Check returns a [*KeyError] unless what a key has sealed can be read.
func (r *Ring) Check(id string) error {
	if r.Has(id) {
		return nil
	}
	return &KeyError{Key: id, Given: r.IDs()}
}

// KeyError means that something cannot be read with the keys that were given.
type KeyError struct {
	// Key names the one that it takes; [Plain] for what stands in clear and must not.
	Key string
	// Given names those that there are.
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
