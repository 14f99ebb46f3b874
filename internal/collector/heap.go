package collector

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// heapRoom is how much the program may allocate between two collections while
// little of its heap is alive.
const heapRoom = 128 << 20

// usual is the share of what is alive, in percent, that Go lets a program
// allocate before it collects again (https://go.dev/doc/gc-guide#GOGC).
const usual = 100

// A heap with more alive than this belongs to agents that wait, some ten
// thousand or more. They make little garbage, and leaving as much room for it as
// they take themselves would double their memory.
const (
	crowdAlive = 256 << 20
	sparing    = 25
)

// Tune sets the pace until ctx ends: it lets the program run longer between two
// collections while its heap is small, and gives memory back to the system once
// there has been nothing to do for a minute. A busy bridge has a few MiB alive, and by the usual share Go
// would collect them some twenty times a second, at a fifth of its processor
// time. A heap of more than 128 MiB is collected as usual, one of more than 256 MiB
// sooner; an idle one is collected every two minutes all the same. Whoever sets
// GOGC or GOMEMLIMIT has decided about the share, and it stays as it is.
func Tune(ctx context.Context) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		after(&heap{share: usual})
	}
	giveBack(ctx)
}

// heap is what the last collection came to.
type heap struct{ share int }

// after adjusts the share after each collection, which it notices by the loss
// of something that nobody holds.
func after(h *heap) {
	runtime.AddCleanup(&struct{ self *heap }{h}, func(h *heap) {
		h.adjust()
		after(h)
	}, h)
}

// adjust sets the share, for which the program stands still a moment, when it
// is off by a fifth.
func (h *heap) adjust() {
	alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(alive)
	var sum uint64
	for _, a := range alive {
		sum += a.Value.Uint64()
	}
	if share := shareFor(sum); share > h.share*6/5 || share < h.share*4/5 {
		h.share = share
		debug.SetGCPercent(share)
	}
}

// shareFor returns the share that leaves enough room beside what is alive.
func shareFor(alive uint64) int {
	if alive >= crowdAlive {
		return sparing
	}
	return max(usual, int(usual*heapRoom/max(alive, 1<<20)))
}
