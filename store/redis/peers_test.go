package redis

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

// listener counts what the watch of a store hears.
type listener struct {
	gaps, notifications atomic.Int64
	stop                func()
}

func listens(t *testing.T, r *Store) *listener {
	t.Helper()
	l := &listener{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- r.Watch(ctx, func(n record.Notification) {
			if n.ID == "" {
				l.gaps.Add(1)
			} else {
				l.notifications.Add(1)
			}
		})
	}()
	l.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("watch: %v", err)
		}
	}
	fixture.WaitFor(t, "the watch to stand", func() bool { return l.gaps.Load() > 0 })
	return l
}

func TestRedisPublishesOnlyToOtherListeners(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	open := func() *Store { return openRedis(t, Options{Addrs: []string{server.Addr}}) }
	used := commands(t, server)
	published := func() int {
		_, each := used()
		return each["publish"]
	}
	one := open()
	first := listens(t, one)
	defer first.stop()
	used()
	fixture.Must(t)(one.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
	fixture.Must(t)(one.Change(t.Context(), "a1", fixture.Bump))
	if n := first.notifications.Load(); n != 2 || published() != 0 {
		t.Errorf("alone: heard %d notifications, want 2 and none published", n)
	}

	two := open()
	second := listens(t, two)
	fixture.WaitFor(t, "the first to publish a gap for the newcomer", func() bool { return second.gaps.Load() > 1 && !one.peers.alone.Load() })
	published()
	fixture.Must(t)(one.Change(t.Context(), "a1", fixture.Bump))
	fixture.WaitFor(t, "both to hear of a change", func() bool { return first.notifications.Load() == 3 && second.notifications.Load() == 1 })
	fixture.Must(t)(two.Change(t.Context(), "a1", fixture.Bump))
	fixture.WaitFor(t, "both to hear of a change there", func() bool { return first.notifications.Load() == 4 && second.notifications.Load() == 2 })
	if n := published(); n != 2 {
		t.Errorf("together: %d published, want 2", n)
	}

	// One that only writes publishes too.
	second.stop()
	fixture.Must(t)(two.Change(t.Context(), "a1", fixture.Bump))
	fixture.WaitFor(t, "the first to hear of a write by one that does not listen", func() bool { return first.notifications.Load() == 5 })

	// The first notices when it subscribes anew that it is alone again.
	server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	fixture.WaitFor(t, "the first to be alone again", one.peers.alone.Load)
}

// A watcher ends, or its connection does, before it has heard the greeting of a newcomer.
func TestRedisEndingWatcherNotifiesOthers(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(stop func(), p *proxy){
		"for good":            func(stop func(), _ *proxy) { stop() },
		"with its connection": func(_ func(), p *proxy) { p.cut() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			p := startProxy(t, server.Addr)
			one, two := openRedis(t, Options{Addrs: []string{p.addr}}), openRedis(t, Options{Addrs: []string{server.Addr}})
			stop := sync.OnceFunc(listens(t, one).stop)
			defer stop()
			fixture.Must(t)(one.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
			fixture.WaitFor(t, "the first to be alone", one.peers.alone.Load)
			// The newcomer subscribes, and its greeting is still on its way.
			sub := two.client.Subscribe(t.Context(), two.keys.channels()...)
			defer func() { _ = sub.Close() }()
			for range two.keys.channels() {
				if _, err := sub.Receive(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			fixture.Must(t)(one.Change(t.Context(), "a1", fixture.Bump))
			end(stop, p)
			for {
				m, err := sub.ReceiveTimeout(t.Context(), time.Minute)
				if err != nil {
					t.Fatalf("nobody was told that something was told alone: %v", err)
				}
				if said, is := m.(*goredis.Message); is && said.Payload == "" {
					return
				}
			}
		})
	}
}

// A newcomer comes while the first one writes and believes itself alone. Without
// any poll, what it has loaded in the end must be the newest.
// Whoever was alone goes on telling nobody until it hears the greeting.
func TestRedisRepeatsFailedGreeting(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	open := func() *Store { return openRedis(t, Options{Addrs: []string{server.Addr}}) }
	one, two := open(), open()
	first := listens(t, one)
	defer first.stop()
	fixture.WaitFor(t, "the first to be alone", one.peers.alone.Load)
	server.Do("ACL", "SETUSER", "default", "-publish")
	second := listens(t, two)
	defer second.stop()
	server.Do("ACL", "SETUSER", "default", "+publish")
	fixture.WaitFor(t, "the first to know of the second", func() bool { return !one.peers.alone.Load() })
	fixture.Must(t)(one.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
	fixture.WaitFor(t, "the second to hear of a request", func() bool { return second.notifications.Load() == 1 })
}

func TestRedisNewcomersMissNothing(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for round := range 15 {
		o := Options{Addrs: []string{server.Addr}, Layout: Layout{Prefix: fmt.Sprint("round", round)}}
		one, two := openRedis(t, o), openRedis(t, o)
		first := listens(t, one)
		fixture.Must(t)(one.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))

		var last, seen atomic.Int64
		var all sync.WaitGroup
		all.Go(func() {
			for range 100 {
				r, err := one.Change(t.Context(), "a1", fixture.Bump)
				if err != nil {
					t.Error(err)
					return
				}
				last.Store(r.Version)
			}
		})
		fixture.WaitFor(t, "some writes", func() bool { return last.Load() > 20 })
		ctx, cancel := context.WithCancel(t.Context())
		notification := make(chan struct{}, 1)
		all.Go(func() {
			if err := two.Watch(ctx, func(record.Notification) {
				select {
				case notification <- struct{}{}:
				default:
				}
			}); err != nil {
				t.Errorf("watch: %v", err)
			}
		})
		all.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-notification:
				}
				if r, err := two.Load(ctx, "a1"); err == nil {
					seen.Store(r.Version)
				}
			}
		})
		fixture.WaitFor(t, "the newcomer to see the last write", func() bool { return last.Load() == 101 && seen.Load() == 101 })
		cancel()
		all.Wait()
		first.stop()
	}
}
