package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

func TestRedisLayout(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}, Layout: Layout{Retention: time.Hour, Partitions: 16}})
	ctx := t.Context()
	expect := func(what string, command string, want string) {
		t.Helper()
		if got := server.Do(strings.Fields(command)...); got != want {
			t.Errorf("%s: %s replied %q, want %q", what, command, got, want)
		}
	}
	rec := fixture.Must(t)(r.Create(ctx, fixture.Plain("hxyz"), func(r *record.Record, now time.Time) error {
		r.Due, r.DeliveryDue = record.Forever, now
		return nil
	}))
	got := strings.Fields(server.Do("KEYS", "*"))
	slices.Sort(got)
	fixture.Equal(t, "keys", got, []string{"ab:meta", "ab:{p07}:index", "ab:{p07}:r:hxyz"})
	value := strings.Fields(server.Do("GET", "ab:{p07}:r:hxyz"))
	if !strings.HasPrefix(value[0], "1.") || value[1] != "1" || value[2] != "0" || !strings.HasPrefix(value[3], "{") {
		t.Errorf("value: %q, want version 1 and the ID of the write, 1 since a delivery is due, no expiry, and the record", value)
	}
	expect("an open record does not expire", "PTTL ab:{p07}:r:hxyz", "-1")
	const stretch = 1 << 52
	expect("delivery due", "ZSCORE ab:{p07}:index lhxyz", fmt.Sprint(rec.DeliveryDue.UnixMicro()-2*stretch))
	expect("due", "ZSCORE ab:{p07}:index rhxyz", "2.533707648e+17")
	expect("meta", "HMGET ab:meta schema partitions", "1\n16")

	rec = fixture.Must(t)(r.Change(ctx, "hxyz", fixture.Finish))
	expect("ended", "ZSCORE ab:{p07}:index rhxyz", fmt.Sprint(rec.EndedAt.UnixMicro()-stretch))
	expect("a claim, not a change, drops a delivery that is no longer due", "ZCARD ab:{p07}:index", "3")
	if batch, err := r.Claim(ctx, time.Minute, 5); err != nil || len(batch.IDs) != 0 || batch.Next >= 0 {
		t.Errorf("claim: %+v, %v; want none", batch, err)
	}
	expect("dropped", "ZRANGE ab:{p07}:index 0 -1", "thxyz\nrhxyz")
	expiry := fmt.Sprint(rec.EndedAt.Add(time.Hour).UnixMilli())
	expect("expiry", "PEXPIRETIME ab:{p07}:r:hxyz", expiry)
	fixture.Must(t)(r.Change(ctx, "hxyz", fixture.Bump))
	expect("expiry after a later change", "PEXPIRETIME ab:{p07}:r:hxyz", expiry)
	other := openRedis(t, Options{Addrs: []string{server.Addr}, Layout: Layout{Retention: time.Hour, Partitions: 16}})
	fixture.Must(t)(other.Change(ctx, "hxyz", fixture.Bump))
	if _, err := r.Change(ctx, "hxyz", func(*record.Record, time.Time) error { return storage.ErrUnchanged }); !errors.Is(err, storage.ErrUnchanged) {
		t.Error(err)
	}
	fixture.Must(t)(other.Change(ctx, "hxyz", fixture.Bump))
	fixture.Must(t)(r.Change(ctx, "hxyz", fixture.Bump)) // The first attempt conflicts, since this store has an old version.
	expect("expiry after a conflict", "PEXPIRETIME ab:{p07}:r:hxyz", expiry)
	tries := 0
	if _, err := r.Change(ctx, "hxyz", func(rec *record.Record, now time.Time) error {
		if tries++; tries > 1 {
			return storage.ErrUnchanged
		}
		fixture.Must(t)(other.Change(ctx, "hxyz", fixture.Bump))
		return fixture.Bump(rec, now)
	}); !errors.Is(err, storage.ErrUnchanged) || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	expect("expiry after a conflict and an unchanged record", "PEXPIRETIME ab:{p07}:r:hxyz", expiry)
	due := func(at time.Time) record.Transition {
		return func(r *record.Record, _ time.Time) error { r.DeliveryDue = at; return nil }
	}
	fixture.Must(t)(r.Change(ctx, "hxyz", due(time.Now())))
	expect("a record with a due delivery does not expire", "PTTL ab:{p07}:r:hxyz", "-1")
	fixture.Must(t)(r.Change(ctx, "hxyz", due(time.Time{})))
	expect("expiry after delivery", "PEXPIRETIME ab:{p07}:r:hxyz", expiry)
	server.Do("ZREM", "ab:{p07}:index", "lhxyz") // As a claim would.

	// Reading an index sometimes trims members of records that ended long ago, except those with a due
	// delivery.
	server.Do("ZADD", "ab:{p07}:index", "-4503599627369496", "rold", "-4503599627369496", "rleft", "-9007199254740000", "lleft", fmt.Sprint(time.Now().Add(-50*time.Minute).UnixMicro()-stretch), "rnew")
	r.indexes.trim.last = 0
	if _, err := r.Due(ctx, 1); err != nil {
		t.Error(err)
	}
	expect("trimmed", "ZRANGE ab:{p07}:index 0 -1", "thxyz\nlleft\nrleft\nrnew\nrhxyz")
}

