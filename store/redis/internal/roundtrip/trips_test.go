package roundtrip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/test/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shared counts the round trips that several callers share, and their commands.
type shared struct{ trips, commands atomic.Int64 }

func (s *shared) DialHook(next goredis.DialHook) goredis.DialHook          { return next }
func (s *shared) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

func (s *shared) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		s.trips.Add(1)
		s.commands.Add(int64(len(cmds)))
		return next(ctx, cmds)
	}
}

// options returns options of a client that sends no commands of its own.
func options(addr string) *goredis.Options {
	return &goredis.Options{
		Addr: addr, ContextTimeoutEnabled: true, MaxRetries: -1, PipelinePoolSize: -1, DisableIdentity: true, Protocol: 2,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

func dial(t *testing.T, addr string) *goredis.Client {
	t.Helper()
	client := goredis.NewClient(options(addr))
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// busy returns a [Trips] with few round trips running, so that further callers wait, and a function that ends
// these.
func busy(t *testing.T) (trips *Trips, client *goredis.Client, seen *shared, release func()) {
	t.Helper()
	client = dial(t, redistest.Start(t).Addr)
	seen = &shared{}
	client.AddHook(seen)
	trips = New(client)
	trips.patience = time.Hour
	var held sync.WaitGroup
	for range few {
		held.Go(func() {
			err := trips.Do(t.Context(), func(pipe goredis.Pipeliner) { pipe.BLPop(t.Context(), 0, "release") })
			if err != nil {
				t.Errorf("held round trip: %v", err)
			}
		})
	}
	await(t, "the held round trips to start", func() bool {
		trips.mu.Lock()
		defer trips.mu.Unlock()
		return trips.underway == few
	})
	return trips, client, seen, func() {
		for range few {
			if err := client.RPush(t.Context(), "release", "now").Err(); err != nil {
				t.Error(err)
			}
		}
		held.Wait()
	}
}

// queued waits until n callers wait for a round trip.
func queued(t *testing.T, trips *Trips, n int) {
	t.Helper()
	await(t, fmt.Sprintf("%d callers to wait", n), func() bool {
		trips.mu.Lock()
		defer trips.mu.Unlock()
		return len(trips.waiting) == n
	})
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(time.Minute); !is(); <-again.C {
		if time.Now().After(end) {
			t.Fatalf("timeout waiting for %s", what)
		}
	}
}

func TestManyCallersShareRoundTrips(t *testing.T) {
	t.Parallel()
	trips, _, seen, release := busy(t)
	const callers = 20
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			var set *goredis.StatusCmd
			var get *goredis.StringCmd
			err := trips.Do(t.Context(), func(pipe goredis.Pipeliner) {
				key := fmt.Sprint("key ", n)
				set, get = pipe.Set(t.Context(), key, n, 0), pipe.Get(t.Context(), key)
			})
			if err != nil || set.Val() != "OK" || get.Val() != fmt.Sprint(n) {
				t.Errorf("caller %d got %q and %q, %v", n, set.Val(), get.Val(), err)
			}
		})
	}
	queued(t, trips, callers)
	release()
	all.Wait()
	if made, sent := seen.trips.Load(), seen.commands.Load(); made > few || sent != 2*callers {
		t.Errorf("%d round trips with %d commands, want %d at most with %d", made, sent, few, 2*callers)
	}
	await(t, "all round trips to end", func() bool {
		trips.mu.Lock()
		defer trips.mu.Unlock()
		return len(trips.waiting) == 0 && trips.underway == 0
	})
}

func TestFewCallersHaveTheirOwnRoundTrips(t *testing.T) {
	t.Parallel()
	client := dial(t, redistest.Start(t).Addr)
	seen := &shared{}
	client.AddHook(seen)
	trips := New(client)
	if err := trips.Do(t.Context(), func(pipe goredis.Pipeliner) { pipe.Set(t.Context(), "key", "value", 0) }); err != nil {
		t.Fatal(err)
	}
	if seen.trips.Load() != 0 {
		t.Error("a single command was sent as a pipeline")
	}
}

