package redis

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/store/internal/fixture"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/test/redistest"
)

// withUser starts a server with a user who has some rules of ACL SETUSER.
func withUser(t *testing.T, rules ...string) *redistest.Server {
	t.Helper()
	return redistest.Start(t, append([]string{"--user", bridgeUser, "on", ">" + bridgePassword}, rules...)...)
}

func isKind(err error, kind storage.StoreKind) bool {
	failed, ok := errors.AsType[*storage.StoreError](err)
	return ok && failed.Kind == kind && errors.Is(err, storage.ErrUnavailable)
}

func TestStartNamesMissingPermissions(t *testing.T) {
	t.Parallel()
	grant := ": ACL SETUSER " + bridgeUser + " "
	for name, c := range map[string]struct {
		rules []string
		says  []string
	}{
		"no channels, as Redis makes users": {
			[]string{"~*", "+@all"},
			[]string{"the Redis user " + bridgeUser + " cannot publish to ab:*, subscribe to ab:*", grant + "&ab:*"},
		},
		"channels of another prefix": {[]string{"~*", "+@all", "&other:*"}, []string{"cannot publish to ab:*", grant + "&ab:*"}},
		"no keys":                    {[]string{"&*", "+@all"}, []string{"cannot use the keys ab:*", grant + "~ab:*"}},
		"keys to read only":          {[]string{"%R~ab:*", "&*", "+@all"}, []string{"cannot use the keys ab:*", grant + "~ab:*"}},
		"no publishing":              {[]string{"~*", "&*", "+@all", "-publish"}, []string{"cannot run publish", grant + "+publish"}},
		"no subscribing":             {[]string{"~*", "&*", "+@all", "-subscribe"}, []string{"cannot run subscribe", grant + "+subscribe"}},
		"several commands":           {[]string{"~*", "&*", "+@all", "-zadd", "-zrem"}, []string{"cannot run zadd, run zrem", grant + "+zadd +zrem"}},
		"no scripts":                 {[]string{"~*", "&*", "+@all", "-@scripting"}, []string{"cannot run eval, run evalsha", grant + "+eval +evalsha"}},
		"no other databases":         {[]string{"~*", "&*", "+@all", "-select"}, []string{"cannot run select", grant + "+select"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := withUser(t, c.rules...)
			o := asBridge(Options{Addrs: []string{server.Addr}})
			if strings.Contains(name, "databases") {
				o.DB = 1
			}
			r, err := Open(t.Context(), o)
			if err == nil {
				t.Fatal("it starts", r.Close())
			}
			if !isKind(err, storage.StoreDenied) {
				t.Errorf("%v is not a missing permission", err)
			}
			for _, says := range c.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("it says %q, want %q", err, says)
				}
			}
			if keys := server.Do("KEYS", "*:r:*"); keys != "" {
				t.Errorf("it leaves %s behind", keys)
			}
		})
	}
}

func TestStartNamesPermissionMissingOnOneNode(t *testing.T) {
	t.Parallel()
	nodes := redistest.StartCluster(t, 2, leastRights("")...)
	var addrs []string
	for _, node := range nodes {
		addrs = append(addrs, node.Addr)
	}
	nodes[1].Do("ACL", "SETUSER", bridgeUser, "resetchannels")
	r, err := Open(t.Context(), asBridge(Options{Addrs: addrs}))
	if err == nil {
		t.Fatal("it starts", r.Close())
	}
	if !strings.Contains(err.Error(), "publish to ab:*") || !strings.Contains(err.Error(), "ACL SETUSER "+bridgeUser+" &ab:*") {
		t.Errorf("it says %q", err)
	}
}

func TestClientAndInfoAreOptional(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) Options{
		"a server without CLIENT": func(t *testing.T) Options {
			return Options{Addrs: []string{redistest.Start(t, "--rename-command", "CLIENT", "").Addr}}
		},
		"a user without them": func(t *testing.T) Options {
			return asBridge(Options{Addrs: []string{withUser(t, append(Rights(""), "-client|setname", "-info")...).Addr}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openRedis(t, start(t))
			fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
			watched(t, r)
		})
	}
}

