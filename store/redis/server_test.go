package redis

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/test/redistest"
)

const (
	bridgeUser     = "bridge-under-test"
	bridgePassword = "not-a-secret"
)

// minimalUser returns server arguments that add a user with the permissions of [Rights].
func minimalUser(prefix string) []string {
	return append([]string{"--user", bridgeUser, "on", ">" + bridgePassword}, Rights(prefix)...)
}

// withMinimalUser connects as that user.
func withMinimalUser(o Options) Options {
	o.Username, o.Password = bridgeUser, bridgePassword
	return o
}

func TestDocumentListsRights(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	if rights := strings.Join(Rights(""), " "); !strings.Contains(strings.Join(strings.Fields(string(data)), " "), "ACL SETUSER askbridge on >secret "+rights+" ```") {
		t.Errorf("docs/reliability.md does not list %s", rights)
	}
}

func TestRedisRightsAreMinimal(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, minimalUser("")...)
	r := openRedis(t, withMinimalUser(Options{Addrs: []string{server.Addr}, DB: 1}))
	if _, err := r.Advice(t.Context()); err != nil {
		t.Error(err)
	}
	for _, command := range [][]any{
		{"KEYS", "*"},
		{"FLUSHALL"},
		{"CONFIG", "GET", "*"},
		{"ACL", "LIST"},
		{"GET", "other"},
		{"SCRIPT", "FLUSH"},
		{"PUBLISH", "other", "x"},
		{"MONITOR"},
		{"EVAL", "return redis.call('GET', 'other')", "0"},
	} {
		err := fmt.Sprint(r.conn.client.Do(t.Context(), command...).Err())
		if !strings.Contains(err, "NOPERM") && !strings.Contains(err, "can't access") {
			t.Errorf("%v: %v, want a refusal", command, err)
		}
	}

	// Each permission is needed: without it, something fails. Other tests cover those that only a
	// Cluster or the connection needs.
	other := []string{"+hello", "+ping", "+command", "+cluster|slots", "+asking", "+select", "+client|setname", "+auth", "+info", "+wait"}
	for right := range strings.FieldsSeq(needed) {
		if slices.Contains(other, right) {
			continue
		}
		server.Do("ACL", "SETUSER", bridgeUser, "-"+right[1:])
		if err := everything(t.Context(), server, withMinimalUser(Options{Addrs: []string{server.Addr}})); err == nil {
			t.Errorf("everything works without %s", right)
		}
		server.Do("ACL", "SETUSER", bridgeUser, right)
	}
	if err := everything(t.Context(), server, withMinimalUser(Options{Addrs: []string{server.Addr}})); err != nil {
		t.Errorf("with all permissions: %v", err)
	}
}

// everything uses each operation of a store once, on an empty server.
func everything(ctx context.Context, server *redistest.Server, o Options) error {
	server.Do("FLUSHALL")
	server.Do("SCRIPT", "FLUSH")
	r, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer r.Close()
	var all []error
	try := func(err error) { all = append(all, err) }
	cold, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer cold.Close()
	deliver := func(r *record.Record, now time.Time) error {
		r.DeliveryDue, r.Due = now.Add(-time.Second), now.Add(time.Hour)
		return nil
	}
	for _, id := range []string{"a1", "a2", "a3"} {
		_, err = r.Create(ctx, fixture.Plain(id), deliver)
		try(err)
	}
	_, err = cold.Change(ctx, "a1", fixture.Finish)
	try(err)
	_, err = r.Change(ctx, "a1", fixture.Bump)
	try(err)
	_, err = r.Change(ctx, "a2", func(r *record.Record, _ time.Time) error { r.DeliveryDue = time.Time{}; return nil })
	try(err)
	_, err = cold.Change(ctx, "none", fixture.Bump)
	if !errors.Is(err, storage.ErrNotFound) {
		try(err)
	}
	server.Do("DEL", r.keys.record("a2"))
	if _, err = r.Change(ctx, "a2", fixture.Bump); !errors.Is(err, storage.ErrNotFound) {
		try(err)
	}
	_, err = r.Claim(ctx, time.Minute, 5)
	try(err)
	_, err = r.Due(ctx, 5)
	try(err)
	_, err = r.Scan(ctx, storage.Scan{Limit: 5, From: time.Unix(1, 0), After: "a"})
	try(err)
	due := cachedDue(r, "a3")
	_, err = r.Scan(ctx, storage.Scan{Limit: 5, From: due, After: "a"})
	try(err)
	try(r.conn.client.Publish(ctx, r.keys.wake(), "").Err())
	sub := r.conn.client.Subscribe(ctx, r.keys.wake())
	_, err = sub.Receive(ctx)
	try(errors.Join(err, sub.Close()))
	return errors.Join(all...)
}

