package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/test/redistest"
)

// With appendfsync everysec this holds only while the disk keeps up: Redis puts
// off writing to its log while it waits for the disk, and answers all the same.
func TestRedisAcknowledgedRecordsSurviveAKill(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--appendfsync", "always")
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
		if p.swallow.Load() || rec.Revision != int64(2+i) || rec.Version != int64(2+i) {
			t.Fatalf("counted %d at version %d after %d changes; reply lost: %v", rec.Revision, rec.Version, i+1, !p.swallow.Load())
		}
	}
	equal(t, "stored", must(t)(witness.Load(ctx, "a1")), rec)
	if commands := server.Do("INFO", "commandstats"); !strings.Contains(commands, "cmdstat_evalsha") {
		t.Errorf("no script ran: %s", commands)
	}

	p.swallow.Store(true)
	if got := must(t)(r.Load(ctx, "a1")); got.Revision != rec.Revision {
		t.Errorf("loaded %d, want %d", got.Revision, rec.Revision)
	}
	must(t)(r.Change(ctx, "a1", func(r *bridge.Record, now time.Time) error { r.DeliveryDue = now; return nil }))
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
	before := server.Do("GET", key)
	must(t)(one.Change(ctx, "a1", win("one")))
	server.Do("SET", key, before) // The promoted replica had not heard of it.
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

// What two servers have acknowledged is still there when one of them dies and
// Sentinel promotes the other, and people can go on.
func TestRedisFailoverKeepsWhatWasReplicated(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	replica := redistest.StartReplica(t, master)
	sentinel := redistest.StartSentinel(t, "main", master)
	waitFor(t, "the Sentinel to know the replica", func() bool {
		return strings.Contains(sentinel.Do("SENTINEL", "REPLICAS", "main"), "slave0:") ||
			strings.Contains(sentinel.Do("SENTINEL", "MASTER", "main"), "num-slaves\n1")
	})
	r := openRedis(t, RedisOptions{
		Addrs: []string{sentinel.Addr}, Master: "main", RedisLayout: RedisLayout{Replicas: 1, ReplicaWait: time.Second},
	})
	heard := listens(t, r)
	defer heard.stop()
	gaps := heard.gaps.Load()
	for i := range 20 {
		id := fmt.Sprint("a", i)
		if _, err := r.Create(t.Context(), plain(id), dueInAnHour); err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
			t.Fatal(err)
		}
		waitFor(t, "both to have "+id, func() bool {
			_, err := r.Change(t.Context(), id, bump)
			if err != nil && !errors.Is(err, bridge.ErrNotReplicated) {
				t.Fatal(err)
			}
			return err == nil // What was written before is copied first.
		})
	}
	r.layout.ReplicaWait = 10 * time.Millisecond
	master.Kill()
	began := time.Now()
	waitFor(t, "the store to go on", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := r.Change(ctx, "a0", bump)
		if err != nil && !errors.Is(err, bridge.ErrUnavailable) && !errors.Is(err, bridge.ErrNotReplicated) {
			t.Fatalf("during the failover: %v", err)
		}
		return errors.Is(err, bridge.ErrNotReplicated) // There is no replica any more.
	})
	t.Logf("out for %v", time.Since(began))
	for i := range 20 {
		if rec, err := r.Load(t.Context(), fmt.Sprint("a", i)); err != nil || rec.Version < 2 {
			t.Errorf("a%d: version %d, %v; version 2 was acknowledged by both", i, rec.Version, err)
		}
	}
	if got := replica.Do("INFO", "replication"); !strings.Contains(got, "role:master") {
		t.Errorf("the replica says %q", got)
	}
	waitFor(t, "the watch to say that something may have been missed", func() bool { return heard.gaps.Load() > gaps })
}

// A server that comes back without the end of its log gets it from the bridge
// that had written it, as far as nobody has gone on without.
func TestRedisLostWritesAreRepeatedAfterARestart(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--appendfsync", "always") // It loses what we take from it, and no more.
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	other := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	heard := listens(t, r)
	defer heard.stop()
	waitFor(t, "the bridge to know its server", func() bool {
		r.journal.mu.Lock()
		defer r.journal.mu.Unlock()
		return r.journal.server != ""
	})
	ctx := t.Context()
	early := map[string]string{}
	for _, id := range []string{"a1", "a2"} {
		must(t)(r.Create(ctx, plain(id), dueInAnHour))
		early[id] = server.Do("GET", r.keys.record(id))
		must(t)(r.Change(ctx, id, bump))
	}
	answered := must(t)(r.Change(ctx, "a1", finish))
	index := server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES")
	created := must(t)(r.Create(ctx, plain("a3"), dueInAnHour))

	// All but the first is lost of a1; a2 was lost too, and somebody went on; of
	// a3 nothing is left.
	server.Do("SET", r.keys.record("a1"), early["a1"])
	server.Do("ZADD", r.keys.index("a1"), "77", "ra1")
	server.Do("SET", r.keys.record("a2"), early["a2"])
	moved := must(t)(other.Change(ctx, "a2", func(r *bridge.Record, _ time.Time) error { r.Winner = "other"; return nil }))
	server.Do("DEL", r.keys.record("a3"))
	server.Do("ZREM", r.keys.index("a3"), "ra3", "ta3")
	gaps := heard.gaps.Load()
	server.Kill()
	server.Again()
	waitFor(t, "a new subscription", func() bool { return heard.gaps.Load() > gaps })
	equal(t, "answered", must(t)(other.Load(ctx, "a1")), answered)
	equal(t, "created", must(t)(other.Load(ctx, "a3")), created)
	equal(t, "what somebody else has made of it", must(t)(other.Load(ctx, "a2")), moved)
	server.Do("ZREM", r.keys.index("a3"), "ra3", "ta3")
	if got := server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES"); got != index {
		t.Errorf("index: %q, want %q", got, index)
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

func TestRedisWatchSurvivesLostConnections(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	p := startProxy(t, server.Addr)
	r := openRedis(t, RedisOptions{Addrs: []string{p.addr}})
	r.quiet = 300 * time.Millisecond
	writer := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	must(t)(writer.Create(t.Context(), plain("a1"), nothing))

	var gaps, notifications atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- r.Watch(ctx, func(n bridge.Notification) {
			if n.ID == "" {
				gaps.Add(1)
			} else {
				notifications.Add(1)
			}
		})
	}()
	hears := func(what string) {
		t.Helper()
		before := notifications.Load()
		waitFor(t, what, func() bool {
			must(t)(writer.Change(t.Context(), "a1", bump))
			return notifications.Load() > before
		})
	}
	waitFor(t, "the first subscription", func() bool { return gaps.Load() == 1 })
	hears("a notification")

	server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	waitFor(t, "the empty notification after the server hung up", func() bool { return gaps.Load() == 2 })
	hears("a notification after that")

	p.freeze()
	waitFor(t, "the empty notification after silence", func() bool { return gaps.Load() == 3 })
	hears("a notification after silence")

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
	waitFor(t, "the empty notification after a restart", func() bool { return gaps.Load() > 3 })
	hears("a notification after a restart")
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("watch: %v", err)
	}
}