// logged is a log that a test reads while a store writes it.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// Redis does not roll a script back: an error in the notification came after the record was
// stored, so the caller read "not stored", and cards and reminders stayed behind.
func TestAnswerIsStoredWhenNotificationIsRefused(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string][2]string{
		"the channels": {"resetchannels", "&ab:*"}, "the command": {"-publish", "+publish"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t, leastRights("")...)
			log := &logged{}
			o := asBridge(Options{Addrs: []string{server.Addr}, Layout: Layout{Logger: slog.New(slog.NewTextHandler(log, nil))}})
			here, there := openRedis(t, o), openRedis(t, o)
			near, far := listens(t, here), listens(t, there)
			defer near.stop()
			defer far.stop()
			fixture.WaitFor(t, "both to know of each other", func() bool { return !here.peers.alone.Load() && !there.peers.alone.Load() })
			server.Do("ACL", "SETUSER", bridgeUser, rule[0])

			ctx := t.Context()
			before := near.notifications.Load()
			fixture.Must(t)(here.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
			fixture.Must(t)(here.Create(ctx, fixture.Plain("a2"), fixture.Nothing))
			fixture.Must(t)(here.Change(ctx, "a1", fixture.Bump))
			ended := fixture.Must(t)(here.Change(ctx, "a1", answered))
			if got := near.notifications.Load() - before; got < 4 {
				t.Errorf("the watcher of this process has %d notifications, want 4", got)
			}
			fixture.Equal(t, "what another bridge loads", fixture.Must(t)(there.Load(ctx, "a1")), ended)
			if b, err := there.Claim(ctx, time.Minute, 5); err != nil || len(b.IDs) != 1 || b.IDs[0] != "a1" {
				t.Errorf("another bridge can bring the card up to date: %v, %v; want a1", b.IDs, err)
			}
			if open, err := there.Scan(ctx, storage.Scan{Limit: 5}); err != nil || len(open) != 0 {
				t.Errorf("still listed as open: %d, %v", len(open), err)
			}
			const line = "redis notifications refused, polling instead"
			if n := log.count(line); n < 1 || n > 2 {
				t.Errorf("%d lines %q of two stores, want one of each at most:\n%s", n, line, &log.text)
			}
			if err := here.CheckHealth(ctx); !isKind(err, storage.StoreDenied) {
				t.Errorf("health: %v, want a missing permission", err)
			}

			server.Do("ACL", "SETUSER", bridgeUser, rule[1])
			fixture.WaitFor(t, "health when the permission is back", func() bool { return here.CheckHealth(ctx) == nil })
			heard := far.notifications.Load()
			fixture.WaitFor(t, "the other bridge to have news again", func() bool {
				fixture.Must(t)(here.Change(ctx, "a1", fixture.Bump))
				return far.notifications.Load() > heard
			})
		})
	}
}

// Each script either changes everything or nothing when Redis refuses one of its commands.
// Other replicas and the audit trail depend on it: they read everything again when they may have missed something.
func TestWatchersPollWhileNotificationsAreRefused(t *testing.T) {
	t.Parallel()
	server := withUser(t, "~*", "&*", "+@all")
	r, err := Open(t.Context(), asBridge(Options{Addrs: []string{server.Addr}}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	r.quiet = 20 * time.Millisecond
	gaps := make(chan struct{}, 100)
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() {
		_ = r.Watch(ctx, func(n record.Notification) {
			if n.ID == "" {
				gaps <- struct{}{}
			}
		})
	})
	defer watching.Wait()
	defer stop()
	<-gaps // The first subscription.
	server.Do("ACL", "SETUSER", bridgeUser, "resetchannels")
	for range 3 {
		<-gaps
	}
}

func TestWritesAreAtomicWhenRedisRefusesCommands(t *testing.T) {
	t.Parallel()
	key := keyvalue.Key{Kind: "k", ID: "n"}
	end := func(ctx context.Context, r *Store) error { _, err := r.Change(ctx, "a1", answered); return err }
	put := func(ctx context.Context, r *Store) error {
		_, err := r.KeyValue().Put(ctx, key, []byte("new"), &keyvalue.PutOptions{TTL: time.Hour})
		return err
	}
	remove := func(ctx context.Context, r *Store) error { return r.KeyValue().Delete(ctx, key, "") }
	for name, c := range map[string]struct {
		rule string
		do   func(ctx context.Context, r *Store) error
		done bool
	}{
		"an answer without ZADD":  {"-zadd", end, false},
		"an answer without SET":   {"-set", end, false},
		"a value without ZADD":    {"-zadd", put, false},
		"a value without SET":     {"-set", put, false},
		"a deletion without ZREM": {"-zrem", remove, true},
		"a deletion without DEL":  {"-del", remove, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t, leastRights("")...)
			r := openRedis(t, asBridge(Options{Addrs: []string{server.Addr}}))
			ctx := t.Context()
			fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
			if _, err := r.KeyValue().Put(ctx, key, []byte("old"), nil); err != nil {
				t.Fatal(err)
			}
			look := func() string {
				return strings.Join([]string{
					server.Do("GET", r.keys.record("a1")), server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES"),
					server.Do("GET", r.keys.value(key)[0]),
				}, "\n")
			}
			before := look()
			server.Do("ACL", "SETUSER", bridgeUser, c.rule)
			err := c.do(ctx, r)
			if c.done != (err == nil) || err != nil && !isKind(err, storage.StoreDenied) {
				t.Errorf("it returns %v", err)
			}
			if after := look(); (after != before) != c.done {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
	t.Run("an answer whose index is something else", func(t *testing.T) {
		t.Parallel()
		server := redistest.Start(t)
		r := openRedis(t, Options{Addrs: []string{server.Addr}})
		fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
		server.Do("SET", r.keys.index("a1"), "somebody else's")
		before := server.Do("GET", r.keys.record("a1"))
		if err := end(t.Context(), r); err == nil {
			t.Error("it is stored")
		}
		if after := server.Do("GET", r.keys.record("a1")); after != before {
			t.Errorf("half of it is stored: %s", after)
		}
	})
	t.Run("a change of a record that is gone", func(t *testing.T) {
		t.Parallel()
		server := redistest.Start(t, leastRights("")...)
		r := openRedis(t, asBridge(Options{Addrs: []string{server.Addr}}))
		fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
		server.Do("DEL", r.keys.record("a1"))
		server.Do("ACL", "SETUSER", bridgeUser, "-del", "-zrem")
		_, _ = r.Change(t.Context(), "a1", fixture.Bump)
		if server.Do("GET", r.keys.record("a1")) != "" {
			t.Error("the record is back")
		}
	})
}