func TestRedisRejectsDifferentLayout(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	openRedis(t, Options{Addrs: []string{server.Addr}})
	_, err := Open(t.Context(), Options{Addrs: []string{server.Addr}, Layout: Layout{Partitions: 8}})
	if err == nil || !strings.Contains(err.Error(), "partitions 1 ") {
		t.Errorf("with another number of partitions: %v", err)
	}
	openRedis(t, Options{Addrs: []string{server.Addr}, Layout: Layout{Prefix: "other", Partitions: 8}})
	server.Do("HSET", "ab:meta", "schema", "9")
	_, err = Open(t.Context(), Options{Addrs: []string{server.Addr}})
	if err == nil || !strings.Contains(err.Error(), "schema 9") {
		t.Errorf("newer schema: %v", err)
	}
	if _, err := New(nil, &Layout{Partitions: 17}); err == nil {
		t.Error("17 partitions were accepted")
	}
}

func TestRedisReloadsFlushedScripts(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), func(r *record.Record, now time.Time) error { r.DeliveryDue = now; return nil }))
	server.Do("SCRIPT", "FLUSH")
	fixture.Must(t)(r.Change(t.Context(), "a1", fixture.Bump))
	server.Do("SCRIPT", "FLUSH")
	batch, err := r.Claim(t.Context(), time.Minute, 5)
	if err != nil || len(batch.IDs) != 1 {
		t.Errorf("claim: %+v, %v", batch, err)
	}
	server.Do("SCRIPT", "FLUSH")
	if found, err := r.Scan(t.Context(), storage.Scan{Limit: 5}); err != nil || len(found) != 0 {
		t.Errorf("scan: %v, %v; want nothing, since no record is due", found, err)
	}
}

func TestCloseKeepsCallersClientOpen(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := goredis.NewClient(&goredis.Options{Addr: server.Addr})
	defer client.Close()
	r, err := New(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour)) // This reads the server's time first.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	notified := make(chan struct{}, 8)
	go func() { ended <- r.Watch(ctx, func(record.Notification) { notified <- struct{}{} }) }()
	<-notified
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, storage.ErrClosed) {
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
	advice, err := openRedis(t, Options{Addrs: []string{good.Addr}}).Advice(t.Context())
	if err != nil || len(advice) != 0 {
		t.Errorf("a good server: %q, %v", advice, err)
	}
	advice, err = openRedis(t, Options{Addrs: []string{bad.Addr}}).Advice(t.Context())
	if err != nil || len(advice) != 2 || !strings.Contains(advice[0], "volatile-lru") || !strings.Contains(advice[1], "appendonly") {
		t.Errorf("a bad server: %q, %v", advice, err)
	}
	cluster := redistest.StartCluster(t, 2)
	cluster[1].Do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	advice, err = openRedis(t, Options{Addrs: []string{cluster[0].Addr}, Cluster: true}).Advice(t.Context())
	if err != nil || len(advice) != 1 || !strings.Contains(advice[0], "allkeys-lru") {
		t.Errorf("a Cluster with one bad node: %q, %v", advice, err)
	}
}

