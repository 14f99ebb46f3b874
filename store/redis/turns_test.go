package redis

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/fixture"
)

// taken returns the number of records that are being changed.
func (t *turns) taken() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.last)
}

func TestChangeWaitsForPreviousOne(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		id    string
		ends  time.Duration // When the previous change ends.
		gives time.Duration // When the caller gives up.
		waits time.Duration
	}{
		{"until it ends", "a", 3 * time.Millisecond, time.Minute, 3 * time.Millisecond},
		{"for some round trips, if it hangs", "a", time.Minute, time.Minute, turnPatience},
		{"no longer than its caller", "a", time.Minute, 5 * time.Millisecond, 5 * time.Millisecond},
		{"not at all for another record", "b", time.Minute, time.Minute, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var all turns
				time.AfterFunc(tc.ends, all.take(t.Context(), "a"))
				ctx, cancel := context.WithTimeout(t.Context(), tc.gives)
				defer cancel()
				began := time.Now()
				leave := all.take(ctx, tc.id)
				if got := time.Since(began); got != tc.waits {
					t.Errorf("it waited %s, want %s", got, tc.waits)
				}
				leave()
				time.Sleep(2 * time.Minute)
				if n := all.taken(); n != 0 {
					t.Errorf("%d turns remain after all changes ended", n)
				}
			})
		})
	}
}

func TestChangeTakesTurn(t *testing.T) {
	t.Parallel()
	r := openRedis(t, Options{Addrs: []string{miniredis.RunT(t).Addr()}})
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
	fixture.Must(t)(r.Change(t.Context(), "a1", func(rec *record.Record, now time.Time) error {
		if r.records.turns.taken() == 0 {
			t.Error("the next change of the record would not wait for this one")
		}
		return fixture.Bump(rec, now)
	}))
}
