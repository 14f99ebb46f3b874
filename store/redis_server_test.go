package store

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

	"github.com/redis/go-redis/v9"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/test/redistest"
)

const (
	bridgeUser     = "bridge-under-test"
	bridgePassword = "not-a-secret"
)

// leastRights makes a server know a user who may do what a bridge must and
// nothing else, with keys of the prefix.
func leastRights(prefix string) []string {
	return append([]string{"--user", bridgeUser, "on", ">" + bridgePassword}, RedisRights(prefix)...)
}

// asBridge connects as that user.
func asBridge(o RedisOptions) RedisOptions {
	o.Username, o.Password = bridgeUser, bridgePassword
	return o
}

func TestTheDocumentListsTheRightsOfTheUser(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	if rights := strings.Join(RedisRights(""), " "); !strings.Contains(strings.Join(strings.Fields(string(data)), " "), "ACL SETUSER askbridge on >secret "+rights+" ```") {
		t.Errorf("docs/reliability.md does not list %s", rights)
	}
}

func TestRedisRightsAreTheLeast(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, leastRights("")...)
	r := openRedis(t, asBridge(RedisOptions{Addrs: []string{server.Addr}, DB: 1}))
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
		err := fmt.Sprint(r.client.Do(t.Context(), command...).Err())
		if !strings.Contains(err, "NOPERM") && !strings.Contains(err, "can't access") {
			t.Errorf("%v: %v, want a refusal", command, err)
		}
	}

	// Each right is needed: without it, something of a whole life fails. Those
	// that only a Cluster or the connection needs are proved elsewhere.
	spare := []string{"+hello", "+ping", "+command", "+cluster|slots", "+asking", "+select", "+client|setname", "+auth", "+info", "+wait"}
	for right := range strings.FieldsSeq(redisCommands) {
		if slices.Contains(spare, right) {
			continue
		}
		server.Do("ACL", "SETUSER", bridgeUser, "-"+right[1:])
		if err := everything(t.Context(), server, asBridge(RedisOptions{Addrs: []string{server.Addr}})); err == nil {
			t.Errorf("without %s everything works", right)
		}
		server.Do("ACL", "SETUSER", bridgeUser, right)
	}
	if err := everything(t.Context(), server, asBridge(RedisOptions{Addrs: []string{server.Addr}})); err != nil {
		t.Errorf("with all rights: %v", err)
	}
}

// everything uses all of a store once, on an empty server.
func everything(ctx context.Context, server *redistest.Server, o RedisOptions) error {
	server.Do("FLUSHALL")
	server.Do("SCRIPT", "FLUSH")
	r, err := OpenRedis(ctx, o)
	if err != nil {
		return err
	}
	defer r.Close()
	var all []error
	try := func(err error) { all = append(all, err) }
	cold, err := OpenRedis(ctx, o)
	if err != nil {
		return err
	}
	defer cold.Close()
	lag := func(r *bridge.Record, now time.Time) error {
		r.DeliveryDue, r.Due = now.Add(-time.Second), now.Add(time.Hour)
		return nil
	}
	for _, id := range []string{"a1", "a2", "a3"} {
		_, err = r.Create(ctx, plain(id), lag)
		try(err)
	}
	_, err = cold.Change(ctx, "a1", finish)
	try(err)
	_, err = r.Change(ctx, "a1", bump)
	try(err)
	_, err = r.Change(ctx, "a2", func(r *bridge.Record, _ time.Time) error { r.DeliveryDue = time.Time{}; return nil })
	try(err)
	_, err = cold.Change(ctx, "none", bump)
	if !errors.Is(err, bridge.ErrNotFound) {
		try(err)
	}
	server.Do("DEL", r.keys.record("a2"))
	if _, err = r.Change(ctx, "a2", bump); !errors.Is(err, bridge.ErrNotFound) {
		try(err)
	}
	_, err = r.Claim(ctx, time.Minute, 5)
	try(err)
	_, err = r.Due(ctx, 5)
	try(err)
	_, err = r.Scan(ctx, bridge.Scan{Limit: 5, From: time.Unix(1, 0), After: "a"})
	try(err)
	due := r.recentDue("a3")
	_, err = r.Scan(ctx, bridge.Scan{Limit: 5, From: due, After: "a"})
	try(err)
	try(r.client.Publish(ctx, r.keys.wake(), "").Err())
	sub := r.client.Subscribe(ctx, r.keys.wake())
	_, err = sub.Receive(ctx)
	try(errors.Join(err, sub.Close()))
	return errors.Join(all...)
}

