package access

import (
	"hash/maphash"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/askbridge/askbridge/internal/ratelimit"
)

const (
	// An address without a valid token may call strangerBurst times at once, then every strangerPause.
	strangerPause = 3 * time.Second
	strangerBurst = 20
	// strangerSlots is the number of counters. Addresses share them, so that memory is bounded.
	strangerSlots = 1024
)

// strangers limits failed attempts by address.
type strangers struct {
	seed maphash.Seed

	mu    sync.Mutex
	slots map[uint64]*rate.Limiter
}

func newStrangers() *strangers {
	return &strangers{seed: maphash.MakeSeed(), slots: map[uint64]*rate.Limiter{}}
}

// count counts an attempt. It returns zero, or how long further attempts from the address are rejected.
func (s *strangers) count(from string) time.Duration {
	slot := maphash.String(s.seed, from) % strangerSlots
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.slots[slot]
	if l == nil {
		l = rate.NewLimiter(rate.Every(strangerPause), strangerBurst)
		s.slots[slot] = l
	}
	return ratelimit.Take(l)
}
