package app_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
)

const agentToken = "0123456789012345678901"

func withAgent(c *config.Config) {
	c.Agents = []config.Agent{{Name: "bot", Token: config.NewSecret(agentToken)}}
}

func TestCallbacksNeedTokensOrTheirOwnAddress(t *testing.T) {
	t.Parallel()
	apart := func(c *config.Config) { c.Callbacks.Listen = "127.0.0.1:8081" }
	post := func(c *config.Config) { slackOf(c).Mode = "http" }
	listen := func(address string) func(*config.Config) { return func(c *config.Config) { c.Listen = address } }
	for name, tt := range map[string]struct {
		changes []func(*config.Config)
		want    string
	}{
		"Slack is listened to":                       {nil, ""},
		"Slack posts":                                {[]func(*config.Config){post}, "agents need tokens"},
		"Slack posts to an address of its own":       {[]func(*config.Config){post, apart}, ""},
		"Slack posts, and agents have tokens":        {[]func(*config.Config){post, withAgent}, ""},
		"an own address does not open the first one": {[]func(*config.Config){post, apart, listen("0.0.0.0:80")}, "agents need tokens"},
	} {
		cfg := minimal()
		for _, change := range tt.changes {
			change(cfg)
		}
		_, err := app.New(cfg, nil)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// get makes a call and returns its status.
func (w *fixture) get(address, path, token, host string, header ...string) int {
	w.Helper()
	req, err := http.NewRequestWithContext(w.Context(), http.MethodGet, address+path, http.NoBody)
	if err != nil {
		w.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if host != "" {
		req.Host = host
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Add(name, value)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	_ = body(w.T, resp)
	return resp.StatusCode
}

// proxied starts a proxy in front of an address that rewrites the Host header.
func proxied(t *testing.T, address string, rewrite func(*httputil.ProxyRequest)) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	calls := &http.Transport{}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: calls, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to) // Also rewrites Host.
		rewrite(r)
	}})
	t.Cleanup(func() {
		proxy.Close()
		calls.CloseIdleConnections()
	})
	return proxy.URL
}

func TestProxiedCallsNeedTokens(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	if got := w.get(w.address, "/v1/requests", "", ""); got != http.StatusOK {
		t.Fatalf("direct call: %d", got)
	}
	for name, add := range map[string]func(*httputil.ProxyRequest){
		"X-Forwarded-For":  func(r *httputil.ProxyRequest) { r.SetXForwarded() },
		"Forwarded":        func(r *httputil.ProxyRequest) { r.Out.Header.Set("Forwarded", "for=192.0.2.43") },
		"Via":              func(r *httputil.ProxyRequest) { r.Out.Header.Set("Via", "1.1 tunnel") },
		"X-Real-IP":        func(r *httputil.ProxyRequest) { r.Out.Header.Set("X-Real-IP", "192.0.2.43") },
		"CF-Connecting-IP": func(r *httputil.ProxyRequest) { r.Out.Header.Set("CF-Connecting-IP", "192.0.2.43") },
	} {
		outside := proxied(t, w.address, add)
		for _, path := range []string{"/v1/requests", "/v1/requests/x", "/mcp"} {
			if got := w.get(outside, path, "", ""); got != http.StatusForbidden {
				t.Errorf("through a proxy with %s: %s is answered with %d", name, path, got)
			}
		}
	}
	// Public paths stay public.
	if got := w.get(proxied(t, w.address, (*httputil.ProxyRequest).SetXForwarded), "/livez", "", ""); got != http.StatusOK {
		t.Errorf("a probe: %d", got)
	}
}

func TestCallbackAddressServesOnlyCallbacks(t *testing.T) {
	t.Parallel()
	w := start(t, "both", nil)
	outside := proxied(t, w.hooks, func(r *httputil.ProxyRequest) { r.SetXForwarded() })
	for _, path := range []string{"/v1/requests", "/v1/events", "/mcp", "/openapi.json", "/readyz", "/"} {
		if got := w.get(outside, path, "", ""); got != http.StatusNotFound {
			t.Errorf("%s is answered with %d", path, got)
		}
	}
	for _, path := range []string{provider.Callback("slack"), provider.Callback("discord")} {
		if got := w.get(w.address, path, "", ""); got != http.StatusNotFound {
			t.Errorf("%s is served to agents: %d", path, got)
		}
	}
	// Callbacks pass through the proxy.
	w.slack.DeliverTo(outside+provider.Callback("slack"), w.http)
	a := w.ask(ask.Request{Questions: []ask.Question{database}, To: []ask.Place{slackPlace}})
	must(t, a.by(dana).Press(t.Context(), "SQLite"))
	if r := a.end(); r.State != ask.Answered {
		t.Errorf("ended as %+v", r)
	}
}

func TestListedHostNames(t *testing.T) {
	t.Parallel()
	w := start(t, "http", func(c *config.Config) {
		withAgent(c)
		c.Hosts = []string{"askbridge.example"}
	})
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost": http.StatusOK, "askbridge.example": http.StatusOK, "AskBridge.example:443": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "askbridge.example.evil.example": http.StatusMisdirectedRequest, "192.0.2.7": http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"/v1/requests", "/mcp"} {
			wanted := want
			if path == "/mcp" && want == http.StatusOK {
				wanted = http.StatusMethodNotAllowed
			}
			if got := w.get(w.address, path, agentToken, host); got != wanted {
				t.Errorf("%s as %q: %d, want %d", path, host, got, wanted)
			}
		}
	}
	if got := w.get(w.address, "/readyz", "", "10.1.2.3:8080"); got != http.StatusOK {
		t.Errorf("a probe by IP address: %d", got)
	}
}

func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		trusted []string
		sent    []string
		want    string
	}{
		"no trusted proxy":                {nil, []string{"X-Forwarded-For: 192.0.2.1"}, "127.0.0.1"},
		"the proxy is":                    {[]string{"127.0.0.0/8"}, []string{"X-Forwarded-For: 192.0.2.1"}, "192.0.2.1"},
		"a header sent by the client":     {[]string{"127.0.0.1"}, []string{"X-Forwarded-For: 203.0.113.9, 192.0.2.1"}, "192.0.2.1"},
		"a proxy before the proxy":        {[]string{"127.0.0.1", "10.0.0.0/8"}, []string{"X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 192.0.2.1, 10.2.3.4"}, "192.0.2.1"},
		"another proxy than the one here": {[]string{"10.0.0.0/8"}, []string{"X-Forwarded-For: 192.0.2.1"}, "127.0.0.1"},
		"words":                           {[]string{"127.0.0.1"}, []string{"X-Forwarded-For: somebody"}, "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "http", func(c *config.Config) {
				withAgent(c)
				c.TrustedProxies = tt.trusted
			})
			if got := w.get(w.address, "/v1/requests", "wrong", "", tt.sent...); got != http.StatusUnauthorized {
				t.Errorf("answered with %d", got)
			}
			if !strings.Contains(w.log.String(), `"remote":"`+tt.want+`"`) {
				t.Errorf("log lacks %s", tt.want)
			}
		})
	}
}
