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

// onAnotherRun has a store find, with its next subscription, that the server which it knows is
// gone: what it remembers of it is the name of a run that is over.
func onAnotherRun(t *testing.T, r *Store, heard *listener, server *redistest.Server) {
	t.Helper()
	gaps := heard.gaps.Load()
	r.journal.mu.Lock()
	r.journal.server = "a run that is over"
	r.journal.mu.Unlock()
	server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	fixture.WaitFor(t, "a new subscription", func() bool { return heard.gaps.Load() > gaps })
}

// severed is a client whose next scripts do not arrive.
type severed struct{ left atomic.Int64 }

func (c *severed) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (c *severed) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		if cmd.Name() == "evalsha" && c.left.Add(-1) >= 0 {
			cmd.SetErr(io.ErrUnexpectedEOF)
			return cmd.Err()
		}
		return next(ctx, cmd)
	}
}

func (c *severed) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

func TestReplayAfterFailover(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		spoil, restore func(server *redistest.Server, lines *severed)
	}{
		{
			// It has no replicas yet, and docs/reliability.md wants it to take no writes then.
			"the new master takes none",
			func(server *redistest.Server, _ *severed) { server.Do("CONFIG", "SET", "min-replicas-to-write", "1") },
			func(server *redistest.Server, _ *severed) { server.Do("CONFIG", "SET", "min-replicas-to-write", "0") },
		},
		{
			"the connection breaks again",
			func(_ *redistest.Server, lines *severed) { lines.left.Store(1) },
			func(*redistest.Server, *severed) {},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, lines := redistest.Start(t), &severed{}
			r := openRedis(t, Options{Addrs: []string{server.Addr}})
			r.client.AddHook(lines)
			heard := listens(t, r)
			defer heard.stop()
			ctx := t.Context()
			fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
			lost := server.Do("GET", r.keys.record("a1"))
			answered := fixture.Must(t)(r.Change(ctx, "a1", fixture.Finish))
			server.Do("SET", r.keys.record("a1"), lost)

			c.spoil(server, lines)
			onAnotherRun(t, r, heard, server)
			c.restore(server, lines)
			other := openRedis(t, Options{Addrs: []string{server.Addr}})
			fixture.WaitFor(t, "the answer to be there again", func() bool {
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
	heard := listens(t, r)
	defer heard.stop()
	ctx := t.Context()
	for _, id := range []string{"a1", "a2"} {
		fixture.Must(t)(r.Create(ctx, fixture.Plain(id), fixture.DueInAnHour))
	}
	// Another replica took the answer of a1, which has outlived its retention since.
	r.journal.mu.Lock()
	r.journal.writes[0].at = time.Now().Add(-8 * 24 * time.Hour)
	r.journal.mu.Unlock()
	for _, id := range []string{"a1", "a2"} {
		server.Do("DEL", r.keys.record(id))
	}
	onAnotherRun(t, r, heard, server)
	if found, err := r.Load(ctx, "a1"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("what had its time is %s again, %v", found.Outcome.State, err)
	}
	fixture.Must(t)(r.Load(ctx, "a2"))
}

// The server got back what it had lost, and somebody has erased it there since.
func TestReplayDoesNotRestoreErasedRecords(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	heard := listens(t, r)
	defer heard.stop()
	ctx := t.Context()
	fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	onAnotherRun(t, r, heard, server)
	server.Do("DEL", r.keys.record("a1"), r.keys.index("a1"))
	gaps := heard.gaps.Load()
	server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	fixture.WaitFor(t, "a new subscription", func() bool { return heard.gaps.Load() > gaps })
	if found, err := r.Load(ctx, "a1"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("what was erased is %s again, %v", found.Outcome.State, err)
	}
}

// The reply to a create was lost, so its place in the index was made sure of with a write of its
// own. A failover lost the request, and what had followed that write did not come back.
func TestReplayAfterCreateOverBrokenConnection(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	lines := startProxy(t, server.Addr)
	r := openRedis(t, Options{Addrs: []string{lines.addr}})
	heard := listens(t, r)
	defer heard.stop()
	ctx := t.Context()
	lines.swallow.Store(true)
	fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	if lines.swallow.Load() {
		t.Fatal("no reply was lost")
	}
	answered := fixture.Must(t)(r.Change(ctx, "a1", fixture.Finish))
	server.Do("DEL", r.keys.record("a1"), r.keys.index("a1"))
	onAnotherRun(t, r, heard, server)
	other := openRedis(t, Options{Addrs: []string{server.Addr}})
	fixture.Equal(t, "answered", fixture.Must(t)(other.Load(ctx, "a1")), answered)
}

// The answer came just before the deadline, and the failover was over just after it.
func TestReplayAfterDeadline(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	heard := listens(t, r)
	defer heard.stop()
	ctx := t.Context()
	fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
	lost := server.Do("GET", r.keys.record("a1"))
	answered := fixture.Must(t)(r.Change(ctx, "a1", fixture.Finish))
	server.Do("SET", r.keys.record("a1"), lost)
	r.journal.mu.Lock()
	late := &r.journal.writes[len(r.journal.writes)-1]
	judged := *late.swapping
	judged.now -= codec.Micros(time.Hour.Microseconds())
	late.swapping = &judged
	r.journal.mu.Unlock()
	onAnotherRun(t, r, heard, server)
	other := openRedis(t, Options{Addrs: []string{server.Addr}})
	fixture.Equal(t, "answered", fixture.Must(t)(other.Load(ctx, "a1")), answered)
}
