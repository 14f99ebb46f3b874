//go:build peers

package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/internal/signin"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/logbuffer"
	"github.com/askbridge/askbridge/test/need"
)

// company is a bridge whose console signs people in at a provider that someone else wrote.
type company struct {
	*testing.T

	console string
}

// employ starts both. The claims are those of the people by the login that they type.
func employ(t *testing.T, claims string, session time.Duration) *company {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	console := "http://" + front.Listener.Addr().String()
	port := freePort(t)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, need.Binary(t, "node"), "bots/login.mjs")
	cmd.Env = append(os.Environ(), "PORT="+port, "REDIRECT="+console+signin.Callback, "CLAIMS="+claims)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var output logbuffer.Buffer
	cmd.Stderr = &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == "ready" {
				close(ready)
			}
			_, _ = io.WriteString(&output, lines.Text()+"\n")
		}
	}()
	st := memory.New()
	t.Cleanup(func() {
		cancel()
		<-over
		_ = cmd.Wait() // It was killed.
		front.Close()
		st.Close()
		if t.Failed() {
			t.Logf("output of the provider:\n%s", &output)
		}
	})
	service, err := signin.New(signin.Options{
		Address: console, Issuer: "http://127.0.0.1:" + port, ClientID: "askbridge", ClientSecret: "a-secret-of-the-client",
		Tenant: "team", Roles: signin.Roles{Read: []string{"staff"}, Act: []string{"release"}, Admin: []string{"platform"}}, Session: session,
	}, st.KeyValue())
	if err != nil {
		t.Fatal(err)
	}
	b, err := bridge.New(st, []platform.Platform{bridgetest.NewScript("slack", render.Limits{})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := access.New(b, &access.Options{Agents: []access.Agent{{Name: "bot", Token: "a-token-of-the-bot-0123456789"}}, Store: st.KeyValue()})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := api.New(gate, &api.Options{SignIn: service})
	if err != nil {
		t.Fatal(err)
	}
	front.Config.Handler = handler
	front.Start()
	select {
	case <-ready:
	case <-over:
		t.Fatalf("the provider ended before it was ready:\n%s", &output)
	case <-time.After(limit):
		t.Fatalf("the provider is not ready:\n%s", &output)
	}
	return &company{t, console}
}

// visitor is one browser.
type visitor struct {
	*company

	http *http.Client
}

func (c *company) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		c.Fatal(err)
	}
	return &visitor{c, &http.Client{Jar: jar, Timeout: limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// call makes a call as a page of the console does, and returns the body.
func (v *visitor) call(method, at string, form url.Values) (*http.Response, string) {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), method, at, strings.NewReader(form.Encode()))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := v.http.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		v.Fatal(err)
	}
	return resp, string(body)
}

var (
	formAt = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	prompt = regexp.MustCompile(`name="prompt" value="(\w+)"`)
)

// comeBack signs in at the provider as a browser does, fills its two forms, and returns the address at which the provider
// sends the browser back. change alters the address with which the bridge sent it there.
func (v *visitor) comeBack(login string, change func(url.Values)) string {
	v.Helper()
	began, _ := v.call(http.MethodGet, v.console+"/console/sign-in", nil)
	at, err := began.Location()
	if err != nil {
		v.Fatal(err)
	}
	query := at.Query()
	if change != nil {
		change(query)
	}
	at.RawQuery = query.Encode()
	resp, body := v.call(http.MethodGet, at.String(), nil)
	for range 12 {
		if resp.StatusCode >= 300 && resp.StatusCode < 400 {
			next, err := resp.Location()
			if err != nil {
				v.Fatal(err)
			}
			if strings.HasPrefix(next.String(), v.console) {
				return next.String()
			}
			resp, body = v.call(http.MethodGet, next.String(), nil)
			continue
		}
		action, kind := formAt.FindStringSubmatch(body), prompt.FindStringSubmatch(body)
		if action == nil || kind == nil {
			break
		}
		to, err := resp.Request.URL.Parse(action[1])
		if err != nil {
			v.Fatal(err)
		}
		resp, body = v.call(http.MethodPost, to.String(), url.Values{"prompt": {kind[1]}, "login": {login}, "password": {"any"}})
	}
	v.Fatalf("the provider does not send the browser back: %s %s", resp.Status, body)
	return ""
}

// finish follows the address of comeBack, and returns the status and the page.
func (v *visitor) finish(back string) (int, string) {
	v.Helper()
	resp, body := v.call(http.MethodGet, back, nil)
	return resp.StatusCode, body
}