// recentDue is when a remembered record is due.
func (r *Redis) recentDue(id string) time.Time {
	if e := r.recent.get(id); e != nil {
		return e.rec.Due
	}
	return time.Time{}
}

func TestRedisOverTLS(t *testing.T) {
	t.Parallel()
	server, stranger := redistest.StartTLS(t), redistest.StartTLS(t)
	o, err := ParseRedisURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	o.TLS.RootCAs = server.TLS.RootCAs
	r := openRedis(t, o)
	must(t)(r.Create(t.Context(), plain("a1"), dueInAnHour))
	watched(t, r)

	refused := func(what string, o RedisOptions) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := OpenRedis(ctx, o); !errors.Is(err, bridge.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", what, err)
		}
	}
	o.TLS = stranger.TLS
	refused("another authority", o)
	if _, err := OpenRedis(t.Context(), o); !isUnknownAuthority(err) {
		t.Errorf("another authority: %v, want an error that says so", err)
	}
	o.TLS = nil
	refused("plain text", o)
	system, err := ParseRedisURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	refused("the system's authorities", system)
}

func isUnknownAuthority(err error) bool {
	_, ok := errors.AsType[x509.UnknownAuthorityError](err)
	return ok
}

// Each refusal of Redis to write is an ErrUnavailable that says in words what is
// wrong, and leaves nothing half written.
func TestRedisRefusedWrites(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	for _, c := range []struct {
		name, says     string
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
			"it became a replica", "read-only replica",
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
				waitFor(t, "the snapshot to fail", func() bool {
					return strings.Contains(s.Do("INFO", "persistence"), "rdb_last_bgsave_status:err")
				})
			},
			func(t *testing.T, s *redistest.Server) {
				if err := os.RemoveAll(filepath.Join(s.Dir, "dump.rdb")); err != nil {
					t.Fatal(err)
				}
				s.Do("BGSAVE")
				waitFor(t, "a snapshot to succeed", func() bool {
					return strings.Contains(s.Do("INFO", "persistence"), "rdb_last_bgsave_status:ok")
				})
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t, c.settings...)
			r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
			before := must(t)(r.Create(t.Context(), plain("a1"), func(r *bridge.Record, now time.Time) error {
				r.DeliveryDue = now
				return dueInAnHour(r, now)
			}))
			index := server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES")
			c.spoil(t, server)
			replica := strings.Contains(server.Do("INFO", "replication"), "role:slave")
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, create := r.Create(ctx, plain("a2"), dueInAnHour)
			_, change := r.Change(ctx, "a1", finish)
			_, claim := r.Claim(ctx, time.Minute, 5)
			for op, err := range map[string]error{"create": create, "change": change, "claim": claim} {
				if op == "claim" && replica {
					continue // The master, whose data it now has, knows no record.
				}
				if !errors.Is(err, bridge.ErrUnavailable) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v, want ErrUnavailable and %q", op, err, c.says)
				}
			}
			c.restore(t, server)
			if replica {
				return
			}
			if got := server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES"); got != index {
				t.Errorf("index: %q, want it as it was: %q", got, index)
			}
			equal(t, "record", must(t)(r.Load(t.Context(), "a1")), before)
			must(t)(r.Change(t.Context(), "a1", bump))
			must(t)(r.Create(t.Context(), plain("a2"), dueInAnHour))
		})
	}
}

