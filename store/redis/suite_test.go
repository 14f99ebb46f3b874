package redis

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/redistest"
)

func openRedis(t testing.TB, o Options) *Store {
	t.Helper()
	r, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// redisBackend tests a store on any Redis.
func redisBackend(t *testing.T, o Options, here func() time.Time) *bridgetest.Backend {
	t.Helper()
	open := func(t *testing.T) *Store {
		r := openRedis(t, o)
		r.conn.clock.here = here
		repairTenants(t, r)
		return r
	}
	r := open(t)
	return &bridgetest.Backend{
		Store:     r,
		Another:   func(t *testing.T) storage.Store { return open(t) },
		Retention: store.DefaultRetention,
		Evict: func(id string) {
			if err := r.conn.client.Del(context.Background(), r.keys.record(id)).Err(); err != nil {
				t.Fatal(err)
			}
		},
		Amend: func(id string, edit func([]byte) []byte) {
			ctx, key := context.Background(), r.keys.record(id)
			value, err := r.conn.client.Get(ctx, key).Result()
			if err == nil {
				if o.Keys != nil {
					sealed := edit
					edit = func(data []byte) []byte { return amendSealed(t, r.format.form, id, data, sealed) }
				}
				token, data := value[:strings.Index(value, "{")], value[strings.Index(value, "{"):]
				err = r.conn.client.Set(ctx, key, token+string(edit([]byte(data))), goredis.KeepTTL).Err()
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	}
}

func TestRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, minimalUser("test*")...)
	var n atomic.Int64
	bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
		return redisBackend(t, withMinimalUser(Options{
			Addrs:  []string{server.Addr},
			Layout: Layout{Prefix: fmt.Sprint("test", n.Add(1))},
		}), time.Now)
	})
}

func TestRedisCluster(t *testing.T) {
	t.Parallel()
	var addrs []string
	for _, node := range redistest.StartCluster(t, 3, minimalUser("test*")...) {
		addrs = append(addrs, node.Addr)
	}
	var n atomic.Int64
	bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
		return redisBackend(t, withMinimalUser(Options{
			Addrs: addrs, Layout: Layout{Prefix: fmt.Sprint("test", n.Add(1))},
		}), time.Now)
	})
}

func TestRedisSentinel(t *testing.T) {
	t.Parallel()
	sentinel := redistest.StartSentinel(t, "main", redistest.Start(t, minimalUser("test*")...))
	var n atomic.Int64
	bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
		return redisBackend(t, withMinimalUser(Options{
			Addrs: []string{sentinel.Addr}, Master: "main",
			Layout: Layout{Prefix: fmt.Sprint("test", n.Add(1))},
		}), time.Now)
	})
}

func TestMiniredis(t *testing.T) {
	t.Parallel()
	bridgetest.TestStore(t, func(t *testing.T) *bridgetest.Backend {
		m, advance := mini(t)
		start := time.Now()
		b := redisBackend(t, Options{Addrs: []string{m.Addr()}}, func() time.Time { return start })
		b.Advance = advance
		return b
	})
}

// mini runs a miniredis whose clock is stopped, and returns a function that advances it. The local clock of
// a store on it must be stopped too, so that the store learns the time only from the server.
func mini(t testing.TB) (m *miniredis.Miniredis, advance func(time.Duration)) {
	t.Helper()
	m = miniredis.NewMiniRedis()
	if err := m.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	now := time.Now()
	m.SetTime(now)
	return m, func(d time.Duration) {
		now = now.Add(d)
		m.SetTime(now)
		m.FastForward(d)
	}
}

func TestRedisAgreesWithMemory(t *testing.T) {
	t.Parallel()
	fixture.Agree(t, func(now func() time.Time) storage.Store { return memory.NewAt(now) }, func(t *testing.T, c *fixture.Clock) storage.Store {
		server, _ := mini(t)
		server.SetTime(c.Now())
		stopped := c.Now()
		r := openRedis(t, Options{Addrs: []string{server.Addr()}, Layout: Layout{Recent: 3}})
		r.conn.clock.here = func() time.Time { return stopped }
		r.conn.clock.learn(codec.MicrosOf(c.Now()))
		repairTenants(t, r)
		c.OnMove(func(to time.Time, by time.Duration) {
			server.SetTime(to)
			server.FastForward(by)
		})
		return r
	})
}
