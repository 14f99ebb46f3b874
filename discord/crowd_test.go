package discord

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/platform"
)

// Edits of one channel that were due together left at once, and most of them got a 429.
func TestConcurrentEditsAreLimited(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ limit, crowd, want int }{
		"two are due, and there is room":     {5, 2, 2},
		"sixty are due, and five are taken":  {5, 60, 5},
		"sixty are due, and eight are taken": {8, 60, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				calls := 0
				c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					calls++
					left := tc.limit - calls
					mu.Unlock()
					time.Sleep(100 * time.Millisecond)
					if left < 0 {
						return replying(429, `{"message":"limited","retry_after":5}`)(r)
					}
					return replying(200, posted, "X-RateLimit-Limit", strconv.Itoa(tc.limit), "X-RateLimit-Remaining", strconv.Itoa(left), "X-RateLimit-Reset-After", "5")(r)
				})
				d := &desk{t: t, c: c}
				began := time.Now()
				var all sync.WaitGroup
				for range tc.crowd {
					all.Go(func() { d.update() })
				}
				all.Wait()
				if calls != tc.want {
					t.Errorf("%d calls were made, want %d", calls, tc.want)
				}
				if took := time.Since(began); took > 500*time.Millisecond {
					t.Errorf("they took %v", took)
				}
			})
		})
	}
}

func TestEditsBehindHangingCallsAreDeferred(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := offline(t, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		d := &desk{t: t, c: c}
		began := time.Now()
		var all sync.WaitGroup
		for range 60 {
			all.Go(func() {
				if e := d.update(); e == nil || e.Kind != platform.Transient && e.Kind != platform.RateLimited {
					t.Errorf("Update = %v", e)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took > 2*callTimeout+time.Second {
			t.Errorf("they took %v", took)
		}
	})
}
