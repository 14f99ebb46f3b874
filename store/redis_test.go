package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
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

func TestRedisAcknowledgedRecordsSurviveAKill(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	var (
		group sync.WaitGroup
		acked atomic.Int64
		seen  [4]map[string]int64
	)
	stop := make(chan struct{})
	for w := range seen {
		seen[w] = map[string]int64{}
		group.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
				id := fmt.Sprintf("%c%d-%d", 'a'+i%16, w, i/3)
				rec, err := r.Create(ctx, plain(id), dueInAnHour)
				if errors.Is(err, bridge.ErrExists) {
					rec, err = r.Change(ctx, id, bump)
				}
				cancel()
				if err == nil {
					seen[w][id] = max(seen[w][id], rec.Version)
					acked.Add(1)
				} else if !errors.Is(err, bridge.ErrUnavailable) {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	waitFor(t, "a hundred writes", func() bool { return acked.Load() > 100 })
	server.Kill()
	server.Again()
	before := acked.Load()
	waitFor(t, "writes to go on", func() bool { return acked.Load() > before+100 })
	close(stop)
	group.Wait()
	server.Kill()
	server.Again()
	for _, written := range seen {
		for id, version := range written {
			rec, err := r.Load(t.Context(), id)
			if err != nil || rec.Version < version {
				t.Errorf("%s: version %d, %v; version %d was acknowledged", id, rec.Version, err, version)
			}
		}
	}
}

func TestRedisALostReplyHasNoDoubleEffect(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	p := startProxy(t, server.Addr)
	r := openRedis(t, RedisOptions{Addrs: []string{p.addr}})
	witness := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	ctx := t.Context()

	p.swallow.Store(true)
	rec := must(t)(r.Create(ctx, plain("a1"), dueInAnHour))
	if p.swallow.Load() || rec.Version != 1 {
		t.Fatalf("created version %d; reply lost: %v", rec.Version, !p.swallow.Load())
	}
	for i := range 5 {
		p.swallow.Store(true)
		rec = must(t)(r.Change(ctx, "a1", bump))
		if p.swallow.Load() || rec.Face != int64(2+i) || rec.Version != int64(2+i) {
			t.Fatalf("counted %d at version %d after %d changes; reply lost: %v", rec.Face, rec.Version, i+1, !p.swallow.Load())
		}
	}
	equal(t, "stored", must(t)(witness.Load(ctx, "a1")), rec)
	if commands := server.Do("INFO", "commandstats"); !strings.Contains(commands, "cmdstat_evalsha") {
		t.Errorf("no script ran: %s", commands)
	}

	p.swallow.Store(true)
	if got := must(t)(r.Load(ctx, "a1")); got.Face != rec.Face {
		t.Errorf("loaded %d, want %d", got.Face, rec.Face)
	}
	must(t)(r.Change(ctx, "a1", func(r *bridge.Record, now time.Time) error { r.Lagging = now; return nil }))
	p.swallow.Store(true)
	if _, err := r.Claim(ctx, time.Minute, 5); err != nil {
		t.Errorf("claim: %v", err)
	}
}

// A failover can lose a write that one bridge made and remembers. When another
// bridge has then made a version of the same number, the first one must not
// build on what was lost.
func TestRedisALostWriteIsNotBuiltUpon(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	one := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	two := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	ctx, key := t.Context(), "ab:{p00}:r:a1"
	win := func(who string) bridge.Transition {
		return func(r *bridge.Record, _ time.Time) error {
			if r.Winner == "" {
				r.Winner = who
			}
			return nil
		}
	}
	must(t)(one.Create(ctx, plain("a1"), dueInAnHour))
	v, data := server.Do("HGET", key, "v"), server.Do("HGET", key, "data")
	must(t)(one.Change(ctx, "a1", win("one")))
	server.Do("HSET", key, "v", v, "data", data) // The promoted replica had not heard of it.
	must(t)(two.Change(ctx, "a1", win("two")))
	if r := must(t)(one.Change(ctx, "a1", bump)); r.Winner != "two" || r.Version != 3 {
		t.Errorf("%s won at version %d, want two at 3", r.Winner, r.Version)
	}
	server.Do("FLUSHALL")
	if _, err := one.Change(ctx, "a1", bump); !errors.Is(err, bridge.ErrNotFound) {
		t.Errorf("after a flush: %v, want ErrNotFound", err)
	}
	must(t)(two.Create(ctx, plain("a1"), dueInAnHour))
	if r := must(t)(one.Change(ctx, "a1", bump)); r.Version != 2 {
		t.Errorf("after a flush: version %d, want 2", r.Version)
	}
}

func TestRedisUnavailable(t *testing.T) {
	t.Parallel()
	const secret = "canary-of-the-mine"
	server := redistest.Start(t, "--requirepass", secret)
	o := RedisOptions{Addrs: []string{server.Addr}, Password: secret}
	r := openRedis(t, o)
	must(t)(r.Create(t.Context(), plain("a1"), dueInAnHour))

	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, bridge.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", what, err)
		}
		if strings.Contains(fmt.Sprint(err), "canary") {
			t.Errorf("%s: the error shows the password: %v", what, err)
		}
	}
	all := func(what string, budget time.Duration) {
		t.Helper()
		for name, call := range map[string]func(context.Context) error{
			"load":   func(ctx context.Context) error { _, err := r.Load(ctx, "a1"); return err },
			"change": func(ctx context.Context) error { _, err := r.Change(ctx, "a1", bump); return err },
			"create": func(ctx context.Context) error { _, err := r.Create(ctx, plain("a2"), nothing); return err },
			"due":    func(ctx context.Context) error { _, err := r.Due(ctx, 5); return err },
			"claim":  func(ctx context.Context) error { _, err := r.Claim(ctx, time.Minute, 5); return err },
			"scan":   func(ctx context.Context) error { _, err := r.Scan(ctx, bridge.Scan{Limit: 5}); return err },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			start := time.Now()
			check(what+" "+name, call(ctx))
			if took := time.Since(start); took > budget+time.Second {
				t.Errorf("%s %s took %v with a budget of %v", what, name, took, budget)
			}
			cancel()
		}
	}
	server.Pause()
	all("frozen", 50*time.Millisecond)
	server.Resume()
	server.Kill()
	all("dead", 500*time.Millisecond)
	_, err := OpenRedis(t.Context(), o)
	check("open while dead", err)
	server.Again()
	waitFor(t, "the store to recover", func() bool {
		_, err := r.Change(t.Context(), "a1", bump)
		return err == nil
	})

	o.Password = secret + "-but-wrong"
	_, err = OpenRedis(t.Context(), o)
	check("open with a wrong password", err)
}

