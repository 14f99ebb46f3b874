package redis

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// simulateRestart makes the next subscription of a store find a new run of the server: it replaces the run
// ID that the store remembers.
func simulateRestart(t *testing.T, r *Store, watch *listener, server *redistest.Server) {
	t.Helper()
	gaps := watch.gaps.Load()
	r.records.journal.mu.Lock()
	r.records.journal.server = "an old run ID"
	r.records.journal.mu.Unlock()
	server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	fixture.WaitFor(t, "a new subscription", func() bool { return watch.gaps.Load() > gaps })
}

// droppingClient fails the next scripts before it sends them.
type droppingClient struct{ left atomic.Int64 }

func (c *droppingClient) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (c *droppingClient) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		if cmd.Name() == "evalsha" && c.left.Add(-1) >= 0 {
			cmd.SetErr(io.ErrUnexpectedEOF)
			return cmd.Err()
		}
		return next(ctx, cmd)
	}
}

func (c *droppingClient) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

func TestReplayAfterFailover(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		spoil, restore func(server *redistest.Server, lines *droppingClient)
	}{
		{
			// It has no replicas yet, and docs/reliability.md recommends rejecting writes then.
			"the new master rejects writes",
			func(server *redistest.Server, _ *droppingClient) {
				server.Do("CONFIG", "SET", "min-replicas-to-write", "1")
			},
			func(server *redistest.Server, _ *droppingClient) {
				server.Do("CONFIG", "SET", "min-replicas-to-write", "0")
			},
		},
		{
			"the connection breaks again",
			func(_ *redistest.Server, lines *droppingClient) { lines.left.Store(1) },
			func(*redistest.Server, *droppingClient) {},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, lines := redistest.Start(t), &droppingClient{}
			r := openRedis(t, Options{Addrs: []string{server.Addr}})
			r.conn.client.AddHook(lines)
			watch := startWatch(t, r)
			defer watch.stop()
			ctx := t.Context()
			fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
			lost := server.Do("GET", r.keys.record("a1"))
			answered := fixture.Must(t)(r.Change(ctx, "a1", fixture.Finish))
			server.Do("SET", r.keys.record("a1"), lost)

			c.spoil(server, lines)
			simulateRestart(t, r, watch, server)
			c.restore(server, lines)
			other := openRedis(t, Options{Addrs: []string{server.Addr}})
			fixture.WaitFor(t, "the answer to be restored", func() bool {
				found, err := other.Load(ctx, "a1")
				return err == nil && found.Version == answered.Version
			})
			fixture.Equal(t, "answered", fixture.Must(t)(other.Load(ctx, "a1")), answered)
		})
	}
}

func TestReplaySkipsOldWrites(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	watch := startWatch(t, r)
	defer watch.stop()
	ctx := t.Context()
	for _, id := range []string{"a1", "a2"} {
		fixture.Must(t)(r.Create(ctx, fixture.Plain(id), fixture.DueInAnHour))
	}
	// Another bridge took the answer of a1, and its retention has passed since.
	r.records.journal.mu.Lock()
	r.records.journal.writes[0].at = time.Now().Add(-8 * 24 * time.Hour)
	r.records.journal.mu.Unlock()
	for _, id := range []string{"a1", "a2"} {
		server.Do("DEL", r.keys.record(id))
	}
	simulateRestart(t, r, watch, server)
	if found, err := r.Load(ctx, "a1"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("an expired record is %s again, %v", found.Outcome.State, err)
	}
	fixture.Must(t)(r.Load(ctx, "a2"))
}

// The store repeated the lost writes, and someone has erased the record since.
func TestReplayDoesNotRestoreErasedRecords(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	watch := startWatch(t, r)
	defer watch.stop()
	ctx := t.Context()
	fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	simulateRestart(t, r, watch, server)
	server.Do("DEL", r.keys.record("a1"), r.keys.index("a1"))
	gaps := watch.gaps.Load()
	server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	fixture.WaitFor(t, "a new subscription", func() bool { return watch.gaps.Load() > gaps })
	if found, err := r.Load(ctx, "a1"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("an erased record is %s again, %v", found.Outcome.State, err)
	}
}

// The reply to a create was lost, so another write corrected its index members. Then a failover lost the
// request, and the writes after that one were not repeated.
func TestReplayAfterCreateOverBrokenConnection(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	lines := startProxy(t, server.Addr)
	r := openRedis(t, Options{Addrs: []string{lines.addr}})
	watch := startWatch(t, r)
	defer watch.stop()
	ctx := t.Context()
	lines.swallow.Store(true)
	fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	if lines.swallow.Load() {
		t.Fatal("no reply was lost")
	}
	answered := fixture.Must(t)(r.Change(ctx, "a1", fixture.Finish))
	server.Do("DEL", r.keys.record("a1"), r.keys.index("a1"))
	simulateRestart(t, r, watch, server)
	other := openRedis(t, Options{Addrs: []string{server.Addr}})
	fixture.Equal(t, "answered", fixture.Must(t)(other.Load(ctx, "a1")), answered)
}

// The answer came just before the deadline, and the failover ended just after it.
func TestReplayAfterDeadline(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	watch := startWatch(t, r)
	defer watch.stop()
	ctx := t.Context()
	fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	lost := server.Do("GET", r.keys.record("a1"))
	answered := fixture.Must(t)(r.Change(ctx, "a1", fixture.Finish))
	server.Do("SET", r.keys.record("a1"), lost)
	r.records.journal.mu.Lock()
	late := &r.records.journal.writes[len(r.records.journal.writes)-1]
	earlier := *late.swapAttempt
	earlier.now -= codec.Micros(time.Hour.Microseconds())
	late.swapAttempt = &earlier
	r.records.journal.mu.Unlock()
	simulateRestart(t, r, watch, server)
	other := openRedis(t, Options{Addrs: []string{server.Addr}})
	fixture.Equal(t, "answered", fixture.Must(t)(other.Load(ctx, "a1")), answered)
}