func TestRedisWaitsForReplicas(t *testing.T) {
	t.Parallel()
	master := redistest.Start(t)
	replica := redistest.StartReplica(t, master)
	layout := RedisLayout{Replicas: 1, ReplicaWait: time.Second}
	r, trips := countedRedis(t, master, layout)
	ctx := t.Context()
	lag := func(r *bridge.Record, now time.Time) error { r.DeliveryDue = now; return dueInAnHour(r, now) }
	_, _ = r.Create(ctx, plain("first"), lag) // The replica may not take part yet.
	waitFor(t, "a change to reach the replica", func() bool {
		_, err := r.Change(ctx, "first", bump) // The script is known from here on.
		return err == nil
	})
	must(t)(r.Create(ctx, plain("a1"), lag))
	must(t)(r.Change(ctx, "a1", bump))
	trips()
	want := must(t)(r.Change(ctx, "a1", bump))
	if n := trips(); n != 1 {
		t.Errorf("a durable change took %d round trips, want 1", n)
	}
	if got := replica.Do("GET", r.keys.record("a1")); !strings.Contains(got, `"v":3`) {
		t.Errorf("the replica has %s, want version 3", got)
	}
	master.Do("SCRIPT", "FLUSH")
	must(t)(r.Change(ctx, "a1", bump))

	// Without enough replicas it is said, and kept.
	replica.Kill()
	r.layout.ReplicaWait = 20 * time.Millisecond
	short := func(what string, rec bridge.Record, err error, version int64) {
		t.Helper()
		if !errors.Is(err, bridge.ErrNotReplicated) || errors.Is(err, bridge.ErrUnavailable) || rec.Version != version {
			t.Errorf("%s: version %d, %v; want version %d and bridge.ErrNotReplicated", what, rec.Version, err, version)
		}
		if stored := must(t)(r.Load(ctx, rec.ID)); stored.Version != version {
			t.Errorf("%s: version %d is stored, want %d", what, stored.Version, version)
		}
	}
	rec, err := r.Change(ctx, "a1", finish)
	short("change", rec, err, want.Version+2)
	rec, err = r.Create(ctx, plain("a2"), lag)
	short("create", rec, err, 1)
	rec, err = r.Create(ctx, plain("a2"), lag)
	if !errors.Is(err, bridge.ErrExists) || rec.Version != 1 {
		t.Errorf("create again: version %d, %v; want ErrExists", rec.Version, err)
	}
	replica.Again()
	waitFor(t, "a change to reach the replica again", func() bool {
		_, err := r.Change(ctx, "a2", bump)
		return err == nil
	})
	if _, err := NewRedis(nil, &RedisLayout{Replicas: 1, ReplicaWait: 2 * time.Second}); err == nil {
		t.Error("a wait that the client would not sit out was accepted")
	}
}

func TestRedisWaitsForReplicasInACluster(t *testing.T) {
	t.Parallel()
	var addrs []string
	for _, node := range redistest.StartCluster(t, 2, leastRights("")...) {
		addrs = append(addrs, node.Addr)
	}
	r := openRedis(t, asBridge(RedisOptions{Addrs: addrs, RedisLayout: RedisLayout{Replicas: 1, ReplicaWait: 10 * time.Millisecond}}))
	for _, id := range []string{"a1", "b1", "c1", "d1"} {
		rec, err := r.Create(t.Context(), plain(id), dueInAnHour)
		if !errors.Is(err, bridge.ErrNotReplicated) || rec.Version != 1 {
			t.Errorf("create %s: version %d, %v; want bridge.ErrNotReplicated", id, rec.Version, err)
		}
		rec, err = r.Change(t.Context(), id, bump)
		if !errors.Is(err, bridge.ErrNotReplicated) || rec.Version != 2 {
			t.Errorf("change %s: version %d, %v; want bridge.ErrNotReplicated", id, rec.Version, err)
		}
	}
}

func TestRedisThatWasFlushedSaysGone(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	r := openRedis(t, RedisOptions{Addrs: []string{server.Addr}})
	ctx := t.Context()
	lost := func(what string, err error, want bool) {
		t.Helper()
		if !errors.Is(err, bridge.ErrNotFound) || errors.Is(err, bridge.ErrGone) != want {
			t.Errorf("%s: %v, want ErrNotFound, gone: %v", what, err, want)
		}
	}
	for _, id := range []string{"a1", "a2", "a3"} {
		must(t)(r.Create(ctx, plain(id), dueInAnHour))
	}
	must(t)(r.Change(ctx, "a3", finish))
	server.Do("FLUSHALL")
	_, err := r.Change(ctx, "a1", bump)
	lost("a click", err, true)
	_, err = r.Load(ctx, "a2")
	lost("a look", err, true)
	_, err = r.Load(ctx, "a3")
	lost("one that had ended", err, false)
	_, err = r.Load(ctx, "a4")
	lost("one that never was", err, false)
}

func TestRedisCallersClientNeedNotBeOurs(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 3})
	defer client.Close()
	r, err := NewRedis(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	must(t)(r.Create(t.Context(), plain("a1"), dueInAnHour))
	must(t)(r.Change(t.Context(), "a1", bump))
	if batch, err := r.Due(t.Context(), 5); err != nil || batch.Next <= 0 {
		t.Errorf("due: %+v, %v", batch, err)
	}
	if found, err := r.Scan(t.Context(), bridge.Scan{Limit: 5}); err != nil || len(found) != 1 {
		t.Errorf("scan: %v, %v", found, err)
	}
}
