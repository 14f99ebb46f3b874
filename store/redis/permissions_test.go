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

// startWithUser starts a server with a user that has the given rules of ACL SETUSER.
func startWithUser(t *testing.T, rules ...string) *redistest.Server {
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
		want  []string
	}{
		"no channels, the default of Redis": {
			[]string{"~*", "+@all"},
			[]string{"the Redis user " + bridgeUser + " cannot publish to ab:*, subscribe to ab:*", grant + "&ab:*"},
		},
		"channels of another prefix": {[]string{"~*", "+@all", "&other:*"}, []string{"cannot publish to ab:*", grant + "&ab:*"}},
		"no keys":                    {[]string{"&*", "+@all"}, []string{"cannot use the keys ab:*", grant + "~ab:*"}},
		"read-only keys":             {[]string{"%R~ab:*", "&*", "+@all"}, []string{"cannot use the keys ab:*", grant + "~ab:*"}},
		"no publishing":              {[]string{"~*", "&*", "+@all", "-publish"}, []string{"cannot run publish", grant + "+publish"}},
		"no subscribing":             {[]string{"~*", "&*", "+@all", "-subscribe"}, []string{"cannot run subscribe", grant + "+subscribe"}},
		"several commands":           {[]string{"~*", "&*", "+@all", "-zadd", "-zrem"}, []string{"cannot run zadd, run zrem", grant + "+zadd +zrem"}},
		"no scripts":                 {[]string{"~*", "&*", "+@all", "-@scripting"}, []string{"cannot run eval, run evalsha", grant + "+eval +evalsha"}},
		"no other databases":         {[]string{"~*", "&*", "+@all", "-select"}, []string{"cannot run select", grant + "+select"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startWithUser(t, c.rules...)
			o := withMinimalUser(Options{Addrs: []string{server.Addr}})
			if strings.Contains(name, "databases") {
				o.DB = 1
			}
			r, err := Open(t.Context(), o)
			if err == nil {
				t.Fatal("Open succeeded", r.Close())
			}
			if !isKind(err, storage.StoreDenied) {
				t.Errorf("%v, want the kind StoreDenied", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want %q", err, want)
				}
			}
			if keys := server.Do("KEYS", "*:r:*"); keys != "" {
				t.Errorf("the check left the keys %s", keys)
			}
		})
	}
}

func TestStartNamesPermissionMissingOnOneNode(t *testing.T) {
	t.Parallel()
	nodes := redistest.StartCluster(t, 2, minimalUser("")...)
	var addrs []string
	for _, node := range nodes {
		addrs = append(addrs, node.Addr)
	}
	nodes[1].Do("ACL", "SETUSER", bridgeUser, "resetchannels")
	r, err := Open(t.Context(), withMinimalUser(Options{Addrs: addrs}))
	if err == nil {
		t.Fatal("Open succeeded", r.Close())
	}
	if !strings.Contains(err.Error(), "publish to ab:*") || !strings.Contains(err.Error(), "ACL SETUSER "+bridgeUser+" &ab:*") {
		t.Errorf("error %q, want the missing channel permission", err)
	}
}

