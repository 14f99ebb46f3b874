package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

// world runs the same operations on every store at the same time of day.
type fixture struct {
	names  []string
	stores []bridge.Store
	now    time.Time
	set    func(time.Time)
}

func newFixture(t *testing.T, path string) *fixture {
	t.Helper()
	w := &fixture{now: time.UnixMilli(1_795_000_000_000).UTC()}
	here := func() time.Time { return w.now }

	memory := NewMemory()
	memory.now = here

	file := openFile(t, path)
	file.now, file.db.NoSync = here, true

	server, _ := mini(t)
	server.SetTime(w.now)
	still := w.now
	redis := openRedis(t, RedisOptions{Addrs: []string{server.Addr()}, RedisLayout: RedisLayout{Recent: 3}})
	redis.server.here = func() time.Time { return still }
	redis.server.learn(toMicros(w.now))
	trusts(t, redis)

	w.names = []string{"memory", "file", "redis"}
	w.stores = []bridge.Store{memory, file, redis}
	w.set = func(now time.Time) {
		server.SetTime(now)
		server.FastForward(now.Sub(w.now))
		w.now = now
	}
	return w
}

// agree runs op on every store and fails unless all say what the first one says.
func (w *fixture) agree(t *rapid.T, op func(bridge.Store) (any, error)) {
	t.Helper()
	var first string
	for i, s := range w.stores {
		result, err := op(s)
		said := fmt.Sprintf("%+v, %s", result, kind(err))
		if i == 0 {
			first = said
		} else if said != first {
			t.Fatalf("%s says\n%s\n%s says\n%s (%v)", w.names[0], first, w.names[i], said, err)
		}
	}
}

var errNo = errors.New("no")

func kind(err error) string {
	for _, known := range []error{bridge.ErrNotFound, bridge.ErrExists, bridge.ErrUnchanged, errNo} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprint(err)
}

// transitions are what random changes do. Ended records stay ended, so that
// nothing is left in an index when their time is over.
var transitions = map[string]func(r *bridge.Record, now time.Time, d time.Duration) error{
	"due": func(r *bridge.Record, now time.Time, d time.Duration) error {
		r.Due = now.Add(d)
		return nil
	},
	"deadline": func(r *bridge.Record, now time.Time, d time.Duration) error {
		r.Deadline, r.Due = now.Add(d), now.Add(d)
		return nil
	},
	"forever": func(r *bridge.Record, _ time.Time, _ time.Duration) error {
		r.Deadline, r.Due = time.Time{}, bridge.Forever
		return nil
	},
	"lag": func(r *bridge.Record, now time.Time, d time.Duration) error {
		r.DeliveryDue = now.Add(d)
		return nil
	},
	"done": func(r *bridge.Record, _ time.Time, _ time.Duration) error {
		r.DeliveryDue = time.Time{}
		return nil
	},
	"draft": func(r *bridge.Record, now time.Time, _ time.Duration) error {
		if r.Deadline.IsZero() || now.Before(r.Deadline) {
			r.Drafts = map[string]ask.Draft{"discord": {0: {Other: "in time", Order: r.Version}}}
			return nil
		}
		return finish(r, now)
	},
	"expire": func(r *bridge.Record, now time.Time, _ time.Duration) error {
		if now.Before(r.Due) {
			return bridge.ErrUnchanged
		}
		return finish(r, now)
	},
	"end":     func(r *bridge.Record, now time.Time, _ time.Duration) error { return finish(r, now) },
	"nothing": func(*bridge.Record, time.Time, time.Duration) error { return bridge.ErrUnchanged },
	"refuse":  func(*bridge.Record, time.Time, time.Duration) error { return errNo },
}

func finish(r *bridge.Record, now time.Time) error {
	r.Outcome = ask.Outcome{State: ask.Expired, At: now}
	r.Due, r.DeliveryDue, r.EndedAt = time.Time{}, time.Time{}, now
	return nil
}

func TestStoresAgree(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		w := newFixture(t, filepath.Join(dir, fmt.Sprint(n)))
		ctx := context.Background()
		id := rapid.SampledFrom([]string{"a1", "a2", "b1", "p1", "Zz", "ü"})
		span := rapid.Map(rapid.IntRange(-20, 20), func(n int) time.Duration { return time.Duration(n) * 3 * time.Second })
		limit := rapid.IntRange(1, 5)
		tenant := rapid.SampledFrom([]string{"a", "Z", "ü", "nobody"})

		change := func(rt *rapid.T) bridge.Transition {
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(transitions))).Draw(rt, "transition")
			d := span.Draw(rt, "span")
			return func(r *bridge.Record, now time.Time) error {
				if !r.EndedAt.IsZero() {
					return errNo
				}
				return transitions[name](r, now, d)
			}
		}
		// A bridge sweeps every few seconds, which tells it the server's time.
		sweep := func(rt *rapid.T) {
			w.agree(rt, func(s bridge.Store) (any, error) { return s.Due(ctx, 1) })
		}
		rt.Repeat(map[string]func(*rapid.T){
			"create": func(rt *rapid.T) {
				id, f := id.Draw(rt, "id"), change(rt)
				w.agree(rt, func(s bridge.Store) (any, error) { return s.Create(ctx, owned(id, string([]rune(id)[:1])), f) })
			},
			"change": func(rt *rapid.T) {
				id, f := id.Draw(rt, "id"), change(rt)
				w.agree(rt, func(s bridge.Store) (any, error) { return s.Change(ctx, id, f) })
			},
			"load": func(rt *rapid.T) {
				id := id.Draw(rt, "id")
				w.agree(rt, func(s bridge.Store) (any, error) { return s.Load(ctx, id) })
			},
			"due": func(rt *rapid.T) {
				limit := limit.Draw(rt, "limit")
				w.agree(rt, func(s bridge.Store) (any, error) { return s.Due(ctx, limit) })
			},
			"claim": func(rt *rapid.T) {
				limit, lease := limit.Draw(rt, "limit"), span.Draw(rt, "lease").Abs()
				w.agree(rt, func(s bridge.Store) (any, error) { return s.Claim(ctx, lease, limit) })
			},
			"scan": func(rt *rapid.T) {
				q := bridge.Scan{Ended: rapid.Bool().Draw(rt, "ended"), Limit: limit.Draw(rt, "limit")}
				if rapid.Bool().Draw(rt, "resume") {
					q.From, q.After = w.now.Add(span.Draw(rt, "from")), id.Draw(rt, "after")
				}
				if rapid.Bool().Draw(rt, "of a tenant") {
					tenant := tenant.Draw(rt, "tenant")
					q.Tenant = &tenant
				}
				w.agree(rt, func(s bridge.Store) (any, error) { return s.Scan(ctx, q) })
			},
			"count": func(rt *rapid.T) {
				tenant := tenant.Draw(rt, "tenant")
				w.agree(rt, func(s bridge.Store) (any, error) { return s.Count(ctx, tenant) })
			},
			// A step is longer than the imprecision that Redis allows us, so that
			// every store writes the same times.
			"wait": func(rt *rapid.T) {
				w.set(w.now.Add(time.Duration(rapid.IntRange(1, 10).Draw(rt, "steps")) * 3 * time.Second))
				sweep(rt)
			},
			"wait for days": func(rt *rapid.T) {
				w.set(w.now.Add(time.Duration(rapid.IntRange(1, 5).Draw(rt, "days")) * 48 * time.Hour))
				sweep(rt)
			},
		})
	})
}
