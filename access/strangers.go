package access

import (
	"hash/maphash"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// strangerPause is how often somebody without a known token is heard, after
	// the first strangerBurst times.
	strangerPause = 3 * time.Second
	strangerBurst = 20
	// strangerSlots is how many places strangers are counted by. Several share
	// one, so that no number of places takes more memory.
	strangerSlots = 1024
)

// strangers counts failed attempts by where they come from.
type strangers struct {
	seed maphash.Seed

	mu    sync.Mutex
	slots map[uint64]*rate.Limiter
}

func newStrangers() *strangers {
	return &strangers{seed: maphash.MakeSeed(), slots: map[uint64]*rate.Limiter{}}
}

// come counts an attempt. It returns how long the next ones are not heard, zero
// when this one is.
func (s *strangers) come(from string) time.Duration {
	slot := maphash.String(s.seed, from) % strangerSlots
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.slots[slot]
	if l == nil {
		l = rate.NewLimiter(rate.Every(strangerPause), strangerBurst)
		s.slots[slot] = l
	}
	return delay(l)
}

// delay takes one from the limiter, or returns how long there is none.
func delay(l *rate.Limiter) time.Duration {
	r := l.Reserve()
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait
}
