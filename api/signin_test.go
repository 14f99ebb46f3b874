package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/signin"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/idp"
)

// handled makes calls to a handler without a network.
type handled struct{ to http.Handler }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.to.ServeHTTP(w, r)
	return w.Result(), nil
}

// journal is an audit trail that keeps notes of operators' actions, and refuses them while it is away.
type journal struct {
	mu    sync.Mutex
	notes []string
	away  bool
}

func (j *journal) Note(_ context.Context, kind, by, detail string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.away {
		return fmt.Errorf("%w: the trail is away", bridge.ErrUnavailable)
	}
	j.notes = append(j.notes, kind+" | "+by+" | "+detail)
	return nil
}

func (*journal) Page(context.Context, client.AuditQuery) (*client.AuditPage, error) { return nil, nil }

func (*journal) Stats(context.Context, client.StatsQuery) (*client.Stats, error) {
	return &client.Stats{Routes: []client.Share{}, Agents: []client.Share{}}, nil
}

func (*journal) Erase(context.Context, client.AuditErase, string) (*client.AuditErased, error) {
	return nil, nil
}

func (j *journal) has(note string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Contains(j.notes, note)
}

const (
	loginAt = "https://login.example.com"
	ownPage = "Sec-Fetch-Site: same-origin"
)

// reception is a bridge whose console people sign in at.
type reception struct {
	*fixture

	idp     *idp.Provider
	service *signin.Service
	trail   *journal
}

// openReception serves the console at an address, with a provider at another one.
func openReception(t testing.TB, address, issuer string, calls func(*idp.Provider) *http.Client) *reception {
	t.Helper()
	st := memory.New()
	p := idp.New(issuer, address+signin.Callback)
	service, err := signin.New(signin.Options{
		Address: address, Issuer: issuer, ClientID: p.ClientID, ClientSecret: p.ClientSecret, Tenant: "team",
		Roles:  signin.Roles{Read: []string{"staff"}, Act: []string{"release"}, Admin: []string{"platform"}},
		Client: calls(p),
	}, st.KeyValue())
	if err != nil {
		t.Fatal(err)
	}
	opts := agents(
		access.Agent{Name: "bot", Token: "token-bot", Tenant: "team"},
		access.Agent{Name: "other", Token: "token-other", Tenant: "elsewhere"},
	)
	trail := &journal{}
	opts.Trail, opts.Audit, opts.SignIn = true, trail, service
	opts.Reload = func(by string) ([]string, error) { return nil, trail.Note(context.Background(), "reload", by, "") }
	opts.Erase = func(ctx context.Context, e client.Erase, by string) (*client.Erased, error) {
		return &client.Erased{}, trail.Note(ctx, "erase", by, e.Person)
	}
	w := newWorldOn(t, opts, st, &bridge.Options{Routes: map[string]bridge.Route{}})
	return &reception{w, p, service, trail}
}

// atReception runs a test in fake time.
func atReception(t *testing.T, f func(t *testing.T, w *reception)) {
	t.Helper()
	bubble(t, anonymous(), func(t *testing.T, _ *fixture) {
		w := openReception(t, "http://localhost", loginAt, func(p *idp.Provider) *http.Client { return &http.Client{Transport: handled{p}} })
		defer w.stop()
		f(t, w)
	})
}

// visit makes a call of a browser without following where it leads.
func (w *reception) visit(path string, cookies ...string) reply {
	w.t.Helper()
	was := w.http.CheckRedirect
	w.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	defer func() { w.http.CheckRedirect = was }()
	var extra []string
	for _, c := range cookies {
		extra = append(extra, "Cookie: "+c)
	}
	return w.call("", http.MethodGet, path, "", extra...)
}

