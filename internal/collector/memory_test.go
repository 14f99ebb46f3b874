package collector

import (
	"context"
	"runtime"
	"testing"
	"time"
)

func TestMemoryIsGivenBackOnlyWhenThereIsMuchAndNothingToDo(t *testing.T) {
	t.Parallel()
	idle := memory{allocated: 1000 << 20, objects: 60 << 20, alive: 50 << 20, free: 30 << 20}
	busy := idle
	busy.allocated += 5 << 20
	if spare := idle.spare(); spare != 40<<20 {
		t.Errorf("%d bytes are spare", spare)
	}
	if !idle.idleSince(idle) || busy.idleSince(idle) {
		t.Error("idle and busy are not told apart")
	}
	for _, test := range []struct {
		spare uint64
		idle  time.Duration
		want  bool
	}{
		{31 << 20, time.Hour, false},
		{32 << 20, 55 * time.Second, false}, {32 << 20, time.Minute, true},
		{128 << 20, 10 * time.Second, false}, {128 << 20, 15 * time.Second, true},
		{1 << 30, 0, false}, {1 << 30, memoryLook, true},
	} {
		if got := worthIt(test.spare, test.idle); got != test.want {
			t.Errorf("%d MiB after %s of nothing to do: given back is %t", test.spare>>20, test.idle, got)
		}
	}
	// A collection under way may have marked more alive than there is by now.
	if spare := (memory{objects: 1, alive: 2, free: 3}).spare(); spare != 3 {
		t.Errorf("%d bytes are spare", spare)
	}
}

func TestTheRuntimeTellsOfItsMemory(t *testing.T) {
	t.Parallel()
	before := memoryNow()
	kept := make([]byte, muchMemory)
	now := memoryNow()
	if now.idleSince(before) {
		t.Errorf("allocating %d bytes is not seen: %+v, then %+v", muchMemory, before, now)
	}
	runtime.KeepAlive(kept)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	giveBack(ctx) // It ends with its context.
}
