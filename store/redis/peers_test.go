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

// listener counts the notifications of a watch. A gap is one with an empty ID.
type listener struct {
	gaps, notifications atomic.Int64
	stop                func()
}

func startWatch(t *testing.T, r *Store) *listener {
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
	fixture.WaitFor(t, "the subscription", func() bool { return l.gaps.Load() > 0 })
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
	first := startWatch(t, one)
	defer first.stop()
	used()
	fixture.Must(t)(one.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
	fixture.Must(t)(one.Change(t.Context(), "a1", fixture.Bump))
	if n := first.notifications.Load(); n != 2 || published() != 0 {
		t.Errorf("alone: %d notifications, want 2 and none published", n)
	}

	two := open()
	second := startWatch(t, two)
	fixture.WaitFor(t, "the first to publish a gap for the new bridge", func() bool { return second.gaps.Load() > 1 && !one.notifier.alone.Load() })
	published()
	fixture.Must(t)(one.Change(t.Context(), "a1", fixture.Bump))
	fixture.WaitFor(t, "both to be notified of a change", func() bool { return first.notifications.Load() == 3 && second.notifications.Load() == 1 })
	fixture.Must(t)(two.Change(t.Context(), "a1", fixture.Bump))
	fixture.WaitFor(t, "both to be notified of a change by the second", func() bool { return first.notifications.Load() == 4 && second.notifications.Load() == 2 })
	if n := published(); n != 2 {
		t.Errorf("together: %d published, want 2", n)
	}

	// A bridge that does not listen publishes too.
	second.stop()
	fixture.Must(t)(two.Change(t.Context(), "a1", fixture.Bump))
	fixture.WaitFor(t, "the first to be notified by a bridge that does not listen", func() bool { return first.notifications.Load() == 5 })

	// The first bridge notices with its next subscription that it is alone again.
	server.Do("CLIENT", "KILL", "TYPE", "pubsub")
	fixture.WaitFor(t, "the first to be alone again", one.notifier.alone.Load)
}

// A watcher or its connection ends before it receives the greeting of a new bridge.
func TestRedisEndingWatcherNotifiesOthers(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(stop func(), p *proxy){
		"canceled":     func(stop func(), _ *proxy) { stop() },
		"disconnected": func(_ func(), p *proxy) { p.cut() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			p := startProxy(t, server.Addr)
			one, two := openRedis(t, Options{Addrs: []string{p.addr}}), openRedis(t, Options{Addrs: []string{server.Addr}})
			stop := sync.OnceFunc(startWatch(t, one).stop)
			defer stop()
			fixture.Must(t)(one.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
			fixture.WaitFor(t, "the first to be alone", one.notifier.alone.Load)
			// The new bridge has subscribed, but its greeting has not arrived yet.
			sub := two.conn.client.Subscribe(t.Context(), two.keys.channels()...)
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
					t.Fatalf("no empty notification after local-only writes: %v", err)
				}
				if message, ok := m.(*goredis.Message); ok && message.Payload == "" {
					return
				}
			}
		})
	}
}

// A bridge that was alone publishes nothing until it receives the greeting of another one.
func TestRedisRepeatsFailedGreeting(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	open := func() *Store { return openRedis(t, Options{Addrs: []string{server.Addr}}) }
	one, two := open(), open()
	first := startWatch(t, one)
	defer first.stop()
	fixture.WaitFor(t, "the first to be alone", one.notifier.alone.Load)
	server.Do("ACL", "SETUSER", "default", "-publish")
	second := startWatch(t, two)
	defer second.stop()
	server.Do("ACL", "SETUSER", "default", "+publish")
	fixture.WaitFor(t, "the first to find the second", func() bool { return !one.notifier.alone.Load() })
	fixture.Must(t)(one.Create(t.Context(), fixture.Plain("a1"), fixture.Nothing))
	fixture.WaitFor(t, "the second to be notified of a request", func() bool { return second.notifications.Load() == 1 })
}

// A second bridge starts while the first one writes and publishes nothing. Without polling, the second one
// must end with the newest version.
func TestRedisNewBridgeMissesNothing(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for round := range 15 {
		o := Options{Addrs: []string{server.Addr}, Layout: Layout{Prefix: fmt.Sprint("round", round)}}
		one, two := openRedis(t, o), openRedis(t, o)
		first := startWatch(t, one)
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
		fixture.WaitFor(t, "the new bridge to load the last write", func() bool { return last.Load() == 101 && seen.Load() == 101 })
		cancel()
		all.Wait()
		first.stop()
	}
}
