package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// trips counts the round trips of a client.
type trips struct{ n atomic.Int64 }

func (c *trips) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (c *trips) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}

func (c *trips) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}

// countedRedis returns a store on the server and a function that counts the round
// trips since its last call.
func countedRedis(t testing.TB, server *redistest.Server, layout Layout) (*Store, func() int64) {
	t.Helper()
	r := openRedis(t, Options{Addrs: []string{server.Addr}, Layout: layout})
	c := &trips{}
	r.conn.client.AddHook(c)
	return r, func() int64 { return c.n.Swap(0) }
}

func TestRedisRoundTrips(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	here, used := countedRedis(t, server, Layout{})
	there, usedThere := countedRedis(t, server, Layout{})
	ctx := t.Context()
	fixture.Must(t)(here.Create(ctx, fixture.Plain("a0"), fixture.Nothing))
	fixture.Must(t)(here.Change(ctx, "a0", fixture.Bump)) // This loads the scripts.
	used()

	step := func(what string, want int64, used func() int64, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := used(); got != want {
			t.Errorf("%s: %d round trips, want %d", what, got, want)
		}
	}
	step("create", 1, used, func() error { _, err := here.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour); return err })
	step("warm change", 1, used, func() error { _, err := here.Change(ctx, "a1", fixture.Bump); return err })
	step("cold change", 2, usedThere, func() error { _, err := there.Change(ctx, "a1", fixture.Bump); return err })
	step("warm change elsewhere", 1, usedThere, func() error { _, err := there.Change(ctx, "a1", fixture.Bump); return err })
	step("change after a change elsewhere", 2, used, func() error { _, err := here.Change(ctx, "a1", fixture.Bump); return err })
	step("warm again", 1, used, func() error { _, err := here.Change(ctx, "a1", fixture.Bump); return err })
	step("load", 1, used, func() error { _, err := here.Load(ctx, "a1"); return err })
	step("nothing to do", 1, used, func() error {
		_, err := here.Change(ctx, "a1", func(*record.Record, time.Time) error { return storage.ErrUnchanged })
		if !errors.Is(err, storage.ErrUnchanged) {
			return fmt.Errorf("got %w", err)
		}
		return nil
	})
	step("nothing due", 1, used, func() error { _, err := here.Due(ctx, 100); return err })
	step("no delivery due", 1, used, func() error { _, err := here.Claim(ctx, time.Minute, 100); return err })
	step("page of a scan", 2, used, func() error { _, err := here.Scan(ctx, storage.Scan{Limit: 1}); return err })

	for i := range 20 {
		fixture.Must(t)(here.Create(ctx, fixture.Plain(fmt.Sprintf("%c9", 'a'+i%16)+fmt.Sprint(i)), func(r *record.Record, now time.Time) error {
			r.Due, r.DeliveryDue = now, now
			return nil
		}))
	}
	used()
	step("many due", 1, used, func() error { _, err := here.Due(ctx, 100); return err })
	step("many deliveries due", 2, used, func() error { _, err := here.Claim(ctx, time.Minute, 100); return err })
}

func TestRedisCacheIsLimited(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r, used := countedRedis(t, server, Layout{Recent: 2})
	for _, id := range []string{"a0", "a1", "a2", "a3"} {
		fixture.Must(t)(r.Create(t.Context(), fixture.Plain(id), fixture.Nothing))
	}
	fixture.Must(t)(r.Change(t.Context(), "a2", fixture.Bump))
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a4"), fixture.Nothing)) // a2 was used after a3.
	used()
	for _, step := range []struct {
		id   string
		want int64
	}{{"a2", 1}, {"a4", 1}, {"a3", 2}} {
		fixture.Must(t)(r.Change(t.Context(), step.id, fixture.Bump))
		if got := used(); got != step.want {
			t.Errorf("%s: %d round trips, want %d", step.id, got, step.want)
		}
	}
}

func TestRedisCachesOnlyOpenRecords(t *testing.T) {
	t.Parallel()
	r, _ := countedRedis(t, redistest.Start(t), Layout{})
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a0"), fixture.DueInAnHour))
	for _, step := range []struct {
		what   string
		do     record.Transition
		cached bool
	}{
		{"open", fixture.Bump, true},
		{"ended, delivery due", func(rec *record.Record, now time.Time) error {
			err := fixture.Finish(rec, now)
			rec.DeliveryDue = now.Add(time.Minute)
			return err
		}, true},
		{"ended and delivered", func(rec *record.Record, _ time.Time) error {
			rec.DeliveryDue = time.Time{}
			return nil
		}, false},
	} {
		fixture.Must(t)(r.Change(t.Context(), "a0", step.do))
		if got := r.records.recent.get("a0") != nil; got != step.cached {
			t.Errorf("%s: cached is %v, want %v", step.what, got, step.cached)
		}
	}
	if fixture.Must(t)(r.Load(t.Context(), "a0")); r.records.recent.get("a0") != nil {
		t.Error("a load cached a record that has ended")
	}
}

// usedMemory returns the memory that a server uses for its data.
func usedMemory(t testing.TB, server *redistest.Server) (n int64) {
	t.Helper()
	for line := range strings.Lines(server.Do("INFO", "memory")) {
		if _, err := fmt.Sscanf(line, "used_memory_dataset:%d", &n); err == nil {
			return n
		}
	}
	t.Fatal("no used_memory_dataset")
	return 0
}

