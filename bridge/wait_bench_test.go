package bridge_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// BenchmarkManyInWait tells what a goroutine in [bridge.Bridge.Wait] takes of stack.
func BenchmarkManyInWait(b *testing.B) {
	for name, plain := range map[string]bool{"fresh": false, "plain": true} {
		b.Run(name, func(b *testing.B) {
			br, err := bridge.New(memory.New(), []bridge.Platform{bridgetest.NewScript("slack", render.Limits{})}, &bridge.Options{PlainWait: plain})
			if err != nil {
				b.Fatal(err)
			}
			// It does not run: its own goroutines would come and go among those counted.
			made, err := br.Submit(b.Context(), database())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				manyInWait(b, br, made.Record.ID)
			}
		})
	}
}

func manyInWait(b *testing.B, br *bridge.Bridge, id string) {
	b.Helper()
	const callers = 2000
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	var started, waiting sync.WaitGroup
	alone, before := runtime.NumGoroutine(), stacks()
	started.Add(callers)
	for range callers {
		waiting.Go(func() {
			started.Done()
			_, _ = br.Wait(ctx, id)
		})
	}
	started.Wait()
	for runtime.NumGoroutine() > alone+callers {
		runtime.Gosched() // Some still read.
	}
	b.ReportMetric(float64(stacks()-before)/callers, "B/waiter")
	stop()
	waiting.Wait()
}

// stacks is what all stacks hold after the collector has shrunk them.
func stacks() uint64 {
	for range 4 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.StackInuse
}
