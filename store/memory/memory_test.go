package memory

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/internal/fixture"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	bridgetest.TestStore(t, func(*testing.T) *bridgetest.Backend {
		now, advance := fixture.Moved()
		m := NewAt(now)
		return &bridgetest.Backend{
			Store: m, Advance: advance, Retention: store.DefaultRetention,
			Amend: func(id string, edit func([]byte) []byte) {
				m.mu.Lock()
				defer m.mu.Unlock()
				r := m.rows[id]
				r.Data = edit(append([]byte(nil), r.Data...))
				m.rows[id] = r
			},
		}
	})
}

func TestMemoryInBubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := New()
		ctx, cancel := context.WithCancel(t.Context())
		heard := make(chan string, 10)
		ended := make(chan error, 1)
		go func() { ended <- m.Watch(ctx, func(n record.Notification) { heard <- n.ID }) }()
		<-heard
		fixture.Must(t)(m.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
		if id := <-heard; id != "a1" {
			t.Errorf("watch reported %q", id)
		}
		batch, err := m.Due(ctx, 5)
		if err != nil || batch.Next != time.Hour {
			t.Fatalf("due: %+v, %v; want an hour to go", batch, err)
		}
		time.Sleep(batch.Next)
		if batch, err = m.Due(ctx, 5); err != nil || len(batch.IDs) != 1 || !batch.Now.Equal(time.Now()) {
			t.Errorf("due: %+v, %v", batch, err)
		}
		fixture.Must(t)(m.Change(ctx, "a1", fixture.Finish))
		time.Sleep(store.DefaultRetention)
		if _, err := m.Load(ctx, "a1"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("load: %v", err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("watch: %v", err)
		}
	})
}

func BenchmarkStore(b *testing.B) {
	fixture.Benchmark(b, func(*testing.B) fixture.Benchmarked { return fixture.Benchmarked{Store: New()} })
}
