package store

import (
	"encoding/binary"

	bolt "go.etcd.io/bbolt"
)

// The buckets of a file. Records are kept by id, each behind its places in the
// indexes; an index holds keys of a moment and an id, and no values, so that
// what is due stands first.
var (
	metaBucket   = []byte("meta")
	schemaKey    = []byte("schema")
	recordBucket = []byte("records")
	indexBuckets = [indexes][]byte{due: []byte("due"), deliveryDue: []byte("lagging"), ended: []byte("ended")}
)

const (
	momentSize = 8
	headerSize = int(indexes) * momentSize
)

// fileTable is one bbolt transaction seen as a table.
type fileTable struct {
	tx     *bolt.Tx
	dirty  bool
	failed error
}

func (t *fileTable) get(id string) (row, bool) {
	value := t.tx.Bucket(recordBucket).Get([]byte(id))
	if len(value) < headerSize {
		return row{}, false
	}
	r := row{data: value[headerSize:]}
	for i := range r.at {
		r.at[i] = micros(binary.BigEndian.Uint64(value[i*momentSize:]))
	}
	return r, true
}

func (t *fileTable) put(id string, old, next row) error {
	value := make([]byte, 0, headerSize+len(next.data))
	for _, at := range next.at {
		value = binary.BigEndian.AppendUint64(value, uint64(at))
	}
	value = append(value, next.data...)
	t.try(t.tx.Bucket(recordBucket).Put([]byte(id), value))
	t.move(id, old, next)
	return t.failed
}

func (t *fileTable) drop(id string, old row) error {
	t.try(t.tx.Bucket(recordBucket).Delete([]byte(id)))
	t.move(id, old, row{})
	return t.failed
}

// move brings the indexes from one row to the next.
func (t *fileTable) move(id string, old, next row) {
	for i, name := range indexBuckets {
		from, to := old.at[i], next.at[i]
		if from == to {
			continue
		}
		if from != 0 {
			t.try(t.tx.Bucket(name).Delete(placeKey(place{from, id})))
		}
		if to != 0 {
			t.try(t.tx.Bucket(name).Put(placeKey(place{to, id}), nil))
		}
	}
}

// try notes that the transaction wrote something, and its first error.
func (t *fileTable) try(err error) {
	t.dirty = true
	if t.failed == nil {
		t.failed = err
	}
}

func (t *fileTable) walk(i which, from place, see func(place) bool) {
	c := t.tx.Bucket(indexBuckets[i]).Cursor()
	for key, _ := c.Seek(placeKey(from)); key != nil; key, _ = c.Next() {
		p := place{at: micros(binary.BigEndian.Uint64(key)), id: string(key[momentSize:])}
		if !see(p) {
			return
		}
	}
}

// placeKey orders like byPlace: moments since 1970 are not negative.
func placeKey(p place) []byte {
	key := binary.BigEndian.AppendUint64(make([]byte, 0, momentSize+len(p.id)), uint64(max(p.at, 0)))
	return append(key, p.id...)
}
