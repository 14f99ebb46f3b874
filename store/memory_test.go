package store

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/bridgetest"
)

// moved returns time.Now and a way to move it ahead.
func moved() (now func() time.Time, advance func(time.Duration)) {
	var ahead atomic.Int64
	now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	return now, func(d time.Duration) { ahead.Add(int64(d)) }
}

func TestMemory(t *testing.T) {
	t.Parallel()
	bridgetest.TestStore(t, func(*testing.T) *bridgetest.Backend {
		m := NewMemory()
		now, advance := moved()
		m.now = now
		return &bridgetest.Backend{
			Store: m, Advance: advance, Retention: DefaultRetention,
			Amend: func(id string, edit func([]byte) []byte) {
				m.mu.Lock()
				defer m.mu.Unlock()
				r := m.rows[id]
				r.data = edit(append([]byte(nil), r.data...))
				m.rows[id] = r
			},
		}
	})
}
