package redis

import (
	"testing"

	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// BenchmarkStore also reports the round trips and commands of an operation, including those in scripts.
func BenchmarkStore(b *testing.B) {
	fixture.Benchmark(b, func(b *testing.B) fixture.Benchmarked {
		server := redistest.Start(b)
		r, trips := countedRedis(b, server, Layout{})
		watched(b, r)
		fixture.Life(b, r, r, fixture.Fresh(), true) // This loads the scripts.
		return fixture.Benchmarked{
			Store:  r,
			Filled: func() { repairTenants(b, r) },
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

// BenchmarkPending reports the memory that Redis uses for an open request, including indexes.
func BenchmarkPending(b *testing.B) {
	server := redistest.Start(b)
	r := openRedis(b, Options{Addrs: []string{server.Addr}})
	before := usedMemory(b, server)
	for b.Loop() {
		fixture.Must(b)(r.Create(b.Context(), fixture.Plain(fixture.Fresh()), fixture.DueInAnHour))
	}
	b.ReportMetric(float64(usedMemory(b, server)-before)/float64(b.N), "bytes/record")
}
