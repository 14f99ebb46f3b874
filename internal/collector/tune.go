package collector

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// ballastSize is how much more than its live heap the program may allocate between two collections.
	ballastSize = 24 << 20
	// interval is how often Tune checks for memory to release.
	interval = 5 * time.Second
	// idleAlloc is the most that an idle program allocates per interval. A thousand agents that ask again each minute stay below it.
	idleAlloc = 4 << 20
	// worthwhile is the least unused memory that is worth a collection.
	worthwhile = 16 << 20
)

// Tune runs until ctx ends. It holds a ballast: memory that is never touched, so the system does not provide it, but
// that counts as live heap. Without it a busy bridge, with a live heap of a few MiB, is collected about twenty times a second
// (https://go.dev/doc/gc-guide#GOGC). There is no ballast if GOGC or GOMEMLIMIT is set.
//
// Tune also returns unused memory to the system once the program is idle: agents that start to wait leave garbage that
// Go would keep for minutes.
func Tune(ctx context.Context) {
	var ballast []byte
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		ballast = make([]byte, ballastSize)
	}
	defer runtime.KeepAlive(&ballast)
	check := time.NewTicker(interval)
	defer check.Stop()
	for last := read(); ; {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
		}
		now := read()
		if now.idleSince(last) && now.unused() >= worthwhile {
			debug.FreeOSMemory()
			now = read()
		}
		last = now
	}
}

// memory is the state of the heap, in bytes.
type memory struct{ allocated, objects, live, free uint64 }

func read() memory {
	s := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(s)
	return memory{s[0].Value.Uint64(), s[1].Value.Uint64(), s[2].Value.Uint64(), s[3].Value.Uint64()}
}

// idleSince reports whether the program did almost nothing since before.
func (m memory) idleSince(before memory) bool { return m.allocated-before.allocated < idleAlloc }

// unused is the memory that a collection could return to the system: free spans, and objects allocated since the last
// collection.
func (m memory) unused() uint64 { return m.free + m.objects - min(m.objects, m.live) }
