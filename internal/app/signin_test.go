package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/signin"
	"github.com/askbridge/askbridge/test/idp"
)

func TestConfiguredSignIn(t *testing.T) {
	t.Parallel()
	// The address is where a browser comes from, in front of a proxy; here it is only compared.
	const address = "http://localhost:9"
	var provider *idp.Provider
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { provider.ServeHTTP(w, r) }))
	t.Cleanup(login.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	provider = idp.New(login.URL, address+signin.Callback)
	provider.SignsIn(map[string]any{"sub": "24", "email": "ada@example.com", "roles": "staff"}, nil)
	w := start(t, "socket", func(cfg *config.Config) {
		cfg.RequireTokens = true
		cfg.Agents = []config.Agent{{Name: "bot", Token: config.NewSecret("token-of-the-bot-0123456789")}}
		cfg.Console = config.Console{Address: address, SignIn: &config.SignIn{
			Issuer: login.URL, ClientID: provider.ClientID, ClientSecret: config.NewSecret(provider.ClientSecret),
			Roles: config.Roles{Claim: "roles", Read: []string{"staff"}}, Session: config.Span(time.Hour),
		}}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Transport: w.http.Transport, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	call := func(method, at string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		resp, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	back := call(http.MethodPost, call(http.MethodGet, w.address+"/console/sign-in").Header.Get("Location")).Header.Get("Location")
	to, err := url.Parse(back)
	if err != nil || !strings.HasPrefix(back, address+"/console/callback?") {
		t.Fatalf("the provider sends the browser to %q: %q", back, provider.Problems())
	}
	if done := call(http.MethodGet, w.address+to.RequestURI()); done.StatusCode != http.StatusSeeOther {
		body, err := io.ReadAll(done.Body)
		t.Fatalf("the sign-in ends with %d %s %v", done.StatusCode, body, err)
	}
	var own struct {
		Name, Tenant string
		Scopes       []string
	}
	if err := json.NewDecoder(call(http.MethodGet, w.address+"/v1/token").Body).Decode(&own); err != nil {
		t.Fatal(err)
	}
	if own.Name != "ada@example.com" || own.Tenant != "bot" || len(own.Scopes) != 1 {
		t.Errorf("the session is %+v", own)
	}
}
