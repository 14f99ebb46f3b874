package redis

import (
	"testing"

	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// BenchmarkStore also reports what an operation costs Redis: commands, also those
// inside scripts, and round trips.
func BenchmarkStore(b *testing.B) {
	fixture.Benchmark(b, func(b *testing.B) fixture.Benchmarked {
		server := redistest.Start(b)
		r, trips := countedRedis(b, server, Layout{})
		watched(b, r)
		fixture.Life(b, r, r, fixture.Fresh(), true) // The scripts are known from here on.
		return fixture.Benchmarked{
			Store:  r,
			Filled: func() { trusts(b, r) },
			Count: func() (report func()) {
				used := commands(b, server)
				used()
				trips()
				return func() {
					total, _ := used()
					b.ReportMetric(float64(total)/float64(b.N), "commands/op")
					b.ReportMetric(float64(trips())/float64(b.N), "trips/op")
				}
			},
		}
	})
}

// BenchmarkPending keeps many open requests and reports what Redis needs for
// one, indexes included.
func BenchmarkPending(b *testing.B) {
	server := redistest.Start(b)
	r := openRedis(b, Options{Addrs: []string{server.Addr}})
	before := usedMemory(b, server)
	for b.Loop() {
		fixture.Must(b)(r.Create(b.Context(), fixture.Plain(fixture.Fresh()), fixture.DueInAnHour))
	}
	b.ReportMetric(float64(usedMemory(b, server)-before)/float64(b.N), "bytes/record")
}