// self returns the scopes of the session, and 401 without one.
func (v *visitor) self() (status int, name string, scopes []string) {
	v.Helper()
	resp, body := v.call(http.MethodGet, v.console+"/v1/token", nil)
	var own struct {
		Name   string
		Scopes []string
	}
	if err := json.Unmarshal([]byte(body), &own); err != nil {
		v.Fatal(err)
	}
	slices.Sort(own.Scopes)
	return resp.StatusCode, own.Name, own.Scopes
}

const staff = `{"ada":{"email":"ada@example.com","email_verified":true,"name":"Ada","groups":["staff","release"]},
	"root":{"email":"root@example.com","email_verified":false,"name":"Root","groups":["platform"]},"guest":{"name":"Guest","groups":["guests"]}}`

func TestSignInAtRealProvider(t *testing.T) {
	c := employ(t, staff, time.Hour)
	for login, tc := range map[string]struct {
		name   string
		scopes []string
	}{
		"ada":  {"ada@example.com", []string{"answer", "cancel", "read"}},
		"root": {"Root", []string{"admin", "tokens"}},
	} {
		v := c.visitor()
		back := v.comeBack(login, nil)
		if status, page := v.finish(back); status != http.StatusSeeOther {
			t.Fatalf("%s: the sign-in ends with %d: %s", login, status, page)
		}
		if status, name, scopes := v.self(); status != http.StatusOK || name != tc.name || !slices.Equal(scopes, tc.scopes) {
			t.Errorf("%s is %d %q with %q, want %+v", login, status, name, scopes, tc)
		}
		if status, page := v.finish(back); status != http.StatusForbidden {
			t.Errorf("%s: the same return again: %d %s", login, status, page)
		}
		if resp, _ := v.call(http.MethodPost, c.console+"/console/sign-out", nil); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: signing out: %s", login, resp.Status)
		}
		if status, _, _ := v.self(); status != http.StatusUnauthorized {
			t.Errorf("%s: %d after signing out", login, status)
		}
	}
}

func TestSignInRefusedAtRealProvider(t *testing.T) {
	c := employ(t, staff, time.Hour)
	other := func(name string) func(url.Values) { return func(q url.Values) { q.Set(name, strings.Repeat("x", 43)) } }
	for name, tc := range map[string]struct {
		login   string
		change  func(url.Values)
		reply   func(url.Values)
		foreign bool
		want    string
	}{
		"no role":              {login: "guest", want: "You are Guest, and have no role here."},
		"another nonce":        {login: "ada", change: other("nonce"), want: "did not identify you"},
		"another state":        {login: "ada", change: other("state"), want: "This sign-in has expired"},
		"another PKCE proof":   {login: "ada", change: other("code_challenge"), want: "did not identify you"},
		"a state that changed": {login: "ada", reply: other("state"), want: "This sign-in has expired"},
		"another code":         {login: "ada", reply: other("code"), want: "did not identify you"},
		"another issuer":       {login: "ada", reply: other("iss"), want: "did not identify you"},
		"another browser":      {login: "ada", foreign: true, want: "This sign-in has expired"},
	} {
		t.Run(name, func(t *testing.T) {
			v := (&company{t, c.console}).visitor()
			back, err := url.Parse(v.comeBack(tc.login, tc.change))
			if err != nil {
				t.Fatal(err)
			}
			query := back.Query()
			if tc.reply != nil {
				tc.reply(query)
			}
			back.RawQuery = query.Encode()
			if tc.foreign {
				v = v.visitor()
			}
			if status, page := v.finish(back.String()); status != http.StatusForbidden || !strings.Contains(page, tc.want) {
				t.Errorf("%d, want %q in %s", status, tc.want, page)
			}
			if status, _, _ := v.self(); status != http.StatusUnauthorized {
				t.Errorf("%d after a refused sign-in", status)
			}
		})
	}
}

func TestSessionOfRealProviderExpires(t *testing.T) {
	c := employ(t, staff, 2*time.Second)
	v := c.visitor()
	began := time.Now()
	if status, page := v.finish(v.comeBack("ada", nil)); status != http.StatusSeeOther {
		t.Fatalf("the sign-in ends with %d: %s", status, page)
	}
	for {
		status, _, _ := v.self()
		if status == http.StatusUnauthorized {
			break
		}
		if time.Since(began) > limit {
			t.Fatalf("the session has not ended: %d", status)
		}
	}
}
