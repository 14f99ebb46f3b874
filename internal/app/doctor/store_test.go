package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/store/file"
	"github.com/askbridge/askbridge/test/doctortest"
	"github.com/askbridge/askbridge/test/redistest"
)

func TestFileStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(path(name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	made, err := file.Open(path("made.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	busy, err := file.Open(path("busy.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	write("other.db", "This is a letter, not a database.", 0o600)
	write("empty.db", "", 0o600)
	readable, err := os.ReadFile(path("made.db"))
	if err != nil {
		t.Fatal(err)
	}
	write("open.db", string(readable), 0o644)
	for name, want := range map[string]struct {
		state doctor.State
		text  string
	}{
		"new.db":        {doctor.OK, "can be created"},
		"made.db":       {doctor.OK, "read and written"},
		"busy.db":       {doctor.Note, "as expected while askbridge runs"},
		"other.db":      {doctor.Broken, "other.db"},
		"empty.db":      {doctor.Broken, "the file is empty"},
		"open.db":       {doctor.Warn, "other users of this machine can read"},
		"no/such/it.db": {doctor.Broken, "cannot create a file in"},
		"not/yet.db":    {doctor.Warn, "does not exist yet"},
		"":              {doctor.Broken, "is not a file"},
	} {
		cfg := doctortest.Calm(t)
		cfg.Store.Path = path(name)
		doctortest.Finds(t, doctortest.Examine(t, cfg), "store/file", want.state, want.text)
	}
	files, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(files) > 0 {
		t.Errorf("files left: %v, %v", files, err)
	}
	if _, err := os.Stat(path("new.db")); err == nil {
		t.Error("doctor created a file")
	}
}

func TestMemoryStore(t *testing.T) {
	t.Parallel()
	cfg := doctortest.Calm(t)
	cfg.Store = config.Store{Type: config.StoreMemory}
	doctortest.Finds(t, doctortest.Examine(t, cfg), "store/memory", doctor.Warn, "lost on a restart")
}

func redisConfig(t *testing.T, r config.Redis) *config.Config {
	t.Helper()
	cfg := doctortest.Calm(t)
	cfg.Store = config.Store{Type: config.StoreRedis, Redis: &r}
	return cfg
}

func TestRedis(t *testing.T) {
	t.Parallel()
	good := redistest.Start(t)
	r := doctortest.Examine(t, redisConfig(t, config.Redis{Addrs: []string{good.Addr}}))
	doctortest.Finds(t, r, "store/redis", doctor.OK, "reachable")
	doctortest.Finds(t, r, "store/redis-settings", doctor.OK, "nothing is evicted")
	doctortest.Finds(t, r, "store/clock", doctor.OK, "agrees with Redis")

	bad := redistest.Start(t, "--maxmemory", "64mb", "--maxmemory-policy", "volatile-lru", "--appendonly", "no", "--requirepass", "canary")
	r = doctortest.Examine(t, redisConfig(t, config.Redis{URL: config.NewSecret("redis://:canary@" + bad.Addr + "/0")}))
	doctortest.Finds(t, r, "store/redis-settings", doctor.Warn, "volatile-lru")
	doctortest.Finds(t, r, "store/redis-settings", doctor.Warn, "appendonly is off")

	for name, tc := range map[string]struct {
		redis config.Redis
		text  string
	}{
		"a wrong password": {config.Redis{Addrs: []string{bad.Addr}, Password: config.NewSecret("canary-of-another")}, ""},
		"no server":        {config.Redis{Addrs: []string{"127.0.0.1:1"}}, ""},
		"a wrong scheme":   {config.Redis{URL: config.NewSecret("http://canary@localhost")}, "must look like redis://"},
		"no certificate":   {config.Redis{Addrs: []string{good.Addr}, TLS: true, TLSCA: "store_test.go"}, "contains no certificate"},
		"no such file":     {config.Redis{Addrs: []string{good.Addr}, TLS: true, TLSCA: "nowhere.pem"}, "nowhere.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doctortest.Finds(t, doctortest.Examine(t, redisConfig(t, tc.redis)), "store/redis", doctor.Broken, tc.text)
		})
	}
}

func TestRedisHidesSettings(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("ACL", "SETUSER", "askbridge", "on", ">canary", "~ab:*", "&ab:*", "+@all", "-info")
	r := doctortest.Examine(t, redisConfig(t, config.Redis{Addrs: []string{s.Addr}, Username: "askbridge", Password: config.NewSecret("canary")}))
	doctortest.Finds(t, r, "store/redis-settings", doctor.Note, "not visible")
	for _, f := range r.Findings {
		if strings.Contains(f.Do, "CONFIG SET") {
			t.Errorf("advice about unknown settings: %+v", f)
		}
	}
}

func TestRedisPermissions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil    []string
		want, do string
	}{
		"no channels":   {[]string{"ACL", "SETUSER", "default", "resetchannels"}, "the Redis user default cannot publish to ab:*", "permissions"},
		"out of memory": {[]string{"CONFIG", "SET", "maxmemory", "1"}, "out of memory", "maxmemory"},
		"no replicas":   {[]string{"CONFIG", "SET", "min-replicas-to-write", "1"}, "too few replicas", "replicas"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			server.Do(c.spoil...)
			r := doctortest.Examine(t, redisConfig(t, config.Redis{Addrs: []string{server.Addr}}))
			doctortest.Finds(t, r, "store/redis", doctor.Broken, c.want)
			for _, f := range r.Findings {
				if f.State == doctor.Broken && !strings.Contains(f.Do, c.do) {
					t.Errorf("advice %q", f.Do)
				}
			}
		})
	}
}

func TestTokenWithoutPeople(t *testing.T) {
	t.Parallel()
	cfg := doctortest.Calm(t)
	s, err := file.Open(cfg.Store.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := access.NewTokens(s.KeyValue(), nil, nil)
	for _, a := range []access.Agent{
		{Name: "nobodys-shell", Scopes: []access.Scope{access.Answer}},
		{Name: "danas-shell", Scopes: []access.Scope{access.Answer}, Requesters: []string{"slack:U0000001"}},
		{Name: "reader", Scopes: []access.Scope{access.Read}},
	} {
		if _, _, err := all.Create(t.Context(), a, access.TokenOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	doctortest.Finds(t, doctortest.Examine(t, cfg), "tokens", doctor.Warn, "nobodys-shell (")
	cfg = doctortest.Calm(t)
	cfg.Agents[0].Scopes = []string{"answer"}
	doctortest.Finds(t, doctortest.Examine(t, cfg), "settings", doctor.Warn, "agents[0].requester: a token with the scope answer")
}