// cookieOf returns the cookie that a reply sets, as a browser sends it.
func cookieOf(r reply, name string) string {
	for _, c := range r.Cookies() {
		if c.Name == name && c.MaxAge >= 0 {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}

// flow goes to the provider and returns the path with which it sends the browser back, and the browser's cookie.
func (w *reception) flow(groups ...string) (back, cookie string) {
	w.t.Helper()
	w.idp.SignsIn(map[string]any{"sub": "24", "email": "ada@example.com", "groups": groups}, nil)
	begun := w.visit("/console/sign-in?next=https://evil.example.com/").want(w.t, http.StatusSeeOther)
	page := httptest.NewRecorder()
	w.idp.ServeHTTP(page, httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, begun.Header.Get("Location"), nil))
	at, err := url.Parse(page.Header().Get("Location"))
	if err != nil || at.Host != "localhost" {
		w.t.Fatalf("the provider sends the browser to %v: %s", at, page.Body)
	}
	return at.RequestURI(), cookieOf(begun, "askbridge-sign-in")
}

// signIn returns the cookie of a session.
func (w *reception) signIn(groups ...string) string {
	w.t.Helper()
	back, cookie := w.flow(groups...)
	done := w.visit(back, cookie).want(w.t, http.StatusSeeOther)
	if to := done.Header.Get("Location"); to != "../console" {
		w.t.Errorf("the sign-in leads to %q", to)
	}
	return cookieOf(done, "askbridge-session")
}

func (w *reception) ask(token string) *client.Request {
	w.t.Helper()
	return w.call(token, http.MethodPost, "/v1/requests", oneQuestion, "Idempotency-Key: "+token).want(w.t, http.StatusCreated).request(w.t)
}

const ada24 = "ada@example.com (" + loginAt + "#24)"

func TestRolesDecideWhatPeopleMayDo(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		own, foreign := w.ask("token-bot"), w.ask("token-other")
		const answer = `{"answers":[{"index":0,"selected":["Postgres"]}]}`
		for role, want := range map[string][]int{
			//          list, own, foreign, tokens, stats, history
			"staff":    {200, 200, 404, 403, 403, 403},
			"release":  {200, 200, 404, 403, 403, 403},
			"platform": {200, 200, 200, 200, 200, 200},
		} {
			cookie := "Cookie: " + w.signIn(role)
			for n, path := range []string{"/v1/requests", "/v1/requests/" + own.ID, "/v1/requests/" + foreign.ID, "/v1/tokens", "/v1/stats?since=2000-01-01T00:00:00Z&until=2000-01-02T00:00:00Z", "/v1/requests/" + own.ID + "/history"} {
				if got := w.call("", http.MethodGet, path, "", cookie, ownPage); got.StatusCode != want[n] {
					t.Errorf("%s: %s is %d, want %d: %s", role, path, got.StatusCode, want[n], got.body)
				}
			}
		}
		act := func(role, id, operation, body string) reply {
			return w.call("", http.MethodPost, "/v1/requests/"+id+operation, body, "Cookie: "+w.signIn(role), ownPage)
		}
		act("staff", own.ID, "/answer", answer).want(t, http.StatusForbidden)
		act("staff", own.ID, "/cancel", `{"reason":"no"}`).want(t, http.StatusForbidden)
		act("platform", own.ID, "/answer", answer).want(t, http.StatusForbidden)
		act("release", foreign.ID, "/answer", answer).want(t, http.StatusNotFound)
		got := act("release", own.ID, "/answer", answer).want(t, http.StatusOK).request(t)
		if got.By.Platform != "api" || got.By.ID != loginAt+"#24" || got.By.Name != "ada@example.com" {
			t.Errorf("the answer is that of %+v", got.By)
		}
		act("platform", foreign.ID, "/cancel", `{"reason":"no"}`).want(t, http.StatusOK)
		if !w.trail.has("request_cancel | " + ada24 + " | " + foreign.ID) {
			t.Errorf("the trail lacks who withdrew the request: %q", w.trail.notes)
		}
	})
}

func TestSessionOpensNothingButTheConsole(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		cookie := "Cookie: " + w.signIn("staff", "release", "platform")
		own := w.ask("token-bot")
		w.call("", http.MethodGet, "/v1/requests", "", cookie, ownPage).want(t, http.StatusOK)
		for _, rt := range routes() {
			if rt.open || rt.console {
				continue
			}
			path := strings.NewReplacer("{id}", own.ID, "{dialect}", "claude", "{token}", "x", "{grant}", "x").Replace(rt.path)
			if got := w.call("", rt.method, path, "{}", cookie, ownPage); got.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s %s takes a session: %d %s", rt.method, path, got.StatusCode, got.body)
			}
		}
		w.call("wrong", http.MethodGet, "/v1/requests", "", cookie, ownPage).want(t, http.StatusUnauthorized)
	})
}

func TestCookieAuthenticatesNoCrossSiteCall(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		cookie := "Cookie: " + w.signIn("release", "platform")
		own := w.ask("token-bot")
		for name, headers := range map[string][]string{
			"another site":      {"Sec-Fetch-Site: cross-site", "Origin: https://evil.example.com"},
			"a sibling":         {"Sec-Fetch-Site: same-site", "Origin: http://evil.localhost"},
			"an address bar":    {"Sec-Fetch-Site: none"},
			"an old browser":    {"Origin: https://evil.example.com"},
			"no browser":        {},
			"two statements":    {"Sec-Fetch-Site: cross-site", ownPage},
			"of another origin": {"Sec-Fetch-Site: cross-site", "Origin: http://localhost"},
		} {
			for _, call := range []struct{ method, path, body string }{
				{http.MethodGet, "/v1/requests/" + own.ID, ""},
				{http.MethodPost, "/v1/requests/" + own.ID + "/cancel", `{"reason":"forged"}`},
				{http.MethodPost, "/v1/requests/" + own.ID + "/answer", `{"dismiss":true}`},
				{http.MethodPost, "/v1/tokens", `{"name":"forged"}`},
				{http.MethodPost, "/v1/reload", ""},
				{http.MethodPost, "/v1/erase", `{"person":"slack:U0000001"}`},
			} {
				if got := w.call("", call.method, call.path, call.body, append(headers, cookie)...); got.StatusCode != http.StatusUnauthorized && got.StatusCode != http.StatusTooManyRequests {
					t.Errorf("%s: %s %s is %d %s", name, call.method, call.path, got.StatusCode, got.body)
				}
			}
			if got := w.call("", http.MethodPost, "/console/sign-out", "", append(headers, cookie)...); got.StatusCode != http.StatusForbidden {
				t.Errorf("%s signs out: %d %s", name, got.StatusCode, got.body)
			}
		}
		w.call("", http.MethodGet, "/v1/requests/"+own.ID, "", cookie, ownPage).want(t, http.StatusOK)
	})
}

