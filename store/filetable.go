package store

import (
	"bytes"
	"encoding/binary"

	bolt "go.etcd.io/bbolt"
)

// The buckets of a file. Records are kept by id, each behind its places in the
// indexes; an index holds keys of a moment and an id, and no values, so that
// what is due stands first. The index of tenants holds, before the same at full
// seconds, the tenant and whether the record is due or ended.
var (
	metaBucket   = []byte("meta")
	schemaKey    = []byte("schema")
	recordBucket = []byte("records")
	tenantBucket = []byte("tenants")
	tenantKey    = []byte("tenants")
	indexBuckets = [indexes][]byte{due: []byte("due"), deliveryDue: []byte("lagging"), ended: []byte("ended")}
)

const (
	momentSize = 8
	secondSize = 4
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

func (t *fileTable) put(id, tenant string, old, next row) error {
	value := make([]byte, 0, headerSize+len(next.data))
	for _, at := range next.at {
		value = binary.BigEndian.AppendUint64(value, uint64(at))
	}
	value = append(value, next.data...)
	t.try(t.tx.Bucket(recordBucket).Put([]byte(id), value))
	t.move(id, old, next)
	t.moveTenant(id, tenant, old, next)
	return t.failed
}

func (t *fileTable) drop(id, tenant string, old row) error {
	t.try(t.tx.Bucket(recordBucket).Delete([]byte(id)))
	t.move(id, old, row{})
	t.moveTenant(id, tenant, old, row{})
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

// moveTenant brings the index of a tenant from one row to the next.
func (t *fileTable) moveTenant(id, tenant string, old, next row) {
	from, before, was := old.inTenant()
	to, after, is := next.inTenant()
	if was == is && from == to && before == after {
		return
	}
	if was {
		t.try(t.tx.Bucket(tenantBucket).Delete(tenantPlaceKey(tenant, from, tenantPlace{before, id})))
	}
	if is {
		t.try(t.tx.Bucket(tenantBucket).Put(tenantPlaceKey(tenant, to, tenantPlace{after, id}), nil))
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

func (t *fileTable) walkTenant(tenant string, i which, from tenantPlace, see func(tenantPlace) bool) {
	all := tenantPrefix(tenant, i)
	c := t.tx.Bucket(tenantBucket).Cursor()
	for key, _ := c.Seek(tenantPlaceKey(tenant, i, from)); bytes.HasPrefix(key, all); key, _ = c.Next() {
		at, id := key[len(all):len(all)+secondSize], key[len(all)+secondSize:]
		if !see(tenantPlace{at: second(binary.BigEndian.Uint32(at)), id: string(id)}) {
			return
		}
	}
}

// tenantPrefix begins the keys of one tenant. Its length comes first, so that no
// tenant's keys stand among those of another.
func tenantPrefix(tenant string, i which) []byte {
	key := binary.BigEndian.AppendUint32(nil, uint32(len(tenant)))
	return append(append(key, tenant...), byte(i))
}

func tenantPlaceKey(tenant string, i which, p tenantPlace) []byte {
	return append(binary.BigEndian.AppendUint32(tenantPrefix(tenant, i), uint32(p.at)), p.id...)
}

// The index of tenants came later than the file's layout. A version of this
// program that does not know it leaves it behind, so each transaction that keeps
// it in step says so with its own number, and when the last one of a file did not,
// the index is made anew.

// inStep reports whether the transaction before this one kept the index of tenants.
func (t *fileTable) inStep() bool {
	last := t.tx.Bucket(metaBucket).Get(tenantKey)
	return len(last) == 8 && binary.BigEndian.Uint64(last)+1 == uint64(t.tx.ID())
}

// keepsStep says that this transaction keeps it.
func (t *fileTable) keepsStep() error {
	return t.tx.Bucket(metaBucket).Put(tenantKey, binary.BigEndian.AppendUint64(nil, uint64(t.tx.ID())))
}

// remake makes the index of tenants from the records.
func (t *fileTable) remake() error {
	if err := t.tx.DeleteBucket(tenantBucket); err != nil {
		return err
	}
	if _, err := t.tx.CreateBucket(tenantBucket); err != nil {
		return err
	}
	return t.tx.Bucket(recordBucket).ForEach(func(id, _ []byte) error {
		if r, ok := t.get(string(id)); ok {
			t.moveTenant(string(id), tenantOf(r.data), row{}, r)
		}
		return t.failed
	})
}

// placeKey orders like byPlace: moments since 1970 are not negative.
func placeKey(p place) []byte {
	key := binary.BigEndian.AppendUint64(make([]byte, 0, momentSize+len(p.id)), uint64(max(p.at, 0)))
	return append(key, p.id...)
}
