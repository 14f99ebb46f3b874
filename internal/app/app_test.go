package app_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	slack "github.com/askbridge/askbridge/slack/bundle"
)

func minimal() *config.Config {
	return &config.Config{
		Listen: "127.0.0.1:0", Store: config.Store{Type: config.StoreMemory},
		Platforms: config.Platforms{"slack": &slack.Section{
			BotToken: config.NewSecret("xoxb-sim"), AppToken: config.NewSecret("xapp-sim"), SigningSecret: config.NewSecret("canary-canary"),
		}},
	}
}

func TestTokensRequiredOffLoopback(t *testing.T) {
	t.Parallel()
	agents := []config.Agent{{Name: "bot", Token: config.NewSecret("0123456789012345678901")}}
	for _, tt := range []struct {
		listen string
		agents []config.Agent
		starts bool
	}{
		{"127.0.0.1:80", nil, true},
		{"localhost:80", nil, true},
		{"[::1]:80", nil, true},
		{"127.8.8.8:80", nil, true},
		{":80", nil, false},
		{"0.0.0.0:80", nil, false},
		{"[::]:80", nil, false},
		{"192.168.1.2:80", nil, false},
		{"bridge.example:80", nil, false},
		{"localhost.example:80", nil, false},
		{"0.0.0.0:80", agents, true},
	} {
		cfg := minimal()
		cfg.Listen, cfg.Agents = tt.listen, tt.agents
		_, err := app.New(cfg, nil)
		if (err == nil) != tt.starts {
			t.Errorf("listen %s with %d agents: %v", tt.listen, len(tt.agents), err)
		}
		if err != nil && !strings.Contains(err.Error(), "agents need tokens") {
			t.Errorf("listen %s: error is %q", tt.listen, err)
		}
	}
}