func TestClientAndInfoAreOptional(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) Options{
		"a server without CLIENT": func(t *testing.T) Options {
			return Options{Addrs: []string{redistest.Start(t, "--rename-command", "CLIENT", "").Addr}}
		},
		"a user without them": func(t *testing.T) Options {
			return withMinimalUser(Options{Addrs: []string{startWithUser(t, append(Rights(""), "-client|setname", "-info")...).Addr}})
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

// logged is a log that a test can read while a store writes to it.
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

// Redis does not roll back a script. A refused notification failed the script after the record was stored, so
// the caller received an error, and cards and reminders were not updated.
func TestAnswerIsStoredWhenNotificationIsRefused(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string][2]string{
		"the channels": {"resetchannels", "&ab:*"}, "the command": {"-publish", "+publish"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t, minimalUser("")...)
			log := &logged{}
			o := withMinimalUser(Options{Addrs: []string{server.Addr}, Layout: Layout{Logger: slog.New(slog.NewTextHandler(log, nil))}})
			here, there := openRedis(t, o), openRedis(t, o)
			near, far := startWatch(t, here), startWatch(t, there)
			defer near.stop()
			defer far.stop()
			fixture.WaitFor(t, "both to find each other", func() bool { return !here.notifier.alone.Load() && !there.notifier.alone.Load() })
			server.Do("ACL", "SETUSER", bridgeUser, rule[0])

			ctx := t.Context()
			before := near.notifications.Load()
			fixture.Must(t)(here.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
			fixture.Must(t)(here.Create(ctx, fixture.Plain("a2"), fixture.Nothing))
			fixture.Must(t)(here.Change(ctx, "a1", fixture.Bump))
			ended := fixture.Must(t)(here.Change(ctx, "a1", answered))
			if got := near.notifications.Load() - before; got < 4 {
				t.Errorf("the watcher of this process received %d notifications, want 4", got)
			}
			fixture.Equal(t, "the record that another bridge loads", fixture.Must(t)(there.Load(ctx, "a1")), ended)
			if b, err := there.Claim(ctx, time.Minute, 5); err != nil || len(b.IDs) != 1 || b.IDs[0] != "a1" {
				t.Errorf("another bridge claimed %v, %v; want a1", b.IDs, err)
			}
			if open, err := there.Scan(ctx, storage.Scan{Limit: 5}); err != nil || len(open) != 0 {
				t.Errorf("%d records listed as open, %v; want none", len(open), err)
			}
			const line = "redis notifications refused, polling instead"
			if n := log.count(line); n < 1 || n > 2 {
				t.Errorf("two stores logged %q %d times, want at most once each:\n%s", line, n, &log.text)
			}
			if err := here.CheckHealth(ctx); !isKind(err, storage.StoreDenied) {
				t.Errorf("health: %v, want a missing permission", err)
			}

			server.Do("ACL", "SETUSER", bridgeUser, rule[1])
			fixture.WaitFor(t, "health after the permission is restored", func() bool { return here.CheckHealth(ctx) == nil })
			before = far.notifications.Load()
			fixture.WaitFor(t, "the other bridge to be notified again", func() bool {
				fixture.Must(t)(here.Change(ctx, "a1", fixture.Bump))
				return far.notifications.Load() > before
			})
		})
	}
}

// Other bridges and the audit trail read everything again when they may have missed something.
func TestWatchersPollWhileNotificationsAreRefused(t *testing.T) {
	t.Parallel()
	server := startWithUser(t, "~*", "&*", "+@all")
	r, err := Open(t.Context(), withMinimalUser(Options{Addrs: []string{server.Addr}}))
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

// A script changes either everything or nothing when Redis refuses one of its commands.
// A script changes either everything or nothing when Redis refuses one of its commands.
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
			server := redistest.Start(t, minimalUser("")...)
			r := openRedis(t, withMinimalUser(Options{Addrs: []string{server.Addr}}))
			ctx := t.Context()
			fixture.Must(t)(r.Create(ctx, fixture.Plain("a1"), fixture.DueInAnHour))
			if _, err := r.KeyValue().Put(ctx, key, []byte("old"), nil); err != nil {
				t.Fatal(err)
			}
			read := func() string {
				return strings.Join([]string{
					server.Do("GET", r.keys.record("a1")), server.Do("ZRANGE", r.keys.index("a1"), "0", "-1", "WITHSCORES"),
					server.Do("GET", r.keys.value(key)[0]),
				}, "\n")
			}
			before := read()
			server.Do("ACL", "SETUSER", bridgeUser, c.rule)
			err := c.do(ctx, r)
			if c.done != (err == nil) || err != nil && !isKind(err, storage.StoreDenied) {
				t.Errorf("done: %v, error %v", c.done, err)
			}
			if after := read(); (after != before) != c.done {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
	t.Run("an answer with a wrong index type", func(t *testing.T) {
		t.Parallel()
		server := redistest.Start(t)
		r := openRedis(t, Options{Addrs: []string{server.Addr}})
		fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
		server.Do("SET", r.keys.index("a1"), "not an index")
		before := server.Do("GET", r.keys.record("a1"))
		if err := end(t.Context(), r); err == nil {
			t.Error("the answer was stored")
		}
		if after := server.Do("GET", r.keys.record("a1")); after != before {
			t.Errorf("the answer was stored without its index: %s", after)
		}
	})
	t.Run("a change of a deleted record", func(t *testing.T) {
		t.Parallel()
		server := redistest.Start(t, minimalUser("")...)
		r := openRedis(t, withMinimalUser(Options{Addrs: []string{server.Addr}}))
		fixture.Must(t)(r.Create(t.Context(), fixture.Plain("a1"), fixture.DueInAnHour))
		server.Do("DEL", r.keys.record("a1"))
		server.Do("ACL", "SETUSER", bridgeUser, "-del", "-zrem")
		_, _ = r.Change(t.Context(), "a1", fixture.Bump)
		if server.Do("GET", r.keys.record("a1")) != "" {
			t.Error("the record is back")
		}
	})
}
