package store

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge"
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

func TestMemoryLivesInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		heard := make(chan string, 10)
		ended := make(chan error, 1)
		go func() { ended <- m.Watch(ctx, func(n bridge.Notification) { heard <- n.ID }) }()
		<-heard
		must(t)(m.Create(ctx, plain("a1"), dueInAnHour))
		if id := <-heard; id != "a1" {
			t.Errorf("heard %q", id)
		}
		batch, err := m.Due(ctx, 5)
		if err != nil || batch.Next != time.Hour {
			t.Fatalf("due: %+v, %v; want an hour to go", batch, err)
		}
		time.Sleep(batch.Next)
		if batch, err = m.Due(ctx, 5); err != nil || len(batch.IDs) != 1 || !batch.Now.Equal(time.Now()) {
			t.Errorf("due: %+v, %v", batch, err)
		}
		must(t)(m.Change(ctx, "a1", finish))
		time.Sleep(DefaultRetention)
		if _, err := m.Load(ctx, "a1"); !errors.Is(err, bridge.ErrNotFound) {
			t.Errorf("load: %v", err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("watch: %v", err)
		}
	})
}
