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
	// A collection under way may have marked more alive than there is by now.
	if spare := (memory{objects: 1, alive: 2, free: 3}).spare(); spare != 3 {
		t.Errorf("%d bytes are spare", spare)
	}
}

func TestMemoryIsKeptForTheNextBurstUnlessItWasNeededByThoseWhoWait(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		alive, spare uint64
		want         time.Duration // Zero is never.
	}{
		{0, 31 << 20, 0},
		{0, 32 << 20, longIdle},
		{0, 1 << 30, longIdle},
		{waitersAlive - 1, 32 << 20, longIdle},
		{waitersAlive, 32 << 20, memoryLook},
		{waitersAlive, 31 << 20, 0},
	} {
		rests := memory{allocated: 1, alive: test.alive, free: test.spare}
		p := pause{last: rests, idle: 10 * time.Minute}
		works := rests
		works.allocated += littleWork
		if p.look(works) {
			t.Errorf("%d MiB are given back though there was something to do", test.spare>>20)
		}
		rests = works
		var got time.Duration
		for idle := memoryLook; idle <= 2*longIdle && got == 0; idle += memoryLook {
			if p.look(rests) {
				got = idle
			}
		}
		if got != test.want {
			t.Errorf("%d MiB are given back after %s, want %s", test.spare>>20, got, test.want)
		}
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