func TestSignInPageForRefusedPeople(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		back, cookie := w.flow()
		w.idp.SignsIn(map[string]any{"sub": "24", "name": `<img src=x onerror="alert(1)">`}, nil)
		page := w.visit(back, cookie).want(t, http.StatusForbidden)
		if !strings.Contains(page.body, "You are &lt;img src=x") || strings.Contains(page.body, "<img") || page.Header.Get("Content-Security-Policy") != docsPolicy {
			t.Errorf("the page is %v %s", page.Header, page.body)
		}
		if session := cookieOf(page, "askbridge-session"); session != "" {
			t.Errorf("a person without a role has the session %s", session)
		}
		if !w.trail.has(`sign_in_refused | <img src=x onerror="alert(1)"> (` + loginAt + `#24) | scopes=`) {
			t.Errorf("the trail lacks the refusal: %q", w.trail.notes)
		}
		again := w.visit(back, cookie).want(t, http.StatusForbidden)
		if !strings.Contains(again.body, "used already") {
			t.Errorf("the second return shows %s", again.body)
		}
	})
}

func TestSignInAndOutAreInTheTrail(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		cookie := "Cookie: " + w.signIn("release")
		out := w.call("", http.MethodPost, "/console/sign-out", "", cookie, ownPage).want(t, http.StatusOK)
		if gone := out.Header.Get("Set-Cookie"); !strings.HasPrefix(gone, "askbridge-session=; Path=/; Max-Age=0") {
			t.Errorf("the cookie stays: %s", gone)
		}
		for _, note := range []string{"sign_in | " + ada24 + " | scopes=read,cancel,answer", "sign_out | " + ada24 + " | scopes=read,cancel,answer"} {
			if !w.trail.has(note) {
				t.Errorf("the trail lacks %q: %q", note, w.trail.notes)
			}
		}
		got := w.call("", http.MethodGet, "/v1/requests", "", cookie, ownPage).want(t, http.StatusUnauthorized)
		if !strings.Contains(got.body, "you have signed out") {
			t.Errorf("a copy of the cookie gets %s", got.body)
		}
		w.trail.away = true
		back, flow := w.flow("release")
		if failed := w.visit(back, flow); failed.StatusCode != http.StatusServiceUnavailable || len(failed.Cookies()) > 0 {
			t.Errorf("without a trail the sign-in ends with %d %v", failed.StatusCode, failed.Cookies())
		}
	})
}

func TestExpiredSessionGetsItsReason(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		cookie := "Cookie: " + w.signIn("staff")
		later(signin.DefaultSession + 1e9)
		got := w.call("", http.MethodGet, "/v1/requests", "", cookie, ownPage).want(t, http.StatusUnauthorized)
		if !strings.Contains(got.body, "your session is over; sign in again") {
			t.Errorf("an expired session gets %s", got.body)
		}
	})
}

func TestWaitingCallEndsWithItsSession(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		own := w.ask("token-bot")
		cookie := "Cookie: " + w.signIn("staff")
		later(signin.DefaultSession - 1e9)
		w.call("", http.MethodGet, "/v1/requests/"+own.ID+"?wait=10s", "", cookie, ownPage).want(t, http.StatusUnauthorized)
	})
}

func TestLogNamesPersonByID(t *testing.T) {
	atReception(t, func(t *testing.T, w *reception) {
		w.signIn("staff")
		if logged := w.logs.String(); !strings.Contains(logged, `"person signed in"`) || !strings.Contains(logged, loginAt+"#24") || strings.Contains(logged, "ada@example.com") {
			t.Errorf("the log is %s", logged)
		}
	})
}

func TestWithoutSignInThereAreNoPagesForIt(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "bot", Token: "token-bot"}), func(t *testing.T, w *fixture) {
		for _, path := range []string{"/console/sign-in", "/console/callback"} {
			w.call("", http.MethodGet, path, "").want(t, http.StatusNotFound)
		}
		w.call("", http.MethodPost, "/console/sign-out", "").want(t, http.StatusNotFound)
		if page := w.call("", http.MethodGet, "/console", "").want(t, http.StatusOK); !strings.Contains(page.body, `data-sign-in="off"`) {
			t.Errorf("the page offers a sign-in: %s", page.body)
		}
	})
}
