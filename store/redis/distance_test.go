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

// Each click waited for the round trip of another one and then for its own, so a single click was stored in
// time, but 24 concurrent ones were not.
func TestConcurrentClicksWithDistantRedis(t *testing.T) {
	t.Parallel()
	p := startProxy(t, redistest.Start(t).Addr)
	r := openRedis(t, Options{Addrs: []string{p.addr}})
	const clicks, latency, budget = 24, 900 * time.Millisecond, 1500 * time.Millisecond
	for n := range clicks {
		fixture.Must(t)(r.Create(t.Context(), fixture.Plain(fmt.Sprint("a", n)), fixture.DueInAnHour))
	}
	fixture.Must(t)(r.Change(t.Context(), "a0", fixture.Bump)) // This loads the script.
	p.delay.Store(int64(latency))
	var all sync.WaitGroup
	begin := make(chan struct{})
	for n := range clicks {
		all.Go(func() {
			<-begin
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			defer cancel()
			if _, err := r.Change(ctx, fmt.Sprint("a", n), answered); err != nil {
				t.Errorf("click %d: %v", n, err)
			}
		})
	}
	close(begin)
	all.Wait()
}
