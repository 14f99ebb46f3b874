package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/redistest"
)

// trips counts the round trips of a client.
type trips struct{ n atomic.Int64 }

func (c *trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}

func (c *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}

// count returns a store on the server and a function that tells how many round
// trips there were since the last call.
func countedRedis(t testing.TB, server *redistest.Server, layout RedisLayout) (*Redis, func() int64) {
	t.Helper()
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}, RedisLayout: layout})
	c := &trips{}
	r.client.AddHook(c)
	return r, func() int64 { return c.n.Swap(0) }
}

func bump(r *bridge.Record, _ time.Time) error {
	r.Face++
	return nil
}

func dueInAnHour(r *bridge.Record, now time.Time) error {
	r.Deadline, r.Due = now.Add(time.Hour), now.Add(time.Hour)
	return nil
}

func must(t testing.TB) func(bridge.Record, error) bridge.Record {
	return func(r bridge.Record, err error) bridge.Record {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func TestRedisRoundTrips(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	here, used := countedRedis(t, server, RedisLayout{})
	there, usedThere := countedRedis(t, server, RedisLayout{})
	ctx := t.Context()
	must(t)(here.Create(ctx, plain("a0"), nothing)) // The scripts are known from here on.
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
	step("create", 1, used, func() error { _, err := here.Create(ctx, plain("a1"), dueInAnHour); return err })
	step("warm change", 1, used, func() error { _, err := here.Change(ctx, "a1", bump); return err })
	step("cold change", 2, usedThere, func() error { _, err := there.Change(ctx, "a1", bump); return err })
	step("warm change elsewhere", 1, usedThere, func() error { _, err := there.Change(ctx, "a1", bump); return err })
	step("change of what another has changed", 2, used, func() error { _, err := here.Change(ctx, "a1", bump); return err })
	step("warm again", 1, used, func() error { _, err := here.Change(ctx, "a1", bump); return err })
	step("load", 1, used, func() error { _, err := here.Load(ctx, "a1"); return err })
	step("nothing to do", 1, used, func() error {
		_, err := here.Change(ctx, "a1", func(*bridge.Record, time.Time) error { return bridge.ErrUnchanged })
		if !errors.Is(err, bridge.ErrUnchanged) {
			return fmt.Errorf("got %w", err)
		}
		return nil
	})
	step("nothing due", 1, used, func() error { _, err := here.Due(ctx, 100); return err })
	step("nothing lagging", 1, used, func() error { _, err := here.Claim(ctx, time.Minute, 100); return err })
	step("page of a scan", 2, used, func() error { _, err := here.Scan(ctx, bridge.Scan{Limit: 1}); return err })

	for i := range 20 {
		must(t)(here.Create(ctx, plain(fmt.Sprintf("%c9", 'a'+i%16)+fmt.Sprint(i)), func(r *bridge.Record, now time.Time) error {
			r.Due, r.Lagging = now, now
			return nil
		}))
	}
	used()
	step("much due", 2, used, func() error { _, err := here.Due(ctx, 100); return err })
	step("much lagging", 3, used, func() error { _, err := here.Claim(ctx, time.Minute, 100); return err })
}

func TestRedisForgetsNoMoreThanItMust(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r, used := countedRedis(t, server, RedisLayout{Recent: 2})
	for _, id := range []string{"a0", "a1", "a2", "a3"} {
		must(t)(r.Create(t.Context(), plain(id), nothing))
	}
	must(t)(r.Change(t.Context(), "a2", bump))
	must(t)(r.Create(t.Context(), plain("a4"), nothing)) // a2 was used after a3.
	used()
	for _, step := range []struct {
		id   string
		want int64
	}{{"a2", 1}, {"a4", 1}, {"a3", 2}} {
		must(t)(r.Change(t.Context(), step.id, bump))
		if got := used(); got != step.want {
			t.Errorf("%s: %d round trips, want %d", step.id, got, step.want)
		}
	}
}

func TestRedisLayout(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}, RedisLayout: RedisLayout{Retention: time.Hour}})
	ctx := t.Context()
	expect := func(what string, command string, want string) {
		t.Helper()
		if got := server.Do(strings.Fields(command)...); got != want {
			t.Errorf("%s: %s says %q, want %q", what, command, got, want)
		}
	}
	rec := must(t)(r.Create(ctx, plain("hxyz"), func(r *bridge.Record, now time.Time) error {
		r.Due, r.Lagging = bridge.Forever, now
		return nil
	}))
	got := strings.Fields(server.Do("KEYS", "*"))
	slices.Sort(got)
	equal(t, "keys", got, []string{"ab:meta", "ab:{p07}:due", "ab:{p07}:lagging", "ab:{p07}:r:hxyz"})
	expect("record", "HLEN ab:{p07}:r:hxyz", "2")
	if got := server.Do("HGET", "ab:{p07}:r:hxyz", "v"); !strings.HasPrefix(got, "1.") {
		t.Errorf("version: %q, want 1 and what tells this write from others", got)
	}
	expect("an open record stays for ever", "PTTL ab:{p07}:r:hxyz", "-1")
	expect("due", "ZRANGE ab:{p07}:due 0 -1 WITHSCORES", "hxyz\n2.533707648e+17")
	expect("lagging", "ZRANGE ab:{p07}:lagging 0 -1 WITHSCORES", fmt.Sprintf("hxyz\n%d", rec.Lagging.UnixMicro()))
	expect("meta", "HMGET ab:meta schema partitions", "1\n16")

	rec = must(t)(r.Change(ctx, "hxyz", finish))
	got = strings.Fields(server.Do("KEYS", "*"))
	slices.Sort(got)
	equal(t, "keys", got, []string{"ab:meta", "ab:{p07}:ended", "ab:{p07}:r:hxyz"})
	expect("ended", "ZRANGE ab:{p07}:ended 0 -1 WITHSCORES", fmt.Sprintf("hxyz\n%d", rec.EndedAt.UnixMicro()))
	expect("expiry", "PEXPIRETIME ab:{p07}:r:hxyz", fmt.Sprint(rec.EndedAt.Add(time.Hour).UnixMilli()))
	must(t)(r.Change(ctx, "hxyz", bump))
	expect("expiry after a later change", "PEXPIRETIME ab:{p07}:r:hxyz", fmt.Sprint(rec.EndedAt.Add(time.Hour).UnixMilli()))

	// Records of the same partition that ended long ago leave the index when
	// another one ends.
	server.Do("ZADD", "ab:{p07}:ended", "1000", "hold", fmt.Sprint(time.Now().Add(-50*time.Minute).UnixMicro()), "hnew")
	must(t)(r.Create(ctx, plain("h2"), nothing))
	must(t)(r.Change(ctx, "h2", finish))
	expect("trimmed", "ZRANGE ab:{p07}:ended 0 -1", "hnew\nhxyz\nh2")
}