func TestUnencryptedOmitsLocalAddresses(t *testing.T) {
	t.Parallel()
	addrs := []string{"127.0.0.1:6379", "[::1]:6379", "localhost:6379", "/run/redis.sock", ":6379", "redis:6379", "10.0.0.7:6379", "[2001:db8::7]:6379"}
	want := []string{"redis:6379", "10.0.0.7:6379", "[2001:db8::7]:6379"}
	if got := (Options{Addrs: addrs}).Unencrypted(); !slices.Equal(got, want) {
		t.Errorf("unencrypted: %q, want %q", got, want)
	}
	if got := (Options{Addrs: addrs, TLS: &tls.Config{}}).Unencrypted(); got != nil {
		t.Errorf("with TLS: %q", got)
	}
}

func TestParseRedisURL(t *testing.T) {
	t.Parallel()
	o, err := ParseURL("rediss://ada:s3cret@redis.example:6380/2")
	if err != nil {
		t.Fatal(err)
	}
	if o.Addrs[0] != "redis.example:6380" || o.Username != "ada" || o.Password != "s3cret" || o.DB != 2 || o.TLS == nil {
		t.Errorf("got %+v", o)
	}
	o, err = ParseURL("unix:///run/redis.sock?db=3")
	if err != nil || o.Addrs[0] != "/run/redis.sock" || o.DB != 3 || o.TLS != nil {
		t.Errorf("socket: %+v, %v", o, err)
	}
	for _, bad := range []string{
		"redis://ada:canary%zz@host", "http://ada:canary@host", "redis://ada:canary@host/notadb", "redis://ada:canary@host?dial_timeout=3", "",
	} {
		if _, err := ParseURL(bad); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v, want an error without the password", bad, err)
		}
	}
}

// redisSix rejects SET with NX and GET, as Redis 6 does.
type redisSix struct{ newer *goredis.Client }

func (redisSix) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (redisSix) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

func (s redisSix) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		if cmd.Name() == "set" && slices.Contains(cmd.Args(), any("NX")) && slices.Contains(cmd.Args(), any("GET")) {
			cmd.SetErr(s.newer.Do(ctx, "SET", "k", "v", "NX", "XX").Err()) // Every version rejects this.
			return cmd.Err()
		}
		return next(ctx, cmd)
	}
}

func TestOldRedisIsRejected(t *testing.T) {
	t.Parallel()
	client := goredis.NewClient(&goredis.Options{Addr: redistest.Start(t).Addr})
	defer client.Close()
	r, err := New(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	newer := goredis.NewClient(client.Options())
	defer newer.Close()
	client.AddHook(redisSix{newer})
	if err := r.prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "older than Redis 7.0") {
		t.Errorf("a server without SET NX GET: %v, want an error that names the version", err)
	}
}

func TestClusterNodeErrorNamesSetting(t *testing.T) {
	t.Parallel()
	var failed []string
	for _, node := range redistest.StartCluster(t, 2) {
		r, err := Open(t.Context(), Options{Addrs: []string{node.Addr}})
		if err == nil { // This node has the keys that Open reads.
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		failed = append(failed, err.Error())
		if !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "store.redis.cluster") {
			t.Errorf("a node: %v, want an error that names store.redis.cluster", err)
		}
	}
	if len(failed) != 1 {
		t.Errorf("%d of two nodes failed, want 1: %q", len(failed), failed)
	}
}
