package redis

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/storetest"
	"github.com/askbridge/askbridge/test/redistest"
)

// keyValues tests the values of a store on any Redis.
func keyValues(t *testing.T, o Options) *storetest.Backend {
	t.Helper()
	r := openRedis(t, o)
	return &storetest.Backend{
		Store:   r.KeyValue(),
		Another: func(t *testing.T) keyvalue.Store { return openRedis(t, o).KeyValue() },
		Evict: func(k keyvalue.Key) {
			if err := r.conn.client.Del(t.Context(), r.keys.value(k)[0]).Err(); err != nil {
				t.Fatal(err)
			}
		},
	}
}

func TestKeyValue(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, minimalUser("test*")...)
	var n atomic.Int64
	storetest.TestKeyValue(t, func(t *testing.T) *storetest.Backend {
		prefix := fmt.Sprint("test", n.Add(1))
		return keyValues(t, withMinimalUser(Options{Addrs: []string{server.Addr}, Layout: Layout{Prefix: prefix, Partitions: 5}}))
	})
}

func TestKeyValueCluster(t *testing.T) {
	t.Parallel()
	var addrs []string
	for _, node := range redistest.StartCluster(t, 3, minimalUser("test*")...) {
		addrs = append(addrs, node.Addr)
	}
	var n atomic.Int64
	storetest.TestKeyValue(t, func(t *testing.T) *storetest.Backend {
		return keyValues(t, withMinimalUser(Options{Addrs: addrs, Layout: Layout{Prefix: fmt.Sprint("test", n.Add(1))}}))
	})
}

func TestKeyValueMiniredis(t *testing.T) {
	t.Parallel()
	storetest.TestKeyValue(t, onMini)
}

func onMini(t *testing.T) *storetest.Backend {
	t.Helper()
	m, advance := mini(t)
	b := keyValues(t, Options{Addrs: []string{m.Addr()}})
	b.Advance = advance
	return b
}

func TestKeyValueAgainstModel(t *testing.T) {
	t.Parallel()
	m, advance := mini(t)
	r := openRedis(t, Options{Addrs: []string{m.Addr()}})
	storetest.TestKeyValueAgainstModel(t, func(*testing.T) *storetest.Backend {
		m.FlushAll()
		return &storetest.Backend{Store: r.KeyValue(), Advance: advance}
	})
}

func TestKeysOfValues(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	kv := r.KeyValue()
	put := func(k keyvalue.Key, ttl time.Duration) {
		t.Helper()
		if _, err := kv.Put(t.Context(), k, []byte("hash"), &keyvalue.PutOptions{TTL: ttl}); err != nil {
			t.Fatal(err)
		}
	}
	put(keyvalue.Key{Kind: "token", Tenant: "ops", ID: "t1"}, 0)
	put(keyvalue.Key{Kind: "state", ID: "s1"}, time.Hour)
	got := strings.Fields(server.Do("KEYS", "*"))
	slices.Sort(got)
	fixture.Equal(t, "keys", got, []string{"ab:meta", "ab:{p00}:expiries", "ab:{p00}:v:state//s1", "ab:{p00}:v:token/ops/t1", "ab:{p00}:values"})
	fixture.Equal(t, "names", strings.Fields(server.Do("ZRANGE", "ab:{p00}:values", "0", "-1")), []string{"state//s1", "token/ops/t1"})
	fixture.Equal(t, "expiries", strings.Fields(server.Do("ZRANGE", "ab:{p00}:expiries", "0", "-1")), []string{"state//s1"})
	if value := strings.Fields(server.Do("GET", "ab:{p00}:v:token/ops/t1")); len(value) != 3 || value[1] != "0" || value[2] != "hash" {
		t.Errorf("stored as %q, want a version, no expiry and the value", value)
	}
}

// TestNamesOfExpiredValuesAreRemoved covers values that are never listed, such as the state of a sign-in.
func TestNamesOfExpiredValuesAreRemoved(t *testing.T) {
	t.Parallel()
	m, advance := mini(t)
	r := openRedis(t, Options{Addrs: []string{m.Addr()}})
	for n := range 100 {
		k := keyvalue.Key{Kind: "state", ID: fmt.Sprint(n)}
		if _, err := r.KeyValue().Put(t.Context(), k, nil, &keyvalue.PutOptions{TTL: time.Minute}); err != nil {
			t.Fatal(err)
		}
		advance(20 * time.Second)
	}
	for _, key := range []string{"ab:{p00}:values", "ab:{p00}:expiries"} {
		if names, err := m.ZMembers(key); err != nil || len(names) > 4 {
			t.Errorf("%s has %d names, %v; want those of three values", key, len(names), err)
		}
	}
}

func TestRepeatedPutIsNoConflict(t *testing.T) {
	t.Parallel()
	p := startProxy(t, redistest.Start(t).Addr)
	kv := openRedis(t, Options{Addrs: []string{p.addr}}).KeyValue()
	k := keyvalue.Key{Kind: "token", ID: "t1"}
	e, err := kv.Put(t.Context(), k, []byte("one"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.swallow.Store(true)
	next, err := kv.Put(t.Context(), k, []byte("two"), &keyvalue.PutOptions{If: e.Version, TTL: time.Hour})
	if err != nil || p.swallow.Load() {
		t.Fatalf("put: %v; reply lost: %v", err, !p.swallow.Load())
	}
	got, err := kv.Get(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "stored value", got, next)
}

func TestRoundTripsOfValues(t *testing.T) {
	t.Parallel()
	r, used := countedRedis(t, redistest.Start(t), Layout{Partitions: 16})
	kv, k := r.KeyValue(), keyvalue.Key{Kind: "token", Tenant: "ops", ID: "t1"}
	step := func(what string, want int64, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := used(); want != 0 && got != want {
			t.Errorf("%s: %d round trips, want %d", what, got, want)
		}
	}
	put := func() error { _, err := kv.Put(t.Context(), k, nil, nil); return err }
	remove := func() error { return kv.Delete(t.Context(), k, "") }
	step("first put", 0, put)
	step("first delete", 0, remove) // This loads the scripts.
	step("put", 1, put)
	step("get", 1, func() error { _, err := kv.Get(t.Context(), k); return err })
	step("list of one tenant", 2, func() error {
		_, err := kv.List(t.Context(), keyvalue.Range{Kind: "token", Tenant: "ops", Limit: 1})
		return err
	})
	step("list of everything", 2, func() error { _, err := kv.List(t.Context(), keyvalue.Range{Limit: 1}); return err })
	step("delete", 1, remove)
}

func BenchmarkValues(b *testing.B) {
	storetest.BenchmarkKeyValue(b, openRedis(b, Options{Addrs: []string{redistest.Start(b).Addr}}).KeyValue())
}