func TestRedisRefusesAnotherLayout(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	_, err := OpenRedis(t.Context(), RedisOptions{Addrs: []string{server.Addr}, RedisLayout: RedisLayout{Partitions: 8}})
	if err == nil || !strings.Contains(err.Error(), "partitions 16") {
		t.Errorf("other number of partitions: %v", err)
	}
	openRedis(t, RedisOptions{Addrs: []string{server.Addr}, RedisLayout: RedisLayout{Prefix: "other", Partitions: 8}})
	server.Do("HSET", "ab:meta", "schema", "9")
	_, err = OpenRedis(t.Context(), RedisOptions{Addrs: []string{server.Addr}})
	if err == nil || !strings.Contains(err.Error(), "schema 9") {
		t.Errorf("newer schema: %v", err)
	}
	if _, err := NewRedis(nil, &RedisLayout{Partitions: 17}); err == nil {
		t.Error("17 partitions were accepted")
	}
}

func TestRedisScriptsComeBackAfterAFlush(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	must(t)(r.Create(t.Context(), plain("a1"), func(r *bridge.Record, now time.Time) error { r.Lagging = now; return nil }))
	server.Do("SCRIPT", "FLUSH")
	must(t)(r.Change(t.Context(), "a1", bump))
	server.Do("SCRIPT", "FLUSH")
	batch, err := r.Claim(t.Context(), time.Minute, 5)
	if err != nil || len(batch.IDs) != 1 {
		t.Errorf("claim: %+v, %v", batch, err)
	}
	server.Do("SCRIPT", "FLUSH")
	if found, err := r.Scan(t.Context(), bridge.Scan{Limit: 5}); err != nil || len(found) != 0 {
		t.Errorf("scan: %v, %v; want nothing, since no record is due", found, err)
	}
}

func TestRedisLeavesACallersClientOpen(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	r, err := NewRedis(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	must(t)(r.Create(t.Context(), plain("a1"), dueInAnHour)) // It asks for the time by itself.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	stands := make(chan struct{}, 8)
	go func() { ended <- r.Watch(ctx, func(string) { stands <- struct{}{} }) }()
	<-stands
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("watch: %v, want ErrClosed", err)
	}
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("the caller's client: %v", err)
	}
}

