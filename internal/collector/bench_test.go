package collector

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// sink keeps what is allocated from being left out.
var sink []byte

// BenchmarkABusyProgramWithASmallHeap makes garbage as a busy bridge does, beside four MiB that stay, at Go's own pace and
// at ours. It tells how often the collector runs, and its part of the processor's time.
func BenchmarkABusyProgramWithASmallHeap(b *testing.B) {
	const alive = 4 << 20
	kept := make([][]byte, 0, alive/4096)
	for range cap(kept) {
		kept = append(kept, make([]byte, 4096))
	}
	for name, share := range map[string]int{"plain": usual, "tuned": shareFor(alive)} {
		b.Run(name, func(b *testing.B) {
			defer debug.SetGCPercent(debug.SetGCPercent(share))
			runtime.GC()
			before, allocated := told(), 0
			for b.Loop() {
				for range 256 {
					sink = make([]byte, 4096)
				}
				allocated += 256 * 4096
			}
			after := told()
			b.ReportMetric((after.cycles-before.cycles)/(float64(allocated)/(1<<30)), "collections/GiB")
			b.ReportMetric(100*(after.collecting-before.collecting)/(after.all-before.all), "%collecting")
		})
	}
	runtime.KeepAlive(kept)
}

type work struct{ cycles, collecting, all float64 }

func told() work {
	runtime.GC() // The times are brought up to date by a collection.
	s := []metrics.Sample{
		{Name: "/gc/cycles/automatic:gc-cycles"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"},
	}
	metrics.Read(s)
	return work{float64(s[0].Value.Uint64()), s[1].Value.Float64(), s[2].Value.Float64() - s[3].Value.Float64()}
}
