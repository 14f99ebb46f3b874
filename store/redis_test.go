package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/test/redistest"
)

func bump(r *bridge.Record, _ time.Time) error {
	r.Revision++
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

func TestRedisLayout(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}, RedisLayout: RedisLayout{Retention: time.Hour, Partitions: 16}})
	ctx := t.Context()
	expect := func(what string, command string, want string) {
		t.Helper()
		if got := server.Do(strings.Fields(command)...); got != want {
			t.Errorf("%s: %s says %q, want %q", what, command, got, want)
		}
	}
	rec := must(t)(r.Create(ctx, plain("hxyz"), func(r *bridge.Record, now time.Time) error {
		r.Due, r.DeliveryDue = bridge.Forever, now
		return nil
	}))
	got := strings.Fields(server.Do("KEYS", "*"))
	slices.Sort(got)
	equal(t, "keys", got, []string{"ab:meta", "ab:{p07}:index", "ab:{p07}:r:hxyz"})
	value := strings.Fields(server.Do("GET", "ab:{p07}:r:hxyz"))
	if !strings.HasPrefix(value[0], "1.") || value[1] != "1" || value[2] != "0" || !strings.HasPrefix(value[3], "{") {
		t.Errorf("value: %q, want version 1 and what tells this write from others, 1 since it lags, no expiry, and the record", value)
	}
	expect("an open record stays for ever", "PTTL ab:{p07}:r:hxyz", "-1")
	const stretch = 1 << 52
	expect("delivery due", "ZSCORE ab:{p07}:index lhxyz", fmt.Sprint(rec.DeliveryDue.UnixMicro()-2*stretch))
	expect("due", "ZSCORE ab:{p07}:index rhxyz", "2.533707648e+17")
	expect("meta", "HMGET ab:meta schema partitions", "1\n16")

	rec = must(t)(r.Change(ctx, "hxyz", finish))
	expect("ended", "ZSCORE ab:{p07}:index rhxyz", fmt.Sprint(rec.EndedAt.UnixMicro()-stretch))
	expect("a claim, not a change, drops a delivery that is no longer due", "ZCARD ab:{p07}:index", "3")
	if batch, err := r.Claim(ctx, time.Minute, 5); err != nil || len(batch.IDs) != 0 || batch.Next >= 0 {
		t.Errorf("claim: %+v, %v; want none", batch, err)
	}
	expect("dropped", "ZRANGE ab:{p07}:index 0 -1", "thxyz\nrhxyz")
	expiry := fmt.Sprint(rec.EndedAt.Add(time.Hour).UnixMilli())
	expect("expiry", "PEXPIRETIME ab:{p07}:r:hxyz", expiry)
	must(t)(r.Change(ctx, "hxyz", bump))
	expect("expiry after a later change", "PEXPIRETIME ab:{p07}:r:hxyz", expiry)
	other := openRedis(t, RedisOptions{Addrs: []string{server.Addr}, RedisLayout: RedisLayout{Retention: time.Hour, Partitions: 16}})
	must(t)(other.Change(ctx, "hxyz", bump))
	if _, err := r.Change(ctx, "hxyz", func(*bridge.Record, time.Time) error { return bridge.ErrUnchanged }); !errors.Is(err, bridge.ErrUnchanged) {
		t.Error(err)
	}
	must(t)(other.Change(ctx, "hxyz", bump))
	must(t)(r.Change(ctx, "hxyz", bump)) // Refused at first, since this one has an old version.
	expect("expiry after a conflict", "PEXPIRETIME ab:{p07}:r:hxyz", expiry)

	// Members of records that ended long ago leave the index on the way of a look,
	// now and then.
	server.Do("ZADD", "ab:{p07}:index", "-4503599627369496", "rold", fmt.Sprint(time.Now().Add(-50*time.Minute).UnixMicro()-stretch), "rnew")
	r.trim.last = 0
	if _, err := r.Due(ctx, 1); err != nil {
		t.Error(err)
	}
	expect("trimmed", "ZRANGE ab:{p07}:index 0 -1", "thxyz\nrnew\nrhxyz")
}

func TestRedisRefusesAnotherLayout(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	_, err := OpenRedis(t.Context(), RedisOptions{Addrs: []string{server.Addr}, RedisLayout: RedisLayout{Partitions: 8}})
	if err == nil || !strings.Contains(err.Error(), "partitions 1 ") {
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
	must(t)(r.Create(t.Context(), plain("a1"), func(r *bridge.Record, now time.Time) error { r.DeliveryDue = now; return nil }))
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
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	stands := make(chan struct{}, 8)
	go func() { ended <- r.Watch(ctx, func(bridge.Notification) { stands <- struct{}{} }) }()
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

func TestOnlyOtherMachinesNeedEncryption(t *testing.T) {
	t.Parallel()
	addrs := []string{"127.0.0.1:6379", "[::1]:6379", "localhost:6379", "/run/redis.sock", ":6379", "redis:6379", "10.0.0.7:6379", "[2001:db8::7]:6379"}
	want := []string{"redis:6379", "10.0.0.7:6379", "[2001:db8::7]:6379"}
	if got := (RedisOptions{Addrs: addrs}).Unencrypted(); !slices.Equal(got, want) {
		t.Errorf("in clear: %q, want %q", got, want)
	}
	if got := (RedisOptions{Addrs: addrs, TLS: &tls.Config{}}).Unencrypted(); got != nil {
		t.Errorf("with TLS: %q", got)
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
