package redis

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// Presses waited for somebody else's round trip and then for their own, so one alone was
// stored in time and 24 at once were not.
func TestConcurrentClicksWithDistantRedis(t *testing.T) {
	t.Parallel()
	p := startProxy(t, redistest.Start(t).Addr)
	r := openRedis(t, Options{Addrs: []string{p.addr}})
	const presses, away, budget = 24, 900 * time.Millisecond, 1500 * time.Millisecond
	for n := range presses {
		fixture.Must(t)(r.Create(t.Context(), fixture.Plain(fmt.Sprint("a", n)), fixture.DueInAnHour))
	}
	fixture.Must(t)(r.Change(t.Context(), "a0", fixture.Bump)) // The script is known from here on.
	p.delay.Store(int64(away))
	var all sync.WaitGroup
	for n := range presses {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			defer cancel()
			if _, err := r.Change(ctx, fmt.Sprint("a", n), answered); err != nil {
				t.Errorf("press %d: %v", n, err)
			}
		})
	}
	all.Wait()
}