// cachedDue returns when a cached record is due.
func cachedDue(r *Store, id string) time.Time {
	if e := r.records.recent.get(id); e != nil {
		return e.Rec.Due
	}
	return time.Time{}
}

func TestRedisOverTLS(t *testing.T) {
	t.Parallel()
	server, stranger := redistest.StartTLS(t), redistest.StartTLS(t)
	o, err := ParseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	o.TLS.RootCAs = server.TLS.RootCAs
	r := openRedis(t, o)
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	watched(t, r)

	refused := func(what string, o Options) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := Open(ctx, o); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", what, err)
		}
	}
	o.TLS = stranger.TLS
	refused("another authority", o)
	if _, err := Open(t.Context(), o); !isUnknownAuthority(err) {
		t.Errorf("another authority: %v, want x509.UnknownAuthorityError", err)
	}
	o.TLS = nil
	refused("plain text", o)
	system, err := ParseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	refused("the system's authorities", system)
}

func isUnknownAuthority(err error) bool {
	_, ok := errors.AsType[x509.UnknownAuthorityError](err)
	return ok
}

// Each refused write returns ErrUnavailable with the cause in words, and changes nothing.
func TestRedisRefusedWrites(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	for _, c := range []struct {
		name, cause    string
		settings       []string
		spoil, restore func(t *testing.T, s *redistest.Server)
	}{
		{
			"memory is full", "out of memory",
			nil,
			func(_ *testing.T, s *redistest.Server) { s.Do("CONFIG", "SET", "maxmemory", "1") },
			func(_ *testing.T, s *redistest.Server) { s.Do("CONFIG", "SET", "maxmemory", "0") },
		},
		{
			"too few replicas", "too few replicas",
			nil,
			func(_ *testing.T, s *redistest.Server) { s.Do("CONFIG", "SET", "min-replicas-to-write", "1") },
			func(_ *testing.T, s *redistest.Server) { s.Do("CONFIG", "SET", "min-replicas-to-write", "0") },
		},
		{
			"it is a replica", "read-only replica",
			nil,
			func(t *testing.T, s *redistest.Server) {
				host, port, _ := strings.Cut(master.Addr, ":")
				s.Do("REPLICAOF", host, port)
			},
			func(_ *testing.T, s *redistest.Server) { s.Do("REPLICAOF", "NO", "ONE") },
		},
		{
			"the disk is full", "cannot write to its disk",
			[]string{"--appendonly", "no", "--save", "3600 1", "--dbfilename", "dump.rdb"},
			func(t *testing.T, s *redistest.Server) {
				// A snapshot cannot replace a directory.
				if err := os.MkdirAll(filepath.Join(s.Dir, "dump.rdb", "in the way"), 0o700); err != nil {
					t.Fatal(err)
				}
				s.Do("BGSAVE")
				fixture.WaitFor(t, "the snapshot to fail", func() bool {
					return strings.Contains(s.Do("INFO", "persistence"), "rdb_last_bgsave_status:err")
				})
			},
			func(t *testing.T, s *redistest.Server) {
				if err := os.RemoveAll(filepath.Join(s.Dir, "dump.rdb")); err != nil {
					t.Fatal(err)
				}
				s.Do("BGSAVE")
				fixture.WaitFor(t, "a snapshot to succeed", func() bool {
					return strings.Contains(s.Do("INFO", "persistence"), "rdb_last_bgsave_status:ok")
				})
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t, c.settings...)
			r := openRedis(t, Options{Addrs: []string{server.Addr}})
			before := fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), func(r *record.Record, now time.Time) error {
				r.DeliveryDue = now
				return fixture.DueInAnHour(r, now)
			}))
			index := server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES")
			c.spoil(t, server)
			replica := strings.Contains(server.Do("INFO", "replication"), "role:slave")
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, create := r.Create(ctx, fixture.Plain("a2"), fixture.DueInAnHour)
			_, change := r.Change(ctx, "a1", fixture.Finish)
			_, claim := r.Claim(ctx, time.Minute, 5)
			for op, err := range map[string]error{"create": create, "change": change, "claim": claim} {
				if op == "claim" && replica {
					continue // It now has the data of the master, which has no records.
				}
				if !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), c.cause) {
					t.Errorf("%s: %v, want ErrUnavailable and %q", op, err, c.cause)
				}
			}
			c.restore(t, server)
			if replica {
				return
			}
			if got := server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES"); got != index {
				t.Errorf("index: %q, want %q", got, index)
			}
			fixture.Equal(t, "record", fixture.Must(t)(r.Load(t.Context(), "a1")), before)
			fixture.Must(t)(r.Change(t.Context(), "a1", fixture.Bump))
			fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a2"), fixture.DueInAnHour))
		})
	}
}

