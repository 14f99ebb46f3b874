package collector

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// memoryLook is how often it is seen whether memory can be given back.
	memoryLook = 5 * time.Second
	// littleWork is how much a program allocates meanwhile that has nothing to do.
	littleWork = 1 << 20
	// muchMemory is how much must be free, or be free after a collection, to be
	// worth one.
	muchMemory = 32 << 20
	// longIdle is for how long a program must have had nothing to do until so much is given
	// back; for twice as much half as long is enough. What is given back has to be taken again,
	// page by page, by those who ask next.
	longIdle = time.Minute
)

// giveBack gives memory back to the system once the program has nothing to
// do, until ctx ends. When thousands of agents come to wait within seconds, all
// of them need buffers and stacks at once that nobody needs while they wait; Go
// would keep most of it for minutes.
func giveBack(ctx context.Context) {
	look := time.NewTicker(memoryLook)
	defer look.Stop()
	var idle time.Duration
	for before := memoryNow(); ; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		now := memoryNow()
		if idle += memoryLook; !now.idleSince(before) {
			idle = 0
		}
		if worthIt(now.spare(), idle) {
			debug.FreeOSMemory()
			now = memoryNow()
		}
		before = now
	}
}

// worthIt reports whether so much that is spare is to be given back after having had nothing
// to do for so long.
func worthIt(spare uint64, idle time.Duration) bool {
	return spare >= muchMemory && float64(spare)*idle.Seconds() >= muchMemory*longIdle.Seconds()
}

// memory is what the runtime tells of its heap, in bytes.
type memory struct{ allocated, objects, alive, free uint64 }

func memoryNow() memory {
	told := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(told)
	return memory{told[0].Value.Uint64(), told[1].Value.Uint64(), told[2].Value.Uint64(), told[3].Value.Uint64()}
}

// idleSince reports whether there was nothing to do.
func (m memory) idleSince(before memory) bool { return m.allocated-before.allocated < littleWork }

// spare is what the system could have: what is free, and what came since the
// last collection and may be garbage by now.
func (m memory) spare() uint64 { return m.free + m.objects - min(m.objects, m.alive) }