func TestRedisRefusedWritesAreUnavailable(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	before := must(t)(r.Create(t.Context(), plain("a1"), dueInAnHour))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for setting, back := range map[string]string{"maxmemory 1": "maxmemory 0", "min-replicas-to-write 1": "min-replicas-to-write 0"} {
		server.Do(append([]string{"CONFIG", "SET"}, strings.Fields(setting)...)...)
		if _, err := r.Change(ctx, "a1", bump); !errors.Is(err, bridge.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", setting, err)
		}
		equal(t, setting, must(t)(r.Load(ctx, "a1")), before)
		server.Do(append([]string{"CONFIG", "SET"}, strings.Fields(back)...)...)
	}
	must(t)(r.Change(t.Context(), "a1", bump))
}

func TestRedisWatchSurvivesLostConnections(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	p := startProxy(t, server.Addr)
	r := openRedis(t, RedisOptions{Addrs: []string{p.addr}})
	r.quiet = 100 * time.Millisecond
	writer := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	must(t)(writer.Create(t.Context(), plain("a1"), nothing))

	var gaps, hints atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- r.Watch(ctx, func(id string) {
			if id == "" {
				gaps.Add(1)
			} else {
				hints.Add(1)
			}
		})
	}()
	hears := func(what string) {
		t.Helper()
		before := hints.Load()
		waitFor(t, what, func() bool {
			must(t)(writer.Change(t.Context(), "a1", bump))
			return hints.Load() > before
		})
	}
	waitFor(t, "the first subscription", func() bool { return gaps.Load() == 1 })
	hears("a hint")

	server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	waitFor(t, "the empty hint after the server hung up", func() bool { return gaps.Load() == 2 })
	hears("a hint after that")

	p.freeze()
	waitFor(t, "the empty hint after silence", func() bool { return gaps.Load() == 3 })
	hears("a hint after silence")

	probes := func() (n int) {
		for line := range strings.Lines(server.Do("INFO", "commandstats")) {
			if _, err := fmt.Sscanf(line, "cmdstat_ping:calls=%d", &n); err == nil {
				return n
			}
		}
		return 0
	}
	before := probes()
	waitFor(t, "probes of a healthy silence", func() bool { return probes() > before+3 })
	if gaps.Load() != 3 {
		t.Errorf("a healthy connection was given up")
	}
	server.Kill()
	server.Again()
	waitFor(t, "the empty hint after a restart", func() bool { return gaps.Load() > 3 })
	hears("a hint after a restart")
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("watch: %v", err)
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
