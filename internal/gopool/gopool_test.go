package gopool

import (
	"sync"
	"testing"
	"testing/synctest"
)

func TestAGoroutineIsUsedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		p := New(closed)
		for range 3 {
			ran := false
			p.Go(func() { ran = true })
			synctest.Wait()
			if rest := len(p.places); !ran || rest != 1 {
				t.Errorf("it ran: %t, and %d rest", ran, rest)
			}
		}
		close(closed) // A goroutine that stays on fails the test.
	})
}

func TestEverythingRunsAtOnceHoweverMuchThereIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		p := New(closed)
		const all = resting + 10
		var met, ended sync.WaitGroup
		met.Add(all)
		ended.Add(all)
		for range all {
			p.Go(func() {
				defer ended.Done()
				met.Done()
				met.Wait()
			})
		}
		ended.Wait()
		synctest.Wait()
		if len(p.places) != resting {
			t.Errorf("%d rest", len(p.places))
		}
		close(closed)
	})
}

func TestItRunsWhatComesAfterItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		close(closed)
		p, ran := New(closed), 0
		for range 2 {
			p.Go(func() { ran++ })
			synctest.Wait()
		}
		if ran != 2 {
			t.Errorf("%d ran", ran)
		}
	})
}

func BenchmarkAStackThatHasGrown(b *testing.B) {
	for name, start := range map[string]func(func()){
		"a new goroutine each time": func(f func()) { go f() },
		"used again":                New(b.Context().Done()).Go,
	} {
		b.Run(name, func(b *testing.B) {
			done := make(chan int)
			for b.Loop() {
				start(func() { done <- deep(60) })
				<-done
			}
		})
	}
}

// deep uses about 16 KiB of stack.
func deep(n int) int {
	var room [256]byte
	if n == 0 {
		return 0
	}
	room[n] = 1
	return deep(n-1) + int(room[n])
}
