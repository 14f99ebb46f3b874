package collector

import (
	"context"
	"runtime"
	"runtime/metrics"
	"testing"
	"testing/synctest"
)

func TestMemoryIsReleasedOnlyWhenIdle(t *testing.T) {
	t.Parallel()
	idle := memory{allocated: 1000 << 20, objects: 60 << 20, live: 50 << 20, free: 30 << 20}
	busy := idle
	busy.allocated += 5 << 20
	if !idle.idleSince(idle) || busy.idleSince(idle) {
		t.Error("idle and busy programs look the same")
	}
	if got := idle.unused(); got != 40<<20 {
		t.Errorf("%d bytes unused", got)
	}
	// A collection in progress may have marked more than there is now.
	if got := (memory{objects: 1, live: 2, free: 3}).unused(); got != 3 {
		t.Errorf("%d bytes unused", got)
	}
}

func TestReadReportsTheHeap(t *testing.T) {
	t.Parallel()
	before := read()
	kept := make([]byte, worthwhile)
	if now := read(); now.idleSince(before) || now.objects < worthwhile {
		t.Errorf("allocating %d bytes does not show: %+v, then %+v", worthwhile, before, now)
	}
	runtime.KeepAlive(kept)
}

func TestBallastLeavesRoomForGarbage(t *testing.T) {
	for name, test := range map[string]struct {
		gogc string
		want bool
	}{"by default": {"", true}, "not if the operator tunes": {"100", false}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOGC", test.gogc)
			t.Setenv("GOMEMLIMIT", "")
			runtime.GC() // What earlier tests held is gone.
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				go Tune(ctx)
				synctest.Wait()
				runtime.GC()
				goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
				metrics.Read(goal)
				if got := goal[0].Value.Uint64() >= 2*ballastSize; got != test.want {
					t.Errorf("the next collection comes at %d bytes", goal[0].Value.Uint64())
				}
				cancel()
				synctest.Wait()
			})
		})
	}
}
