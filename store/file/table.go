package file

import (
	"bytes"
	"encoding/binary"

	bolt "go.etcd.io/bbolt"

	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
)

// The buckets of a file. A record is stored under its ID, after its times in the indexes. The keys of an
// index are a time and an ID, without values. The keys of the tenant index are the tenant, due or
// ended, the time in seconds and the ID.
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

// transaction implements [local.Table] on a bbolt transaction.
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

// move updates the indexes from one row to the next.
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

// moveTenant updates the tenant index from one row to the next.
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

// try records a write of the transaction, and its first error.
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

// tenantPrefix returns the prefix of the keys of one tenant. It begins with its length, so that the keys of
// tenants do not mix.
func tenantPrefix(tenant string, i index.Kind) []byte {
	key := binary.BigEndian.AppendUint32(nil, uint32(len(tenant)))
	return append(append(key, tenant...), byte(i))
}

func tenantPlaceKey(tenant string, i index.Kind, p index.TenantPlace) []byte {
	return append(binary.BigEndian.AppendUint32(tenantPrefix(tenant, i), uint32(p.At)), p.ID...)
}

// Older versions of this program do not maintain the tenant index. So each transaction that does stores its
// own number. If the last transaction of a file did not, the index is rebuilt.

// inStep reports whether the previous transaction maintained the tenant index.
func (t *transaction) inStep() bool {
	last := t.tx.Bucket(metaBucket).Get(tenantKey)
	return len(last) == 8 && binary.BigEndian.Uint64(last)+1 == uint64(t.tx.ID())
}

// keepsStep records that this transaction maintains it.
func (t *transaction) keepsStep() error {
	return t.tx.Bucket(metaBucket).Put(tenantKey, binary.BigEndian.AppendUint64(nil, uint64(t.tx.ID())))
}

// remake rebuilds the tenant index from the records.
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

// placeKey returns a key with the order of [index.ByPlace]: times since 1970 are not negative.
func placeKey(p index.Place) []byte {
	key := binary.BigEndian.AppendUint64(make([]byte, 0, momentSize+len(p.ID)), uint64(max(p.At, 0)))
	return append(key, p.ID...)
}
