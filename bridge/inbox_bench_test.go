package bridge_test

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// BenchmarkOpenInboxes measures one life cycle while 10,000 other requests are open: without an inbox, with ten people who
// have theirs open, none of them concerned, and how long it takes to open one. Compare cpu-ns/op of
//
//	go test ./bridge -run - -bench OpenInboxes -benchtime 20000x -count 5
func BenchmarkOpenInboxes(b *testing.B) {
	for _, people := range []int{0, 10} {
		b.Run(strconv.Itoa(people), func(b *testing.B) {
			chat := bridgetest.NewScript("slack", render.Limits{})
			br, err := bridge.New(memory.New(), []platform.Platform{chat}, nil)
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			var all sync.WaitGroup
			all.Go(func() { _ = br.Run(ctx) })
			begin := func(id string, who string) bridge.Submission {
				s, place, err := br.Begin(ctx, database(func(r *ask.Request) { r.ToolCallID, r.Responders = id, []string{"slack:" + who} }))
				if err != nil {
					b.Fatal(err)
				}
				place.Leave()
				return s
			}
			for n := range 10_000 {
				begin("open"+strconv.Itoa(n), "U"+strconv.Itoa(100+n%100))
			}
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			for n := range people {
				if reply := chat.Act(ctx, platform.Interaction{Person: ask.Person{ID: "U" + strconv.Itoa(100+n)}, Token: render.InboxToken(0), Inbox: true}); reply.Err != nil || len(reply.Inboxes()) != 1 {
					b.Fatal(reply.Err)
				}
				if n == 0 {
					b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/first")
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			kept := float64(after.HeapAlloc) - float64(before.HeapAlloc)
			b.ResetTimer()
			used := processor(b)
			n := 0
			for b.Loop() {
				n++
				if reply := chat.Act(ctx, choose(begin("plain"+strconv.Itoa(n), "U1").Record, "U1", 0)); reply.Err != nil {
					b.Fatal(reply.Err)
				}
			}
			b.ReportMetric(float64((processor(b)-used).Nanoseconds())/float64(n), "cpu-ns/op")
			b.ReportMetric(kept/10_000, "index-B/request")
			cancel()
			all.Wait()
		})
	}
}

// processor is the processor time that the process has used.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
