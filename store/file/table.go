package file

import (
	"bytes"
	"encoding/binary"

	bolt "go.etcd.io/bbolt"

	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
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
	indexBuckets = [index.Kinds][]byte{index.Due: []byte("due"), index.DeliveryDue: []byte("lagging"), index.Ended: []byte("ended")}
)

const (
	momentSize = 8
	secondSize = 4
	headerSize = int(index.Kinds) * momentSize
)

// transaction is one bbolt transaction seen as a table.
type transaction struct {
	tx     *bolt.Tx
	dirty  bool
	failed error
}

func (t *transaction) Get(id string) (index.Row, bool) {
	_, value := t.look(func() (_, value []byte) { return nil, t.tx.Bucket(recordBucket).Get([]byte(id)) })
	if len(value) < headerSize {
		return index.Row{}, false
	}
	r := index.Row{Data: value[headerSize:]}
	for i := range r.At {
		r.At[i] = codec.Micros(binary.BigEndian.Uint64(value[i*momentSize:]))
	}
	return r, true
}

func (t *transaction) Put(id, tenant string, old, next index.Row) error {
	value := make([]byte, 0, headerSize+len(next.Data))
	for _, at := range next.At {
		value = binary.BigEndian.AppendUint64(value, uint64(at))
	}
	value = append(value, next.Data...)
	return t.pages(func() {
		t.try(t.tx.Bucket(recordBucket).Put([]byte(id), value))
		t.move(id, old, next)
		t.moveTenant(id, tenant, old, next)
	})
}

func (t *transaction) Drop(id, tenant string, old index.Row) error {
	return t.pages(func() {
		t.try(t.tx.Bucket(recordBucket).Delete([]byte(id)))
		t.move(id, old, index.Row{})
		t.moveTenant(id, tenant, old, index.Row{})
	})
}

// move brings the indexes from one row to the next.
func (t *transaction) move(id string, old, next index.Row) {
	for i, name := range indexBuckets {
		from, to := old.At[i], next.At[i]
		if from == to {
			continue
		}
		if from != 0 {
			t.try(t.tx.Bucket(name).Delete(placeKey(index.Place{At: from, ID: id})))
		}
		if to != 0 {
			t.try(t.tx.Bucket(name).Put(placeKey(index.Place{At: to, ID: id}), nil))
		}
	}
}

// moveTenant brings the index of a tenant from one row to the next.
func (t *transaction) moveTenant(id, tenant string, old, next index.Row) {
	from, before, was := old.InTenant()
	to, after, is := next.InTenant()
	if was == is && from == to && before == after {
		return
	}
	if was {
		t.try(t.tx.Bucket(tenantBucket).Delete(tenantPlaceKey(tenant, from, index.TenantPlace{At: before, ID: id})))
	}
	if is {
		t.try(t.tx.Bucket(tenantBucket).Put(tenantPlaceKey(tenant, to, index.TenantPlace{At: after, ID: id}), nil))
	}
}

// try notes that the transaction wrote something, and its first error.
func (t *transaction) try(err error) {
	t.dirty = true
	if t.failed == nil {
		t.failed = err
	}
}

func (t *transaction) Walk(i index.Kind, from index.Place, see func(index.Place) bool) {
	c, key, _ := t.seek(indexBuckets[i], placeKey(from))
	for ; key != nil; key, _ = t.look(c.Next) {
		p := index.Place{At: codec.Micros(binary.BigEndian.Uint64(key)), ID: string(key[momentSize:])}
		if !see(p) {
			return
		}
	}
}

func (t *transaction) WalkTenant(tenant string, i index.Kind, from index.TenantPlace, see func(index.TenantPlace) bool) {
	all := tenantPrefix(tenant, i)
	c, key, _ := t.seek(tenantBucket, tenantPlaceKey(tenant, i, from))
	for ; bytes.HasPrefix(key, all); key, _ = t.look(c.Next) {
		at, id := key[len(all):len(all)+secondSize], key[len(all)+secondSize:]
		if !see(index.TenantPlace{At: index.Second(binary.BigEndian.Uint32(at)), ID: string(id)}) {
			return
		}
	}
}

// tenantPrefix begins the keys of one tenant. Its length comes first, so that no
// tenant's keys stand among those of another.
func tenantPrefix(tenant string, i index.Kind) []byte {
	key := binary.BigEndian.AppendUint32(nil, uint32(len(tenant)))
	return append(append(key, tenant...), byte(i))
}

func tenantPlaceKey(tenant string, i index.Kind, p index.TenantPlace) []byte {
	return append(binary.BigEndian.AppendUint32(tenantPrefix(tenant, i), uint32(p.At)), p.ID...)
}

// The index of tenants came later than the file's layout. A version of this
// program that does not know it leaves it behind, so each transaction that keeps
// it in step says so with its own number, and when the last one of a file did not,
// the index is made anew.

// inStep reports whether the transaction before this one kept the index of tenants.
func (t *transaction) inStep() bool {
	last := t.tx.Bucket(metaBucket).Get(tenantKey)
	return len(last) == 8 && binary.BigEndian.Uint64(last)+1 == uint64(t.tx.ID())
}

// keepsStep says that this transaction keeps it.
func (t *transaction) keepsStep() error {
	return t.tx.Bucket(metaBucket).Put(tenantKey, binary.BigEndian.AppendUint64(nil, uint64(t.tx.ID())))
}

// remake makes the index of tenants from the records.
func (t *transaction) remake() error {
	if err := t.tx.DeleteBucket(tenantBucket); err != nil {
		return err
	}
	if _, err := t.tx.CreateBucket(tenantBucket); err != nil {
		return err
	}
	return t.tx.Bucket(recordBucket).ForEach(func(id, _ []byte) error {
		if r, ok := t.Get(string(id)); ok {
			t.moveTenant(string(id), codec.TenantOf(r.Data), index.Row{}, r)
		}
		return t.failed
	})
}

// placeKey orders like byPlace: moments since 1970 are not negative.
func placeKey(p index.Place) []byte {
	key := binary.BigEndian.AppendUint64(make([]byte, 0, momentSize+len(p.ID)), uint64(max(p.At, 0)))
	return append(key, p.ID...)
}
