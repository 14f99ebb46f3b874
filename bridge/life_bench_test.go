package bridge_test

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

// BenchmarkLifeCycle measures the cost of asking, waiting for and answering one question over a memory store.
func BenchmarkLifeCycle(b *testing.B) {
	chat := bridgetest.NewScript("slack", render.Limits{})
	br, err := bridge.New(memory.New(), []platform.Platform{chat}, nil)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	all.Go(func() { _ = br.Run(ctx) })
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		s, place, err := br.Begin(ctx, database(func(r *ask.Request) { r.ToolCallID = strconv.Itoa(n) }))
		if err != nil {
			b.Fatal(err)
		}
		if reply := chat.Act(ctx, choose(s.Record, "U1", 0)); reply.Err != nil {
			b.Fatal(reply.Err)
		}
		if r, err := place.Wait(ctx); err != nil || r.Outcome.State != ask.Answered {
			b.Fatalf("ended as %+v, %v", r, err)
		}
		place.Leave()
	}
	cancel()
	all.Wait()
}
