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
	closed bool
}

// NewMemory returns an empty store with the default retention.
func NewMemory() *Memory {
	m := &Memory{rows: map[string]row{}}
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

func (t *memoryTable) put(id string, old, next row) error {
	t.rows[id] = next
	for i := range indexes {
		t.move(i, id, old.at[i], next.at[i])
	}
	return nil
}

func (t *memoryTable) drop(id string, old row) error {
	delete(t.rows, id)
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
	order := t.orders[i]
	if from != 0 {
		if n, ok := slices.BinarySearchFunc(order, place{from, id}, byPlace); ok {
			order = slices.Delete(order, n, n+1)
		}
	}
	if to != 0 {
		n, _ := slices.BinarySearchFunc(order, place{to, id}, byPlace)
		order = slices.Insert(order, n, place{to, id})
	}
	t.orders[i] = order
}

func (t *memoryTable) walk(i which, from place, see func(place) bool) {
	n, _ := slices.BinarySearchFunc(t.orders[i], from, byPlace)
	for _, p := range t.orders[i][n:] {
		if !see(p) {
			return
		}
	}
}

// byPlace orders index entries by moment, ties by id.
func byPlace(a, b place) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
}
