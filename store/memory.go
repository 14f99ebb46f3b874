package store

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

var _ bridge.Store = (*Memory)(nil)

// Memory keeps records in this process alone: for tests and for trying things
// out. Its clock is time.Now, so it lives happily in a testing/synctest bubble.
//
// It keeps what File and Redis keep, encoded records, so that whatever would
// not survive them does not survive the quickest tests either.
type Memory struct {
	local
	mu     sync.Mutex
	rows   map[string]row
	orders [indexes][]place
	// tenants are the due and the ended records of each tenant.
	tenants map[tenantOrder][]tenantPlace
	closed  bool
}

// tenantOrder names the index of one tenant.
type tenantOrder struct {
	tenant string
	i      which
}

// NewMemory returns an empty store with the default retention.
func NewMemory() *Memory {
	m := &Memory{rows: map[string]row{}, tenants: map[tenantOrder][]tenantPlace{}}
	m.local = newLocal(DefaultRetention, m.locked, m.locked)
	return m
}

// NewMemoryAt is NewMemory with a clock of the caller's, for simulators that move the time.
func NewMemoryAt(now func() time.Time) *Memory {
	m := NewMemory()
	m.now = now
	return m
}

func (m *Memory) locked(op func(table) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return bridge.ErrClosed
	}
	return op((*memoryTable)(m))
}

// Close implements [bridge.Store]. What the store held is lost.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.stop()
	return nil
}

// memoryTable is a locked Memory seen as a table.
type memoryTable Memory

func (t *memoryTable) get(id string) (row, bool) {
	r, ok := t.rows[id]
	return r, ok
}

func (t *memoryTable) put(id, tenant string, old, next row) error {
	t.rows[id] = next
	t.moveTenant(id, tenant, old, next)
	for i := range indexes {
		t.move(i, id, old.at[i], next.at[i])
	}
	return nil
}

func (t *memoryTable) drop(id, tenant string, old row) error {
	delete(t.rows, id)
	t.moveTenant(id, tenant, old, row{})
	for i := range indexes {
		t.move(i, id, old.at[i], 0)
	}
	return nil
}

// move takes an id from one moment of an index to another; zero is nowhere.
func (t *memoryTable) move(i which, id string, from, to micros) {
	if from == to {
		return
	}
	if from != 0 {
		t.orders[i] = without(t.orders[i], place{from, id}, byPlace)
	}
	if to != 0 {
		t.orders[i] = with(t.orders[i], place{to, id}, byPlace)
	}
}

// moveTenant brings the index of a tenant from one row to the next.
func (t *memoryTable) moveTenant(id, tenant string, old, next row) {
	from, before, was := old.inTenant()
	to, after, is := next.inTenant()
	if was == is && from == to && before == after {
		return
	}
	if key := (tenantOrder{tenant, from}); was {
		if t.tenants[key] = without(t.tenants[key], tenantPlace{before, id}, byTenantPlace); len(t.tenants[key]) == 0 {
			delete(t.tenants, key)
		}
	}
	if key := (tenantOrder{tenant, to}); is {
		t.tenants[key] = with(t.tenants[key], tenantPlace{after, id}, byTenantPlace)
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

func (t *memoryTable) walk(i which, from place, see func(place) bool) {
	n, _ := slices.BinarySearchFunc(t.orders[i], from, byPlace)
	for _, p := range t.orders[i][n:] {
		if !see(p) {
			return
		}
	}
}

func (t *memoryTable) walkTenant(tenant string, i which, from tenantPlace, see func(tenantPlace) bool) {
	order := t.tenants[tenantOrder{tenant, i}]
	n, _ := slices.BinarySearchFunc(order, from, byTenantPlace)
	for _, p := range order[n:] {
		if !see(p) {
			return
		}
	}
}

// byPlace orders index entries by moment, ties by id.
func byPlace(a, b place) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
}