// A typo in a name once led to a card that no one could answer.
func TestAgentRoutesNameKnownPeople(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.yaml")
	if err := os.WriteFile(path, []byte(`
slack: {bot_token: xoxb-x, signing_secret: 0123456789abcdef0123456789abcdef}
agents:
  - {name: bot, token: 0123456789012345678901, responders: [anyone]}
  - name: ops
    token: 1123456789012345678901
    responders: ["slack:U0000001", slak:U1]
    notify: ["slack:dana"]
    requester: ["discord:1"]
    targets: ["slack:*", "slack:foo", "slak:C1"]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, provider.Sections(app.Platforms()), false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = app.New(cfg, nil)
	for _, want := range []string{
		`7:36: agents[1].responders[1]: "slak:U1": there is no platform for "slak" here`, `8:14: agents[1].notify[0]: `, `9:17: agents[1].requester[0]: `,
		`10:26: agents[1].targets[1]: `, `10:39: agents[1].targets[2]: there is no platform "slak" here`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestGivenListenerDecidesWhetherTokensAreRequired(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if _, err := app.New(minimal(), &app.Options{Listener: ln}); err == nil {
		t.Error("a public listener without tokens was accepted")
	}
	inside := chatsim.NewNet()
	defer inside.Close()
	if _, err := app.New(minimal(), &app.Options{Listener: inside}); err != nil {
		t.Errorf("in-process listener: %v", err)
	}
}

func TestLoopbackHostNamesOnlyWithoutTokens(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	for _, tt := range []struct {
		host, origin string
		status       int
	}{
		{"", "", http.StatusOK},
		{"localhost", "", http.StatusOK},
		{"evil.example", "", http.StatusForbidden},
		{"127.0.0.1.evil.example", "", http.StatusForbidden},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.address+"/v1/requests", nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.host != "" {
			req.Host = tt.host
		}
		resp, err := w.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if text := body(t, resp); resp.StatusCode != tt.status {
			t.Errorf("host %q: %s: %s", tt.host, resp.Status, text)
		}
	}
}

func TestAgentsNeedTheirTokens(t *testing.T) {
	t.Parallel()
	const token = "0123456789012345678901"
	w := start(t, "http", func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "bot", Token: config.NewSecret(token), Scopes: []string{"read"}}}
	})
	for authorization, status := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer " + token: 200} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.address+"/v1/requests", nil)
		if err != nil {
			t.Fatal(err)
		}
		if authorization != "" {
			req.Header.Set("Authorization", authorization)
		}
		resp, err := w.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if text := body(t, resp); resp.StatusCode != status {
			t.Errorf("with %q: %s: %s", authorization, resp.Status, text)
		}
	}
	if text := w.log.String(); strings.Contains(text, "everybody on this machine") {
		t.Error("log warns about missing tokens although tokens are configured")
	}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	for _, path := range []string{"/livez", "/readyz", "/openapi.json"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := w.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if text := body(t, resp); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s: %s", path, resp.Status, text)
		}
	}
}

func TestShutdownReleasesWaitingCallsAndLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "askbridge.db")
	file := func(c *config.Config) { c.Store = config.Store{Type: config.StoreFile, Path: path} }
	w := start(t, "http", file)
	parked := make(chan *http.Response, 1)
	go func() { parked <- w.post("/v1/requests?wait=30s", question) }()
	// The call that asks also waits, so it is parked once the card exists.
	w.await("the card", func() bool { return len(w.slack.Timeline().Events(chatsim.Posted)) == 1 })
	began := time.Now()
	w.stop()
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("shutting down took %s", took)
	}
	resp := <-parked
	if resp == nil {
		t.Fatal("the connection of the waiting call was cut")
	}
	text := body(t, resp)
	if resp.StatusCode != http.StatusCreated || resp.Header.Get("Retry-After") == "" || !strings.Contains(text, `"state":"open"`) {
		t.Errorf("waiting call got %s, Retry-After %q: %s", resp.Status, resp.Header.Get("Retry-After"), text)
	}

	// The next process on the same file has the request and must not post it again. It talks to another mock Slack, in
	// which a second message would show.
	again := start(t, "http", file)
	resp = again.post("/v1/requests", question)
	if resp == nil {
		t.Fatal("no reply")
	}
	if after := body(t, resp); resp.StatusCode != http.StatusOK || idOf(t, after) != idOf(t, text) {
		t.Errorf("asked again: %s: %s", resp.Status, after)
	}
	if n := len(again.slack.Timeline().Events(chatsim.Posted)); n != 0 {
		t.Errorf("%d messages were reposted", n)
	}
}

const question = `{"tool_call_id":"toolu_01","to":[{"platform":"slack","channel":"C0000001"}],
	"questions":[{"question":"Which database?","options":[{"label":"Postgres"},{"label":"SQLite"}]}]}`

func idOf(t *testing.T, text string) string {
	t.Helper()
	var r struct{ ID string }
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.ID == "" {
		t.Fatalf("no id in %s (%v)", text, err)
	}
	return r.ID
}

func TestRunFailsWhenTheStoreCannotBeOpened(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]config.Store{
		"file":   {Type: config.StoreFile, Path: filepath.Join(t.TempDir(), "no", "such", "directory", "askbridge.db")},
		"redis":  {Type: config.StoreRedis, Redis: &config.Redis{Addrs: []string{"127.0.0.1:1"}, Password: config.NewSecret("canary")}},
		"url":    {Type: config.StoreRedis, Redis: &config.Redis{URL: config.NewSecret("redis://:canary@127.0.0.1:1")}},
		"odd":    {Type: config.StoreRedis, Redis: &config.Redis{URL: config.NewSecret("canary://x")}},
		"no tls": {Type: config.StoreRedis, Redis: &config.Redis{Addrs: []string{"127.0.0.1:1"}, TLS: true, TLSCA: "/no/such/file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := minimal()
			cfg.Store = store
			a, err := app.New(cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Run(t.Context()); err == nil || strings.Contains(err.Error(), "canary") {
				t.Errorf("Run = %v", err)
			}
		})
	}
}

// The error for an address in use once had no advice.
func TestAddressInUseErrorHasAdvice(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for key, set := range map[string]func(c *config.Config, taken string){
		"listen":         func(c *config.Config, taken string) { c.Listen = taken },
		"metrics.listen": func(c *config.Config, taken string) { c.Listen, c.Metrics.Listen = "127.0.0.1:0", taken },
	} {
		cfg := minimal()
		set(cfg, ln.Addr().String())
		a, err := app.New(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = a.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "address already in use") || !strings.HasSuffix(err.Error(), "end it, or set "+key) {
			t.Errorf("%s: Run = %v", key, err)
		}
	}
}
