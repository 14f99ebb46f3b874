package memory

import (
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
	"github.com/askbridge/askbridge/store/internal/local"
)

var _ storage.Store = (*Store)(nil)

// Store is a [storage.Store] that keeps records until it is closed. Its method KeyValue returns a
// [github.com/askbridge/askbridge/store/keyvalue.Store]. Its clock is time.Now, so it works in a
// testing/synctest bubble.
type Store struct {
	*base
	mu     sync.Mutex
	rows   map[string]index.Row
	orders [index.Kinds][]index.Place
	// tenants are the due and the ended records of each tenant.
	tenants map[tenantOrder][]index.TenantPlace
	keyValue
	closed bool
}

type base = local.Store

// tenantOrder identifies the index of one tenant.
type tenantOrder struct {
	tenant string
	i      index.Kind
}

// New returns an empty store with the default retention.
func New() *Store { return NewAt(time.Now) }

// NewAt is [New] with a clock, for simulators that move the time.
func NewAt(now func() time.Time) *Store {
	m := &Store{rows: map[string]index.Row{}, tenants: map[tenantOrder][]index.TenantPlace{}, keyValue: newKeyValue()}
	m.base = local.New(local.Options{View: m.locked, Update: m.locked, Close: m.end, Now: now})
	return m
}

func (m *Store) locked(op func(local.Table) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return storage.ErrClosed
	}
	return op((*table)(m))
}

// end closes the store.
func (m *Store) end() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// table implements [local.Table] on a locked store.
type table Store

func (t *table) Get(id string) (index.Row, bool) {
	r, ok := t.rows[id]
	return r, ok
}

func (t *table) Put(id, tenant string, old, next index.Row) error {
	t.rows[id] = next
	t.moveTenant(id, tenant, old, next)
	for i := range index.Kinds {
		t.move(i, id, old.At[i], next.At[i])
	}
	return nil
}

func (t *table) Drop(id, tenant string, old index.Row) error {
	delete(t.rows, id)
	t.moveTenant(id, tenant, old, index.Row{})
	for i := range index.Kinds {
		t.move(i, id, old.At[i], 0)
	}
	return nil
}

// move changes the time of a record in an index; zero removes it.
func (t *table) move(i index.Kind, id string, from, to codec.Micros) {
	if from == to {
		return
	}
	if from != 0 {
		t.orders[i] = without(t.orders[i], index.Place{At: from, ID: id}, index.ByPlace)
	}
	if to != 0 {
		t.orders[i] = with(t.orders[i], index.Place{At: to, ID: id}, index.ByPlace)
	}
}

// moveTenant updates the tenant index from one row to the next.
func (t *table) moveTenant(id, tenant string, old, next index.Row) {
	from, before, was := old.InTenant()
	to, after, is := next.InTenant()
	if was == is && from == to && before == after {
		return
	}
	if key := (tenantOrder{tenant, from}); was {
		if t.tenants[key] = without(t.tenants[key], index.TenantPlace{At: before, ID: id}, index.ByTenantPlace); len(t.tenants[key]) == 0 {
			delete(t.tenants, key)
		}
	}
	if key := (tenantOrder{tenant, to}); is {
		t.tenants[key] = with(t.tenants[key], index.TenantPlace{At: after, ID: id}, index.ByTenantPlace)
	}
}

func without[P any](order []P, p P, by func(a, b P) int) []P {
	if n, ok := slices.BinarySearchFunc(order, p, by); ok {
		return slices.Delete(order, n, n+1)
	}
	return order
}

func with[P any](order []P, p P, by func(a, b P) int) []P {
	n, _ := slices.BinarySearchFunc(order, p, by)
	return slices.Insert(order, n, p)
}

func (t *table) Walk(i index.Kind, from index.Place, see func(index.Place) bool) {
	n, _ := slices.BinarySearchFunc(t.orders[i], from, index.ByPlace)
	for _, p := range t.orders[i][n:] {
		if !see(p) {
			return
		}
	}
}

func (t *table) WalkTenant(tenant string, i index.Kind, from index.TenantPlace, see func(index.TenantPlace) bool) {
	order := t.tenants[tenantOrder{tenant, i}]
	n, _ := slices.BinarySearchFunc(order, from, index.ByTenantPlace)
	for _, p := range order[n:] {
		if !see(p) {
			return
		}
	}
}
