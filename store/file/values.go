package file

import (
	"encoding/binary"

	"github.com/askbridge/askbridge/store/internal/codec"
)

// The buckets of the values. Older versions of this program ignore them. Values are stored under their key;
// the keys of the second bucket are an expiry and the key of a value.
var (
	valueBucket  = []byte("values")
	expiryBucket = []byte("expiries")
)

func (t *transaction) GetValue(key string) []byte {
	_, value := t.look(func() (_, value []byte) { return nil, t.tx.Bucket(valueBucket).Get([]byte(key)) })
	return value
}

func (t *transaction) PutValue(key string, data []byte, was, expires codec.Micros) error {
	return t.pages(func() {
		t.try(t.tx.Bucket(valueBucket).Put([]byte(key), data))
		t.unexpire(key, was)
		if expires != 0 {
			t.try(t.tx.Bucket(expiryBucket).Put(expiryKey(expires, key), nil))
		}
	})
}

func (t *transaction) DropValue(key string, was codec.Micros) error {
	return t.pages(func() {
		t.try(t.tx.Bucket(valueBucket).Delete([]byte(key)))
		t.unexpire(key, was)
	})
}

func (t *transaction) unexpire(key string, was codec.Micros) {
	if was != 0 {
		t.try(t.tx.Bucket(expiryBucket).Delete(expiryKey(was, key)))
	}
}

func (t *transaction) WalkValues(from string, see func(key string, data []byte) bool) {
	c, key, data := t.seek(valueBucket, []byte(from))
	for ; key != nil; key, data = t.look(c.Next) {
		if !see(string(key), data) {
			return
		}
	}
}

func (t *transaction) WalkExpiries(see func(at codec.Micros, key string) bool) {
	c, key, _ := t.seek(expiryBucket, nil)
	for ; key != nil; key, _ = t.look(c.Next) {
		if !see(codec.Micros(binary.BigEndian.Uint64(key)), string(key[momentSize:])) {
			return
		}
	}
}

// NextVersion increments a counter in the file, so that versions are not reused after a delete.
func (t *transaction) NextVersion() (uint64, error) { return t.tx.Bucket(valueBucket).NextSequence() }

func expiryKey(at codec.Micros, key string) []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, momentSize+len(key)), uint64(max(at, 0))), key...)
}