func TestRedisMemoryPerOpenRequest(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	const n, most = 4000, 1200
	before := usedMemory(t, server)
	for i := range n {
		fixture.Must(t)(r.Create(t.Context(), fixture.Plain(fmt.Sprintf("%c%026d", 'a'+i%16, i)), fixture.DueInAnHour))
	}
	_, json, _ := strings.Cut(server.Do("GET", "ab:{p00}:r:"+fmt.Sprintf("a%026d", 0)), "{")
	data := len(json) + 1
	each := (usedMemory(t, server) - before) / n
	t.Logf("%d bytes each, %d of them JSON", each, data)
	if each > most {
		t.Errorf("%d bytes for each open request, %d of them JSON; want at most %d", each, data, most)
	}
}

// upkeep lists the commands of connections and of the test itself.
var upkeep = []string{"info", "ping", "hello", "client|setname"}

// commands returns a function that counts commands since its last call, including those in scripts.
func commands(t testing.TB, server *redistest.Server) func() (total int, each map[string]int) {
	t.Helper()
	before := map[string]int{}
	return func() (total int, each map[string]int) {
		each = map[string]int{}
		for line := range strings.Lines(server.Do("INFO", "commandstats")) {
			name, rest, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":")
			var n int
			if _, err := fmt.Sscanf(rest, "calls=%d", &n); err != nil || slices.Contains(upkeep, name) {
				continue
			}
			if n > before[name] {
				each[name], total = n-before[name], total+n-before[name]
			}
			before[name] = n
		}
		return total, each
	}
}

// watched keeps a watch on the store until the test ends, as a bridge does.
func watched(t testing.TB, r *Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	notified, ended := make(chan struct{}, 100), make(chan error, 1)
	go func() { ended <- r.Watch(ctx, func(record.Notification) { notified <- struct{}{} }) }()
	<-notified
	go func() {
		for range notified {
		}
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("watch: %v", err)
		}
		close(notified)
	})
}

func TestRedisCostPerRequest(t *testing.T) {
	t.Parallel()
	const most = 10
	server := redistest.Start(t)
	one, trips := countedRedis(t, server, Layout{})
	watched(t, one)
	fixture.Life(t, one, one, "a0", true) // This loads the scripts.
	used := commands(t, server)
	for _, c := range []struct {
		name            string
		update          bool
		trips, commands int
	}{
		{"Slack", true, 4, most},
		{"Discord", false, 3, 8},
	} {
		used()
		trips()
		fixture.Life(t, one, one, "a"+c.name, c.update)
		total, each := used()
		if n := int(trips()); n != c.trips || total > c.commands {
			t.Errorf("%s: %d trips and %d commands %v, want %d and at most %d", c.name, n, total, each, c.trips, c.commands)
		}
	}
	used()
	for range 10 {
		if _, err := one.Due(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		if _, err := one.Claim(t.Context(), time.Minute, 100); err != nil {
			t.Fatal(err)
		}
	}
	if due, each := used(); due > 10*4+10 {
		t.Errorf("20 sweeps with nothing due: %d commands %v, want two each and a few once", due, each)
	}

	// A second bridge costs a notification with each write.
	two, _ := countedRedis(t, server, Layout{})
	watched(t, two)
	fixture.WaitFor(t, "the first bridge to notice the second", func() bool { return !one.notifier.alone.Load() })
	used()
	fixture.Life(t, one, two, "a2", true)
	if total, each := used(); total > most+4+2 || each["publish"] != 4 {
		t.Errorf("across two bridges: %d commands %v, want 4 notifications and 2 commands for a cold click in addition", total, each)
	}
}

func TestRedisCostPerDueRequest(t *testing.T) {
	t.Parallel()
	const many, most = 100, 15
	server := redistest.Start(t)
	owner := openRedis(t, Options{Addrs: []string{server.Addr}})
	sweeper := openRedis(t, Options{Addrs: []string{server.Addr}})
	for i := range many {
		fixture.Must(t)(owner.Create(t.Context(), fixture.Plain(fmt.Sprint("a", i)), func(r *record.Record, now time.Time) error {
			r.Deadline, r.Due = now, now
			return nil
		}))
	}
	used := commands(t, server)
	used()
	batch, err := sweeper.Due(t.Context(), many)
	if err != nil || len(batch.IDs) != many {
		t.Fatalf("%d are due, %v", len(batch.IDs), err)
	}
	for _, id := range batch.IDs {
		fixture.Must(t)(sweeper.Change(t.Context(), id, func(r *record.Record, now time.Time) error {
			err := fixture.Finish(r, now)
			r.DeliveryDue = now
			return err
		}))
		fixture.Must(t)(sweeper.Change(t.Context(), id, func(r *record.Record, _ time.Time) error { r.DeliveryDue = time.Time{}; return nil }))
	}
	if _, err := sweeper.Claim(t.Context(), time.Minute, many); err != nil {
		t.Fatal(err)
	}
	if total, each := used(); total > many*most {
		t.Errorf("%d commands for %d due requests %v, want at most %d each", total, many, each, most)
	} else {
		t.Logf("%.1f commands for each due request: %v", float64(total)/many, each)
	}
}
