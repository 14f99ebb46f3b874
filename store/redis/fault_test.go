package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// With appendfsync everysec this holds only while the disk keeps up: Redis delays writes to its log while it
// waits for the disk, and replies anyway.
func TestRedisAcknowledgedRecordsSurviveKill(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--appendfsync", "always")
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
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
				rec, err := r.Create(ctx, fixture.Plain(id), fixture.DueInAnHour)
				if errors.Is(err, storage.ErrExists) {
					rec, err = r.Change(ctx, id, fixture.Bump)
				}
				cancel()
				if err == nil {
					seen[w][id] = max(seen[w][id], rec.Version)
					acked.Add(1)
				} else if !errors.Is(err, storage.ErrUnavailable) {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	fixture.WaitFor(t, "a hundred writes", func() bool { return acked.Load() > 100 })
	server.Kill()
	server.Again()
	before := acked.Load()
	fixture.WaitFor(t, "writes to resume", func() bool { return acked.Load() > before+100 })
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

func TestRedisLostReplyIsHarmless(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	p := startProxy(t, server.Addr)
	r := openRedis(t, Options{Addrs: []string{p.addr}})
	witness := openRedis(t, Options{Addrs: []string{server.Addr}})
	ctx := t.Context()

	p.swallow.Store(true)
	rec := fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	if p.swallow.Load() || rec.Version != 1 {
		t.Fatalf("created version %d; reply lost: %v", rec.Version, !p.swallow.Load())
	}
	for i := range 5 {
		p.swallow.Store(true)
		rec = fixture.Must(t)(r.Change(ctx, "a1", fixture.Bump))
		if p.swallow.Load() || rec.Revision != int64(2+i) || rec.Version != int64(2+i) {
			t.Fatalf("counted %d at version %d after %d changes; reply lost: %v", rec.Revision, rec.Version, i+1, !p.swallow.Load())
		}
	}
	fixture.Equal(t, "stored", fixture.Must(t)(witness.Load(ctx, "a1")), rec)
	if commands := server.Do("INFO", "commandstats"); !strings.Contains(commands, "cmdstat_evalsha") {
		t.Errorf("no script ran: %s", commands)
	}

	p.swallow.Store(true)
	if got := fixture.Must(t)(r.Load(ctx, "a1")); got.Revision != rec.Revision {
		t.Errorf("loaded %d, want %d", got.Revision, rec.Revision)
	}
	fixture.Must(t)(r.Change(ctx, "a1", func(r *record.Record, now time.Time) error { r.DeliveryDue = now; return nil }))
	p.swallow.Store(true)
	if _, err := r.Claim(ctx, time.Minute, 5); err != nil {
		t.Errorf("claim: %v", err)
	}
}

// A failover can lose a write that one bridge has cached. If another bridge then writes a version with the
// same number, the first one must not build on the lost version.
func TestRedisLostWriteConflicts(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	one := openRedis(t, Options{Addrs: []string{server.Addr}})
	two := openRedis(t, Options{Addrs: []string{server.Addr}})
	ctx, key := t.Context(), "ab:{p00}:r:a1"
	win := func(who string) record.Transition {
		return func(r *record.Record, _ time.Time) error {
			if r.Winner == "" {
				r.Winner = who
			}
			return nil
		}
	}
	fixture.Must(t)(one.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	before := server.Do("GET", key)
	fixture.Must(t)(one.Change(ctx, "a1", win("one")))
	server.Do("SET", key, before) // The promoted replica had not received it.
	fixture.Must(t)(two.Change(ctx, "a1", win("two")))
	if r := fixture.Must(t)(one.Change(ctx, "a1", fixture.Bump)); r.Winner != "two" || r.Version != 3 {
		t.Errorf("%s won at version %d, want two at 3", r.Winner, r.Version)
	}
	server.Do("FLUSHALL")
	if _, err := one.Change(ctx, "a1", fixture.Bump); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("after a flush: %v, want ErrNotFound", err)
	}
	fixture.Must(t)(two.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	if r := fixture.Must(t)(one.Change(ctx, "a1", fixture.Bump)); r.Version != 2 {
		t.Errorf("after a flush: version %d, want 2", r.Version)
	}
}

// A failover by Sentinel keeps the writes that both servers acknowledged, and the store keeps working.
func TestRedisFailoverKeepsReplicatedWrites(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	replica := redistest.StartReplica(t, master)
	sentinel := redistest.StartSentinel(t, "main", master)
	fixture.WaitFor(t, "the Sentinel to know the replica", func() bool {
		return strings.Contains(sentinel.Do("SENTINEL", "REPLICAS", "main"), "slave0:") ||
			strings.Contains(sentinel.Do("SENTINEL", "MASTER", "main"), "num-slaves\n1")
	})
	r := openRedis(t, Options{
		Addrs: []string{sentinel.Addr}, Master: "main", Layout: Layout{Replicas: 1, ReplicaWait: maxReplicaWait},
	})
	watch := startWatch(t, r)
	defer watch.stop()
	gaps := watch.gaps.Load()
	for i := range 20 {
		id := fmt.Sprint("a", i)
		if _, err := r.Create(t.Context(), fixture.Plain(id), fixture.DueInAnHour); err != nil && !errors.Is(err, storage.ErrNotReplicated) {
			t.Fatal(err)
		}
		fixture.WaitFor(t, "both to have "+id, func() bool {
			_, err := r.Change(t.Context(), id, fixture.Bump)
			if err != nil && !errors.Is(err, storage.ErrNotReplicated) {
				t.Fatal(err)
			}
			return err == nil // Earlier writes are copied first.
		})
	}
	r.conn.replicaWait = 10 * time.Millisecond
	master.Kill()
	began := time.Now()
	fixture.WaitFor(t, "the store to go on", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := r.Change(ctx, "a0", fixture.Bump)
		if err != nil && !errors.Is(err, storage.ErrUnavailable) && !errors.Is(err, storage.ErrNotReplicated) {
			t.Fatalf("during the failover: %v", err)
		}
		return errors.Is(err, storage.ErrNotReplicated) // There is no replica any more.
	})
	t.Logf("out for %v", time.Since(began))
	for i := range 20 {
		if rec, err := r.Load(t.Context(), fmt.Sprint("a", i)); err != nil || rec.Version < 2 {
			t.Errorf("a%d: version %d, %v; version 2 was acknowledged by both", i, rec.Version, err)
		}
	}
	if got := replica.Do("INFO", "replication"); !strings.Contains(got, "role:master") {
		t.Errorf("replication of the replica: %q, want role:master", got)
	}
	fixture.WaitFor(t, "an empty notification", func() bool { return watch.gaps.Load() > gaps })
}

// A server restarts without the end of its log. The bridge repeats the lost writes, except where another
// bridge has written since.
func TestRedisLostWritesAreRepeatedAfterRestart(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--appendfsync", "always") // It loses only what the test removes.
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	other := openRedis(t, Options{Addrs: []string{server.Addr}})
	watch := startWatch(t, r)
	defer watch.stop()
	fixture.WaitFor(t, "the bridge to learn the run ID", func() bool {
		r.records.journal.mu.Lock()
		defer r.records.journal.mu.Unlock()
		return r.records.journal.server != ""
	})
	ctx := t.Context()
	early := map[string]string{}
	for _, id := range []string{"a1", "a2"} {
		fixture.Must(t)(r.Create(ctx, fixture.Plain(id), fixture.DueInAnHour))
		early[id] = server.Do("GET", r.keys.record(id))
		fixture.Must(t)(r.Change(ctx, id, fixture.Bump))
	}
	answered := fixture.Must(t)(r.Change(ctx, "a1", fixture.Finish))
	index := server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES")
	created := fixture.Must(t)(r.Create(ctx, fixture.Plain("a3"), fixture.DueInAnHour))

	// The server loses all but the first version of a1 and a2, and all of a3. Another bridge changes a2.
	server.Do("SET", r.keys.record("a1"), early["a1"])
	server.Do("ZADD", r.keys.index("a1"), "77", "ra1")
	server.Do("SET", r.keys.record("a2"), early["a2"])
	moved := fixture.Must(t)(other.Change(ctx, "a2", func(r *record.Record, _ time.Time) error { r.Winner = "other"; return nil }))
	server.Do("DEL", r.keys.record("a3"))
	server.Do("ZREM", r.keys.index("a3"), "ra3", "ta3")
	gaps := watch.gaps.Load()
	server.Kill()
	server.Again()
	fixture.WaitFor(t, "a new subscription", func() bool { return watch.gaps.Load() > gaps })
	fixture.Equal(t, "answered", fixture.Must(t)(other.Load(ctx, "a1")), answered)
	fixture.Equal(t, "created", fixture.Must(t)(other.Load(ctx, "a3")), created)
	fixture.Equal(t, "changed by another bridge", fixture.Must(t)(other.Load(ctx, "a2")), moved)
	server.Do("ZREM", r.keys.index("a3"), "ra3", "ta3")
	if got := server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES"); got != index {
		t.Errorf("index: %q, want %q", got, index)
	}
}

func TestRedisUnavailable(t *testing.T) {
	t.Parallel()
	const secret = "canary-of-the-mine"
	server := redistest.Start(t, "--requirepass", secret)
	o := Options{Addrs: []string{server.Addr}, Password: secret}
	r := openRedis(t, o)
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))

	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", what, err)
		}
		if strings.Contains(fmt.Sprint(err), "canary") {
			t.Errorf("%s: the error contains the password: %v", what, err)
		}
	}
	all := func(what string, budget time.Duration) {
		t.Helper()
		for name, call := range map[string]func(context.Context) error{
			"load":   func(ctx context.Context) error { _, err := r.Load(ctx, "a1"); return err },
			"change": func(ctx context.Context) error { _, err := r.Change(ctx, "a1", fixture.Bump); return err },
			"create": func(ctx context.Context) error {
				_, err := r.Create(ctx, fixture.Plain("a2"), fixture.Nothing)
				return err
			},
			"due":   func(ctx context.Context) error { _, err := r.Due(ctx, 5); return err },
			"claim": func(ctx context.Context) error { _, err := r.Claim(ctx, time.Minute, 5); return err },
			"scan":  func(ctx context.Context) error { _, err := r.Scan(ctx, storage.Scan{Limit: 5}); return err },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			start := time.Now()
			check(what+" "+name, call(ctx))
			if took := time.Since(start); took > budget+2*callTimeout { // Without its deadline a call is tried three times.
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
	_, err := Open(t.Context(), o)
	check("open while dead", err)
	server.Again()
	fixture.WaitFor(t, "the store to recover", func() bool {
		_, err := r.Change(t.Context(), "a1", fixture.Bump)
		return err == nil
	})

	o.Password = secret + "-but-wrong"
	_, err = Open(t.Context(), o)
	check("open with a wrong password", err)
}

func TestRedisWatchSurvivesLostConnections(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	p := startProxy(t, server.Addr)
	r := openRedis(t, Options{Addrs: []string{p.addr}})
	r.quiet = 300 * time.Millisecond
	writer := openRedis(t, Options{Addrs: []string{server.Addr}})
	fixture.Must(t)(writer.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))

	var gaps, notifications atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- r.Watch(ctx, func(n record.Notification) {
			if n.ID == "" {
				gaps.Add(1)
			} else {
				notifications.Add(1)
			}
		})
	}()
	notified := func(what string) {
		t.Helper()
		before := notifications.Load()
		fixture.WaitFor(t, what, func() bool {
			fixture.Must(t)(writer.Change(t.Context(), "a1", fixture.Bump))
			return notifications.Load() > before
		})
	}
	reports := func(what string, trouble func()) {
		t.Helper()
		before := gaps.Load()
		trouble()
		fixture.WaitFor(t, "the empty notification after "+what, func() bool { return gaps.Load() > before })
		notified("a notification after " + what)
	}
	fixture.WaitFor(t, "the first subscription", func() bool { return gaps.Load() > 0 })
	notified("a notification")
	reports("a disconnect by the server", func() { server.Do("CLIENT", "KILL", "TYPE", "pubsub") })
	reports("silence", p.freeze)

	probes := func() (n int) {
		for line := range strings.Lines(server.Do("INFO", "commandstats")) {
			if _, err := fmt.Sscanf(line, "cmdstat_ping:calls=%d", &n); err == nil {
				return n
			}
		}
		return 0
	}
	// Retried, since a machine that freezes meanwhile looks like a silent connection.
	fixture.WaitFor(t, "a healthy connection to be kept through a silence", func() bool {
		gap, before := gaps.Load(), probes()
		fixture.WaitFor(t, "probes of a healthy silence", func() bool { return probes() > before+3 })
		return gaps.Load() == gap
	})
	reports("a restart", func() {
		server.Kill()
		server.Again()
	})
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("watch: %v", err)
	}
}
