package collector

import (
	"context"
	"runtime"
	"testing"
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
