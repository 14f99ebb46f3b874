package store

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/test/redistest"
)

// everyStore runs a benchmark on each kind of store. For Redis it also reports
// what each round costs there: commands, also those inside scripts, and trips.
// Prepare, which may be nil, is not counted.
func everyStore(b *testing.B, prepare, run func(b *testing.B, s bridge.Store)) {
	if prepare == nil {
		prepare = func(*testing.B, bridge.Store) {}
	}
	local := func(b *testing.B, s bridge.Store) {
		prepare(b, s)
		run(b, s)
	}
	b.Run("memory", func(b *testing.B) { local(b, NewMemory()) })
	b.Run("file", func(b *testing.B) { local(b, openFile(b, filepath.Join(b.TempDir(), "askbridge.db"))) })
	b.Run("redis", func(b *testing.B) {
		server := redistest.Start(b)
		r, trips := countedRedis(b, server, RedisLayout{})
		watched(b, r)
		life(b, r, r, fresh(), true) // The scripts are known from here on.
		prepare(b, r)
		used := commands(b, server)
		used()
		trips()
		run(b, r)
		total, _ := used()
		b.ReportMetric(float64(total)/float64(b.N), "commands/op")
		b.ReportMetric(float64(trips())/float64(b.N), "trips/op")
	})
}

// BenchmarkLife is a request on Slack from the question to the update.
func BenchmarkLife(b *testing.B) {
	everyStore(b, nil, func(b *testing.B, s bridge.Store) {
		for b.Loop() {
			life(b, s, s, fresh(), true)
		}
	})
}

// BenchmarkPending keeps many open requests and reports what Redis needs for
// one, indexes included.
func BenchmarkPending(b *testing.B) {
	server := redistest.Start(b)
	r := openRedis(b, RedisOptions{Addrs: []string{server.Addr}})
	before := usedMemory(b, server)
	for b.Loop() {
		must(b)(r.Create(b.Context(), plain(fresh()), dueInAnHour))
	}
	b.ReportMetric(float64(usedMemory(b, server)-before)/float64(b.N), "bytes/record")
}

// BenchmarkTenant lists and counts the twenty open records of a tenant among many
// of others. What it takes does not grow with those.
func BenchmarkTenant(b *testing.B) {
	const tenant, own = "ours", 20
	for _, foreign := range []int{0, 3_000, 30_000} {
		among := func(name string, op func(b *testing.B, s bridge.Store)) {
			b.Run(fmt.Sprintf("%s/foreign=%d", name, foreign), func(b *testing.B) {
				everyStore(b, func(b *testing.B, s bridge.Store) {
					if f, ok := s.(*File); ok {
						f.db.NoSync = true
					}
					for n := range foreign + own {
						of := tenant
						if n >= own {
							of = fmt.Sprint("other", n%50)
						}
						must(b)(s.Create(b.Context(), owned(fresh(), of), dueInAnHour))
					}
					if r, ok := s.(*Redis); ok {
						trusts(b, r)
					}
				}, op)
			})
		}
		among("list", func(b *testing.B, s bridge.Store) {
			of := tenant
			for b.Loop() {
				found, err := s.Scan(b.Context(), bridge.Scan{Tenant: &of, Limit: 100})
				if err != nil || len(found) != own {
					b.Fatalf("%d records, %v", len(found), err)
				}
			}
		})
		among("count", func(b *testing.B, s bridge.Store) {
			for b.Loop() {
				if n, err := s.Count(b.Context(), tenant); err != nil || n != own {
					b.Fatalf("%d records, %v", n, err)
				}
			}
		})
	}
}

var made atomic.Int64

func fresh() string {
	n := made.Add(1)
	return fmt.Sprintf("%c%026d", 'a'+n%16, n)
}

func BenchmarkCreate(b *testing.B) {
	everyStore(b, nil, func(b *testing.B, s bridge.Store) {
		for b.Loop() {
			must(b)(s.Create(b.Context(), plain(fresh()), dueInAnHour))
		}
	})
}

func BenchmarkChange(b *testing.B) {
	everyStore(b, nil, func(b *testing.B, s bridge.Store) {
		id := fresh()
		must(b)(s.Create(b.Context(), plain(id), dueInAnHour))
		for b.Loop() {
			must(b)(s.Change(b.Context(), id, bump))
		}
	})
}

// BenchmarkChangeTogether is many clicks at once, on requests of their own.
func BenchmarkChangeTogether(b *testing.B) {
	everyStore(b, nil, func(b *testing.B, s bridge.Store) {
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
	everyStore(b, nil, func(b *testing.B, s bridge.Store) {
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
	}, func(b *testing.B, s bridge.Store) {
		for b.Loop() {
			if _, err := s.Due(b.Context(), 100); err != nil {
				b.Fatal(err)
			}
		}
	})
}