func TestRedisMemoryPerOpenRequest(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	used := func() int64 {
		var n int64
		for line := range strings.Lines(server.Do("INFO", "memory")) {
			if _, err := fmt.Sscanf(line, "used_memory_dataset:%d", &n); err == nil {
				return n
			}
		}
		t.Fatal("no used_memory_dataset")
		return 0
	}
	const n, most = 4000, 1200
	before := used()
	for i := range n {
		must(t)(r.Create(t.Context(), plain(fmt.Sprintf("%c%026d", 'a'+i%16, i)), dueInAnHour))
	}
	data := len(server.Do("HGET", "ab:{p00}:r:"+fmt.Sprintf("a%026d", 0), "data"))
	each := (used() - before) / n
	t.Logf("%d bytes each, %d of them JSON", each, data)
	if each > most {
		t.Errorf("%d bytes for each open request, %d of them JSON; want at most %d", each, data, most)
	}
}

func TestRedisCommandsOfALife(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	must(t)(r.Create(t.Context(), plain("a0"), nothing))
	calls := func() map[string]int {
		counted := map[string]int{}
		for line := range strings.Lines(server.Do("INFO", "commandstats")) {
			name, rest, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":")
			var n int
			if _, err := fmt.Sscanf(rest, "calls=%d", &n); err == nil && name != "info" {
				counted[name] = n
			}
		}
		return counted
	}
	before := calls()
	must(t)(r.Create(t.Context(), plain("a1"), func(r *bridge.Record, now time.Time) error {
		r.Lagging = now
		return dueInAnHour(r, now)
	}))
	done := func(r *bridge.Record, _ time.Time) error { r.Lagging = time.Time{}; return nil }
	must(t)(r.Change(t.Context(), "a1", done)) // Posted.
	must(t)(r.Change(t.Context(), "a1", func(r *bridge.Record, now time.Time) error {
		defer func() { r.Lagging = now }()
		return finish(r, now)
	})) // Clicked.
	must(t)(r.Change(t.Context(), "a1", done)) // Repainted.
	total, used := 0, map[string]int{}
	for name, n := range calls() {
		if n -= before[name]; n > 0 {
			used[name] = n
			total += n
		}
	}
	t.Logf("%d commands: %v", total, used)
	if used["evalsha"] != 4 || len(slices.Collect(maps.Keys(used))) == 0 || total > 32 {
		t.Errorf("%d commands: %v; want 4 scripts and at most 32 commands with what they run", total, used)
	}
}

func TestRedisAdvice(t *testing.T) {
	t.Parallel()
	good := redistest.Start(t)
	bad := redistest.Start(t, "--maxmemory", "64mb", "--maxmemory-policy", "volatile-lru", "--appendonly", "no")
	advice, err := openRedis(t, RedisOptions{Addrs: []string{good.Addr}}).Advice(t.Context())
	if err != nil || len(advice) != 0 {
		t.Errorf("a good server: %q, %v", advice, err)
	}
	advice, err = openRedis(t, RedisOptions{Addrs: []string{bad.Addr}}).Advice(t.Context())
	if err != nil || len(advice) != 2 || !strings.Contains(advice[0], "volatile-lru") || !strings.Contains(advice[1], "appendonly") {
		t.Errorf("a bad server: %q, %v", advice, err)
	}
	cluster := redistest.StartCluster(t, 2)
	cluster[1].Do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	advice, err = openRedis(t, RedisOptions{Addrs: []string{cluster[0].Addr}, Cluster: true}).Advice(t.Context())
	if err != nil || len(advice) != 1 || !strings.Contains(advice[0], "allkeys-lru") {
		t.Errorf("a Cluster with one bad node: %q, %v", advice, err)
	}
}

func TestParseRedisURL(t *testing.T) {
	t.Parallel()
	o, err := ParseRedisURL("rediss://ada:s3cret@redis.example:6380/2")
	if err != nil {
		t.Fatal(err)
	}
	if o.Addrs[0] != "redis.example:6380" || o.Username != "ada" || o.Password != "s3cret" || o.DB != 2 || o.TLS == nil {
		t.Errorf("got %+v", o)
	}
	o, err = ParseRedisURL("unix:///run/redis.sock?db=3")
	if err != nil || o.Addrs[0] != "/run/redis.sock" || o.DB != 3 || o.TLS != nil {
		t.Errorf("socket: %+v, %v", o, err)
	}
	for _, bad := range []string{
		"redis://ada:canary%zz@host", "http://ada:canary@host", "redis://ada:canary@host/notadb", "redis://ada:canary@host?dial_timeout=3", "",
	} {
		if _, err := ParseRedisURL(bad); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v, want an error without the password", bad, err)
		}
	}
}