func TestCallersHaveTheirOwnErrors(t *testing.T) {
	t.Parallel()
	trips, client, _, release := busy(t)
	if err := client.Set(t.Context(), "text", "no list", 0).Err(); err != nil {
		t.Fatal(err)
	}
	var wrong, missing, right error
	var all sync.WaitGroup
	all.Go(func() { wrong = trips.Do(t.Context(), func(p goredis.Pipeliner) { p.LPush(t.Context(), "text", "x") }) })
	all.Go(func() { missing = trips.Do(t.Context(), func(p goredis.Pipeliner) { p.Get(t.Context(), "nothing") }) })
	all.Go(func() {
		right = trips.Do(t.Context(), func(p goredis.Pipeliner) { p.Set(t.Context(), "good", "x", 0) })
	})
	queued(t, trips, 3)
	release()
	all.Wait()
	if !goredis.HasErrorPrefix(wrong, "WRONGTYPE") || !errors.Is(missing, goredis.Nil) || right != nil {
		t.Errorf("errors %v, %v and %v", wrong, missing, right)
	}
}

func TestCanceledWaitingCallerSendsNothing(t *testing.T) {
	t.Parallel()
	trips, client, _, release := busy(t)
	ctx, leave := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	var left, stayed error
	var set *goredis.StatusCmd
	var all sync.WaitGroup
	all.Go(func() {
		left = trips.Do(ctx, func(p goredis.Pipeliner) { set = p.Set(ctx, "key", "canceled", 0) })
	})
	queued(t, trips, 1)
	all.Go(func() {
		stayed = trips.Do(t.Context(), func(p goredis.Pipeliner) { p.Set(t.Context(), "other", "x", 0) })
	})
	queued(t, trips, 2)
	leave(gone)
	queued(t, trips, 1)
	release()
	all.Wait()
	if !errors.Is(left, gone) || !errors.Is(set.Err(), gone) || stayed != nil {
		t.Errorf("canceled caller: %v, its command: %v, other caller: %v", left, set.Err(), stayed)
	}
	if n := client.Exists(t.Context(), "key").Val(); n != 0 {
		t.Error("the command of the canceled caller was sent")
	}
}

func TestSharedRoundTripKeepsEarliestDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := options("a server that reads and never replies")
		o.Dialer = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, there) }()
			return here, nil
		}
		client := goredis.NewClient(o)
		defer func() { _ = client.Close() }()
		trips := New(client)
		began := time.Now()
		ended := make(chan error, few+2)
		call := func(ctx context.Context) {
			ended <- trips.Do(ctx, func(p goredis.Pipeliner) { p.Ping(ctx) })
		}
		hasty := func(within time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			call(ctx)
		}
		for range few {
			go hasty(100 * time.Millisecond)
		}
		synctest.Wait()
		patient, leave := context.WithTimeout(t.Context(), time.Hour)
		defer leave()
		go call(patient)
		go hasty(200 * time.Millisecond)
		synctest.Wait()
		trips.mu.Lock()
		waiting := len(trips.waiting)
		trips.mu.Unlock()
		if waiting != 2 {
			t.Fatalf("%d callers wait, want the 2 later ones", waiting)
		}
		for n := range few + 1 {
			if err := <-ended; err == nil {
				t.Error("success without a reply")
			}
			if took := time.Since(began); took > 200*time.Millisecond {
				t.Fatalf("caller %d returned after %s, beyond its deadline", n, took)
			}
		}
		synctest.Wait()
		select {
		case err := <-ended:
			t.Errorf("the caller with a deadline of an hour failed with the others: %v", err)
		default:
		}
		leave()
		<-ended // After the client's own timeout.
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the caller with a deadline of an hour returned after %s, longer than the client's timeout", took)
		}
	})
}

// BenchmarkBusyCallers measures the processor time of a write with 64 concurrent callers, with separate and with
// shared round trips.
func BenchmarkBusyCallers(b *testing.B) {
	for name, room := range map[string]int{"plain": math.MaxInt, "shared": few} {
		b.Run(name, func(b *testing.B) {
			client := goredis.NewClient(&goredis.Options{Addr: redistest.Start(b).Addr, PoolSize: 64, PipelinePoolSize: -1})
			defer func() { _ = client.Close() }()
			trips := New(client)
			trips.room = room
			value := make([]byte, 1024)
			const callers = 64
			var left atomic.Int64
			left.Store(int64(b.N))
			before := spent()
			b.ResetTimer()
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					for left.Add(-1) >= 0 {
						if err := trips.Do(b.Context(), func(p goredis.Pipeliner) { p.Set(b.Context(), "key", value, 0) }); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(spent()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// spent returns the processor time of this process.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
