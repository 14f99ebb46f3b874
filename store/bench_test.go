package store

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/redistest"
)

// everyStore runs a benchmark on each kind of store.
func everyStore(b *testing.B, run func(b *testing.B, s bridge.Store)) {
	b.Run("memory", func(b *testing.B) { run(b, NewMemory()) })
	b.Run("file", func(b *testing.B) { run(b, openFile(b, filepath.Join(b.TempDir(), "askbridge.db"))) })
	b.Run("redis", func(b *testing.B) {
		run(b, openRedis(b, RedisOptions{Addrs: []string{redistest.Start(b).Addr}}))
	})
}

var made atomic.Int64

func fresh() string {
	n := made.Add(1)
	return fmt.Sprintf("%c%026d", 'a'+n%16, n)
}

func BenchmarkCreate(b *testing.B) {
	everyStore(b, func(b *testing.B, s bridge.Store) {
		for b.Loop() {
			must(b)(s.Create(b.Context(), plain(fresh()), dueInAnHour))
		}
	})
}

func BenchmarkChange(b *testing.B) {
	everyStore(b, func(b *testing.B, s bridge.Store) {
		id := fresh()
		must(b)(s.Create(b.Context(), plain(id), dueInAnHour))
		for b.Loop() {
			must(b)(s.Change(b.Context(), id, bump))
		}
	})
}

// BenchmarkChangeTogether is many clicks at once, on requests of their own.
func BenchmarkChangeTogether(b *testing.B) {
	everyStore(b, func(b *testing.B, s bridge.Store) {
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			id := fresh()
			must(b)(s.Create(b.Context(), plain(id), dueInAnHour))
			for pb.Next() {
				must(b)(s.Change(b.Context(), id, bump))
			}
		})
	})
}

func BenchmarkLoad(b *testing.B) {
	everyStore(b, func(b *testing.B, s bridge.Store) {
		id := fresh()
		must(b)(s.Create(b.Context(), plain(id), dueInAnHour))
		for b.Loop() {
			must(b)(s.Load(b.Context(), id))
		}
	})
}

// BenchmarkDueAmongMany looks for work when there is none among many open
// requests.
func BenchmarkDueAmongMany(b *testing.B) {
	everyStore(b, func(b *testing.B, s bridge.Store) {
		if f, ok := s.(*File); ok {
			f.db.NoSync = true
		}
		for range 10_000 {
			must(b)(s.Create(b.Context(), plain(fresh()), dueInAnHour))
		}
		for b.Loop() {
			if _, err := s.Due(b.Context(), 100); err != nil {
				b.Fatal(err)
			}
		}
	})
}
