package collector

import (
	"context"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestTheHeapHasRoomWhileLittleOfItIsAlive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what  string
		alive uint64
		want  int
	}{
		{"nothing yet", 0, 12800},
		{"an idle bridge", 4 << 20, 3200},
		{"a busy one", 8 << 20, 1600},
		{"as much as there is room", heapRoom, usual},
		{"ten thousand waiting", 140 << 20, usual},
		{"a hundred thousand waiting", 1 << 30, sparing},
	} {
		if got := shareFor(c.alive); got != c.want {
			t.Errorf("%s: %d%%, want %d%%", c.what, got, c.want)
		}
	}
}

func TestACollectionAdjustsTheShare(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	Tune(ctx)
	share := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for deadline := time.Now().Add(time.Minute); ; {
		runtime.GC()
		if metrics.Read(share); share[0].Value.Uint64() > usual {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a small heap is collected as often as before")
		}
	}
}