func TestRedisWaitsForReplicas(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	replica := redistest.StartReplica(t, master)
	layout := Layout{Replicas: 1, ReplicaWait: maxReplicaWait}
	r, trips := countedRedis(t, master, layout)
	ctx := t.Context()
	deliver := func(r *record.Record, now time.Time) error { r.DeliveryDue = now; return fixture.DueInAnHour(r, now) }
	_, _ = r.Create(ctx, fixture.Plain("first"), deliver) // The replica may not have connected yet.
	fixture.WaitFor(t, "a change to reach the replica", func() bool {
		_, err := r.Change(ctx, "first", fixture.Bump) // This loads the script.
		return err == nil
	})
	fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), deliver))
	fixture.Must(t)(r.Change(ctx, "a1", fixture.Bump))
	trips()
	want := fixture.Must(t)(r.Change(ctx, "a1", fixture.Bump))
	if n := trips(); n != 1 {
		t.Errorf("a durable change took %d round trips, want 1", n)
	}
	if got := replica.Do("GET", r.keys.record("a1")); !strings.Contains(got, `"v":3`) {
		t.Errorf("the replica has %s, want version 3", got)
	}
	master.Do("SCRIPT", "FLUSH")
	fixture.Must(t)(r.Change(ctx, "a1", fixture.Bump))

	// With too few replicas the record is stored, and the error reports it.
	replica.Kill()
	r.conn.replicaWait = 20 * time.Millisecond
	short := func(what string, rec record.Record, err error, version int64) {
		t.Helper()
		if !errors.Is(err, storage.ErrNotReplicated) || errors.Is(err, storage.ErrUnavailable) || rec.Version != version {
			t.Errorf("%s: version %d, %v; want version %d and storage.ErrNotReplicated", what, rec.Version, err, version)
		}
		if stored := fixture.Must(t)(r.Load(ctx, rec.ID)); stored.Version != version {
			t.Errorf("%s: version %d is stored, want %d", what, stored.Version, version)
		}
	}
	rec, err := r.Change(ctx, "a1", fixture.Finish)
	short("change", rec, err, want.Version+2)
	rec, err = r.Create(ctx, fixture.Plain("a2"), deliver)
	short("create", rec, err, 1)
	rec, err = r.Create(ctx, fixture.Plain("a2"), deliver)
	if !errors.Is(err, storage.ErrExists) || rec.Version != 1 {
		t.Errorf("create again: version %d, %v; want ErrExists", rec.Version, err)
	}
	replica.Again()
	fixture.WaitFor(t, "a change to reach the replica again", func() bool {
		_, err := r.Change(ctx, "a2", fixture.Bump)
		return err == nil
	})
	if _, err := New(nil, &Layout{Replicas: 1, ReplicaWait: 2 * time.Second}); err == nil {
		t.Error("accepted a wait longer than the client's timeout")
	}
}

func TestRedisWaitsForReplicasInACluster(t *testing.T) {
	t.Parallel()
	var addrs []string
	for _, node := range redistest.StartCluster(t, 2, minimalUser("")...) {
		addrs = append(addrs, node.Addr)
	}
	r := openRedis(t, withMinimalUser(Options{Addrs: addrs, Layout: Layout{Replicas: 1, ReplicaWait: 10 * time.Millisecond}}))
	for _, id := range []string{"a1", "b1", "c1", "d1"} {
		rec, err := r.Create(t.Context(), fixture.Plain(id), fixture.DueInAnHour)
		if !errors.Is(err, storage.ErrNotReplicated) || rec.Version != 1 {
			t.Errorf("create %s: version %d, %v; want storage.ErrNotReplicated", id, rec.Version, err)
		}
		rec, err = r.Change(t.Context(), id, fixture.Bump)
		if !errors.Is(err, storage.ErrNotReplicated) || rec.Version != 2 {
			t.Errorf("change %s: version %d, %v; want storage.ErrNotReplicated", id, rec.Version, err)
		}
	}
}

