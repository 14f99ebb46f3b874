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
	// waitersAlive is more than a busy bridge has alive. It belongs to agents that wait, who will
	// not take again what they needed before they did, so a first look is enough.
	waitersAlive = 32 << 20
	// longIdle is for how long a program with less alive must have had nothing to do. What is given
	// back has to be taken again, page by page, by those who ask next.
	longIdle = time.Minute
)

// giveBack gives memory back to the system once the program has nothing to
// do, until ctx ends. When thousands of agents come to wait within seconds, all
// of them need buffers and stacks at once that nobody needs while they wait; Go
// would keep most of it for minutes.
func giveBack(ctx context.Context) {
	look := time.NewTicker(memoryLook)
	defer look.Stop()
	for p := (pause{last: memoryNow()}); ; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if p.look(memoryNow()) {
			debug.FreeOSMemory()
			p.last = memoryNow()
		}
	}
}

// pause is for how long there has been nothing to do, up to the last look.
type pause struct {
	last memory
	idle time.Duration
}

// look takes note of the memory as it is one memoryLook later, and reports whether it is to be given back.
func (p *pause) look(now memory) bool {
	if p.idle += memoryLook; !now.idleSince(p.last) {
		p.idle = 0
	}
	p.last = now
	if p.idle == 0 || now.spare() < muchMemory {
		return false
	}
	return now.alive >= waitersAlive || p.idle >= longIdle
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
