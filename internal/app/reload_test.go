package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/redis"
	"github.com/askbridge/askbridge/store/seal"
	"github.com/askbridge/askbridge/test/redistest"
)

// A reload that reads the file before it has the lock could apply an outdated file last.
func TestConcurrentReloadsApplyLatestFile(t *testing.T) {
	t.Parallel()
	a, err := app.New(minimal(), nil)
	if err != nil {
		t.Fatal(err)
	}
	mistake := errors.New("line 3: a mistake")
	if _, err := a.Reload("auditor", func() (*config.Config, error) {
		if !a.Reloading() {
			t.Error("file is read while another reload runs")
		}
		return nil, mistake
	}); !errors.Is(err, mistake) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

func TestReloadChangesDigests(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	reload := func(all ...config.Digest) ([]string, error) {
		next := *w.cfg
		next.Digest = all
		return w.app.Reload("operator", func() (*config.Config, error) { return &next, nil })
	}
	if changed, err := reload(config.Digest{To: []config.Target{{Platform: "slack", User: dana}}, At: []string{"09:00"}}); err != nil || !slices.Equal(changed, []string{"digest"}) {
		t.Errorf("changed %q, %v", changed, err)
	}
	if _, err := reload(config.Digest{To: []config.Target{{Platform: "slack", Channel: "C0000001"}}, At: []string{"09:00"}}); err == nil || !strings.Contains(err.Error(), "digest[0].zone") {
		t.Errorf("a channel without a zone: %v", err)
	}
}

// full is a store that rejects values with a key prefix. It records the notes for the trail.
type full struct {
	*file.Store

	mu    sync.Mutex
	of    string
	noted []string
}

func (s *full) KeyValue() keyvalue.Store { return fullValues{s.Store.KeyValue(), s} }

func (s *full) takes(of string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of, s.noted = of, nil
}

type fullValues struct {
	keyvalue.Store

	full *full
}

func (s fullValues) Put(ctx context.Context, k keyvalue.Key, value []byte, o *keyvalue.PutOptions) (keyvalue.Entry, error) {
	s.full.mu.Lock()
	defer s.full.mu.Unlock()
	if s.full.of != "" && strings.HasPrefix(k.String(), s.full.of) {
		return keyvalue.Entry{}, bridge.ErrUnavailable
	}
	var l audit.Line
	if k.Kind == "audit-note" && json.Unmarshal(value, &l) == nil {
		s.full.noted = append(s.full.noted, l.Kind)
	}
	return s.Store.Put(ctx, k, value, o)
}

// After a failed reload the store once used the new key, and could not be opened after the operator
// removed that key again.
func TestFailedReloadKeepsKeys(t *testing.T) {
	t.Parallel()
	first, second := seal.NewKey(), seal.NewKey()
	with := func(keys ...string) config.Encryption {
		return config.Encryption{Keys: config.NewSecret(strings.Join(keys, "\n"))}
	}
	ring, err := seal.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := file.Open(filepath.Join(t.TempDir(), "askbridge.db"), &file.Options{Keys: seal.New(ring)})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.UseKeys(t.Context(), kept, ring); err != nil {
		t.Fatal(err)
	}
	s := &full{Store: kept}
	key, _ := audit.NewKey()
	cfg := &config.Config{
		Listen: "127.0.0.1:0", RequireTokens: true, Platforms: config.Platforms{}, Store: config.Store{Type: config.StoreFile, Path: kept.Path()},
		Encryption: with(first), Audit: config.Audit{Key: config.NewSecret(key)},
	}
	w := &fixture{T: t}
	w.withSlack(cfg, "http")
	a, end := served(t, cfg, s)
	next := *cfg
	next.Encryption = with(second, first)
	for of, want := range map[string][]string{"audit-note/": nil, "sealed/": {"configuration", "configuration_failed"}} {
		s.takes(of)
		if _, err := a.Reload("operator", func() (*config.Config, error) { return &next, nil }); !errors.Is(err, bridge.ErrUnavailable) {
			t.Errorf("without %s: %v", of, err)
		}
		if err := store.CheckKeys(t.Context(), kept, ring); err != nil {
			t.Errorf("without %s the previous keys do not work: %v", of, err)
		}
		if diff := cmp.Diff(want, s.noted); diff != "" {
			t.Errorf("without %s the trail differs\n%s", of, diff)
		}
	}
	s.takes("")
	if err := errors.Join(end(), kept.Close()); err != nil {
		t.Error(err)
	}
}

// served starts a bridge on a store and returns a function that stops it.
func served(t *testing.T, cfg *config.Config, s app.Store) (a *app.App, end func() error) {
	t.Helper()
	serving := make(chan struct{})
	a, err := app.New(cfg, &app.Options{Store: s, Serving: func(context.Context) { close(serving) }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	<-serving
	return a, func() error {
		cancel()
		return <-ended
	}
}

// A reseal reports every running replica that has not loaded the new keys.
func TestReplicaAnnouncesItsKey(t *testing.T) {
	t.Parallel()
	first, second := seal.NewKey(), seal.NewKey()
	server := redistest.Start(t)
	open := func(keys ...string) *redis.Store {
		ring, err := seal.Parse(strings.Join(keys, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := redis.Open(t.Context(), redis.Options{Addrs: []string{server.Addr}, Layout: redis.Layout{Keys: seal.New(ring)}})
		if err == nil {
			err = store.UseKeys(t.Context(), s, ring)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	cfg := &config.Config{
		Listen: "127.0.0.1:0", RequireTokens: true, Platforms: config.Platforms{},
		Store:      config.Store{Type: config.StoreRedis, Redis: &config.Redis{Addrs: []string{server.Addr}}},
		Encryption: config.Encryption{Keys: config.NewSecret(first + "\n" + second)},
	}
	w := &fixture{T: t}
	w.withSlack(cfg, "http")
	s := open(first, second)
	a, end := served(t, cfg, s)
	next, back := open(second, first), open(first, second)
	reseal := func(with *redis.Store) error {
		_, err := store.Reseal(t.Context(), with, nil)
		return err
	}
	if err := reseal(next); !errors.Is(err, store.ErrOtherKeys) {
		t.Errorf("before it loaded the keys: %v", err)
	}
	read := *cfg
	read.Encryption = config.Encryption{Keys: config.NewSecret(second + "\n" + first)}
	if _, err := a.Reload("operator", func() (*config.Config, error) { return &read, nil }); err != nil {
		t.Error(err)
	}
	if err := reseal(next); err != nil {
		t.Errorf("after it loaded the keys: %v", err)
	}
	if err := reseal(back); !errors.Is(err, store.ErrOtherKeys) {
		t.Errorf("with the new key in use: %v", err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if err := reseal(back); err != nil {
		t.Errorf("after it stopped: %v", err)
	}
	if err := errors.Join(s.Close(), next.Close(), back.Close()); err != nil {
		t.Error(err)
	}
}