// A slot of a Cluster moves key by key. Its old node redirects commands for keys that it no longer has.
func TestRequestsDuringSlotMigration(t *testing.T) {
	t.Parallel()
	nodes := redistest.StartCluster(t, 2)
	for name, layout := range map[string]Layout{"no replicas required": {Prefix: "plain"}, "replicas required": {Prefix: "waits", Replicas: 1, ReplicaWait: time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			r := openRedis(t, Options{Addrs: []string{nodes[0].Addr, nodes[1].Addr}, Layout: layout})
			ctx := t.Context()
			done := func(what string, version int64, rec record.Record, err error) {
				t.Helper()
				if err != nil && !errors.Is(err, storage.ErrNotReplicated) || rec.Version != version {
					t.Errorf("%s: version %d, %v; want %d", what, rec.Version, err, version)
				}
			}
			create := func(what, id string) {
				t.Helper()
				rec, err := r.Create(ctx, fixture.Plain(id), fixture.DueInAnHour)
				done(what, 1, rec, err)
			}
			create("before", "a1")
			from, to := nodes[0], nodes[1]
			slot := from.Do("CLUSTER", "KEYSLOT", r.keys.record("a1"))
			if from.Do("CLUSTER", "COUNTKEYSINSLOT", slot) == "0" {
				from, to = to, from
			}
			to.Do("CLUSTER", "SETSLOT", slot, "IMPORTING", from.Do("CLUSTER", "MYID"))
			from.Do("CLUSTER", "SETSLOT", slot, "MIGRATING", to.Do("CLUSTER", "MYID"))
			create("before any key has moved", "a2")
			host, port, _ := strings.Cut(to.Addr, ":")
			for key := range strings.FieldsSeq(from.Do("CLUSTER", "GETKEYSINSLOT", slot, "100")) {
				from.Do("MIGRATE", host, port, key, "0", "5000")
			}
			create("after all keys have moved", "a3")
			rec, err := r.Change(ctx, "a1", fixture.Finish)
			done("answer", 2, rec, err)
			for _, node := range []*redistest.Server{to, from} {
				node.Do("CLUSTER", "SETSLOT", slot, "NODE", to.Do("CLUSTER", "MYID"))
			}
			for id, version := range map[string]int64{"a1": 2, "a2": 1, "a3": 1} {
				rec, err := r.Load(ctx, id)
				done(id+" afterwards", version, rec, err)
			}
			if found, err := r.Scan(ctx, storage.Scan{Limit: 5}); err != nil || len(found) != 2 {
				t.Errorf("%d records are open, %v; want 2", len(found), err)
			}
		})
	}
}

func TestRedisFlushedRecordIsGone(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, Options{Addrs: []string{server.Addr}})
	ctx := t.Context()
	lost := func(what string, err error, want bool) {
		t.Helper()
		if !errors.Is(err, storage.ErrNotFound) || errors.Is(err, ask.ErrGone) != want {
			t.Errorf("%s: %v, want ErrNotFound, gone: %v", what, err, want)
		}
	}
	for _, id := range []string{"a1", "a2", "a3"} {
		fixture.Must(t)(r.Create(ctx, fixture.Plain(id), fixture.DueInAnHour))
	}
	fixture.Must(t)(r.Change(ctx, "a3", fixture.Finish))
	server.Do("FLUSHALL")
	_, err := r.Change(ctx, "a1", fixture.Bump)
	lost("a click", err, true)
	_, err = r.Load(ctx, "a2")
	lost("a load", err, true)
	_, err = r.Load(ctx, "a3")
	lost("an ended record", err, false)
	_, err = r.Load(ctx, "a4")
	lost("a record that never existed", err, false)
}

func TestRedisWithCallersClient(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := goredis.NewClient(&goredis.Options{Addr: server.Addr, Protocol: 3})
	defer client.Close()
	r, err := New(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
	fixture.Must(t)(r.Change(t.Context(), "a1", fixture.Bump))
	if batch, err := r.Due(t.Context(), 5); err != nil || batch.Next <= 0 {
		t.Errorf("due: %+v, %v", batch, err)
	}
	if found, err := r.Scan(t.Context(), storage.Scan{Limit: 5}); err != nil || len(found) != 1 {
		t.Errorf("scan: %v, %v", found, err)
	}
}
