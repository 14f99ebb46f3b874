package memory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/askbridge/askbridge/store/internal/codec"
)

// keyValue contains the values.
type keyValue struct {
	data map[string][]byte
	// names are all keys, in order; expiries are the keys that expire, soonest first.
	names    []string
	expiries []expiry
	last     uint64
}

type expiry struct {
	at  codec.Micros
	key string
}

func newKeyValue() keyValue { return keyValue{data: map[string][]byte{}} }

func byExpiry(a, b expiry) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key)) }

func (t *table) GetValue(key string) []byte { return t.data[key] }

func (t *table) PutValue(key string, data []byte, was, expires codec.Micros) error {
	t.data[key] = data
	if n, there := slices.BinarySearch(t.names, key); !there {
		t.names = slices.Insert(t.names, n, key)
	}
	if was != 0 {
		t.expiries = without(t.expiries, expiry{was, key}, byExpiry)
	}
	if expires != 0 {
		t.expiries = with(t.expiries, expiry{expires, key}, byExpiry)
	}
	return nil
}

func (t *table) DropValue(key string, was codec.Micros) error {
	delete(t.data, key)
	t.names = without(t.names, key, strings.Compare)
	if was != 0 {
		t.expiries = without(t.expiries, expiry{was, key}, byExpiry)
	}
	return nil
}

func (t *table) WalkValues(from string, see func(key string, data []byte) bool) {
	n, _ := slices.BinarySearch(t.names, from)
	for _, key := range t.names[n:] {
		if !see(key, t.data[key]) {
			return
		}
	}
}

func (t *table) WalkExpiries(see func(at codec.Micros, key string) bool) {
	for _, e := range t.expiries {
		if !see(e.at, e.key) {
			return
		}
	}
}

func (t *table) NextVersion() (uint64, error) {
	t.last++
	return t.last, nil
}
