package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func agents(list ...access.Agent) *settings { return &settings{Agents: list} }

func TestScopes(t *testing.T) {
	all := []access.Scope{access.Ask, access.Read, access.Cancel, access.Admin}
	var list []access.Agent
	for _, s := range all {
		list = append(list, access.Agent{Name: string(s), Token: "token-" + string(s), Tenant: "team", Scopes: []access.Scope{s}})
	}
	list = append(list, access.Agent{Name: "default", Token: "token-default", Tenant: "team"})
	bubble(t, agents(list...), func(t *testing.T, w *fixture) {
		id := w.call("token-default", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		w.press(id, 0, 0)
		tests := []struct {
			method, path, body string
			scope              access.Scope
		}{
			{"POST", "/v1/requests", oneQuestion, access.Ask},
			{"GET", "/v1/requests/" + id, "", access.Read},
			{"GET", "/v1/requests", "", access.Read},
			{"POST", "/v1/requests/" + id + "/cancel", "", access.Cancel},
			{"GET", "/v1/requests/" + id + "/events", "", access.Read},
			{"HEAD", "/v1/events", "", access.Read},
		}
		for _, test := range tests {
			for _, a := range list {
				got := w.call(a.Token, test.method, test.path, test.body).StatusCode
				want := got/100 == 2
				if allowed := a.Name == "default" || a.Scopes[0] == test.scope || a.Scopes[0] == access.Admin; allowed != want || !want && got != http.StatusForbidden {
					t.Errorf("%s %s with scope %s: %d", test.method, test.path, a.Name, got)
				}
			}
		}
	})
}

func TestTokenIsRequired(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "secret-one", NextToken: "secret-two"}), func(t *testing.T, w *fixture) {
		tests := []struct {
			name    string
			headers []string
			query   string
			want    int
		}{
			{"none", nil, "", 401},
			{"empty", []string{"Authorization: "}, "", 401},
			{"no scheme", []string{"Authorization: secret-one"}, "", 401},
			{"another scheme", []string{"Authorization: Basic secret-one"}, "", 401},
			{"wrong", []string{"Authorization: Bearer secret-three"}, "", 401},
			{"a part of it", []string{"Authorization: Bearer secret-on"}, "", 401},
			{"in the URL", nil, "?token=secret-one&access_token=secret-one", 401},
			{"right", []string{"Authorization: Bearer secret-one"}, "", 200},
			{"in other letters", []string{"Authorization: bearer  secret-one"}, "", 200},
			{"the next one", []string{"Authorization: Bearer secret-two"}, "", 200},
			{"right under a public name", []string{"Authorization: Bearer secret-one", "Host: bridge.example.org", "Origin: https://elsewhere.example.org"}, "", 200},
		}
		for _, test := range tests {
			r := w.call("", "GET", "/v1/requests"+test.query, "", test.headers...)
			if r.StatusCode != test.want || (r.Header.Get("WWW-Authenticate") != "") != (test.want == 401) {
				t.Errorf("%s: %d %v", test.name, r.StatusCode, r.Header)
			}
		}
		for _, path := range []string{"/livez", "/readyz", "/openapi.json"} {
			w.call("", "GET", path, "").want(t, http.StatusOK)
		}
		if strings.Contains(w.logs.String(), "secret-") {
			t.Error("a token is in the log")
		}
		if !strings.Contains(w.logs.String(), `"msg":"call refused"`) {
			t.Error("refused calls are not in the log")
		}
	})
}

func TestForeignRequestLooksMissing(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a"}, access.Agent{Name: "b", Token: "token-b"}, access.Agent{Name: "root", Token: "token-root", Scopes: []access.Scope{access.Admin}}), func(t *testing.T, w *fixture) {
		id := w.call("token-a", "POST", "/v1/requests", oneQuestion).request(t).ID
		unknown := "p" + strings.Repeat("0", len(id)-1)
		for _, route := range []struct{ method, path string }{
			{"GET", "/v1/requests/%s"}, {"GET", "/v1/requests/%s?wait=30s"}, {"POST", "/v1/requests/%s/cancel"}, {"GET", "/v1/requests/%s/events"},
		} {
			began := time.Now()
			theirs := w.call("token-b", route.method, fmt.Sprintf(route.path, id), "").want(t, http.StatusNotFound)
			none := w.call("token-b", route.method, fmt.Sprintf(route.path, unknown), "").want(t, http.StatusNotFound)
			for _, r := range []reply{theirs, none} {
				r.Header.Del(HeaderCallID) // Differs for each call.
			}
			if theirs.body != none.body || fmt.Sprint(theirs.Header) != fmt.Sprint(none.Header) {
				t.Errorf("%s %s: responses differ:\n%s%v\n%s%v", route.method, route.path, theirs.body, theirs.Header, none.body, none.Header)
			}
			if time.Since(began) != 0 {
				t.Errorf("%s waited", route.path)
			}
		}
		for token, want := range map[string]int{"token-a": 1, "token-b": 0, "token-root": 1} {
			if page := read[client.Page](t, w.call(token, "GET", "/v1/requests", "")); len(page.Requests) != want {
				t.Errorf("%s sees %d requests", token, len(page.Requests))
			}
		}
		stream, _ := w.events("/v1/events", "Authorization: Bearer token-b")
		if got, _ := drain(stream); len(got) != 1 {
			t.Errorf("another tenant's stream has %+v", got[1:])
		}
		if r := w.call("token-root", "POST", "/v1/requests/"+id+"/cancel", "").want(t, http.StatusOK).request(t); !r.Ended() {
			t.Error("an administrator could not cancel")
		}
		w.server.Close()
		for range stream {
		}
	})
}

func TestSupersedesIsLimitedToTenant(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a"}, access.Agent{Name: "b", Token: "token-b"}), func(t *testing.T, w *fixture) {
		id := w.call("token-a", "POST", "/v1/requests", with(oneQuestion, `"session":"s"`)).want(t, http.StatusCreated).request(t).ID
		unknown := id[:1] + strings.Repeat("0", len(id)-1)
		replace := func(id string) reply {
			return w.call("token-b", "POST", "/v1/requests", with(oneQuestion, `"session":"s","supersedes":"`+id+`"`)).want(t, http.StatusNotFound)
		}
		if theirs, none := replace(id), replace(unknown); theirs.body != none.body {
			t.Errorf("responses differ:\n%s%s", theirs.body, none.body)
		}
		if r := w.call("token-a", "GET", "/v1/requests/"+id, "").want(t, http.StatusOK).request(t); r.State != ask.Open {
			t.Errorf("it is %s", r.State)
		}
	})
}

func TestSupersedingNeedsScopeCancel(t *testing.T) {
	team := func(name string, scopes ...access.Scope) access.Agent {
		return access.Agent{Name: name, Tenant: "team", Token: "token-" + name, Scopes: scopes}
	}
	bubble(t, agents(team("a", access.Ask), team("b", access.Ask), team("c", access.Ask, access.Cancel)), func(t *testing.T, w *fixture) {
		id := w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		state := func() ask.State {
			r, err := w.bridge.Load(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return r.Outcome.State
		}
		replace := func(token string) reply {
			return w.call(token, "POST", "/v1/requests", with(oneQuestion, `"supersedes":"`+id+`"`))
		}
		p := read[client.Problem](t, replace("token-b").want(t, http.StatusForbidden))
		if !strings.Contains(p.Detail, `"a"`) || !strings.Contains(p.Detail, `"cancel"`) || state() != ask.Open {
			t.Errorf("detail %q; the other agent's request is %s", p.Detail, state())
		}
		next := replace("token-c").want(t, http.StatusCreated).request(t).ID
		if state() != ask.Superseded {
			t.Errorf("who may withdraw it has replaced it, and it is %s", state())
		}
		replace("token-b").want(t, http.StatusCreated) // It has ended, so nothing of another's is.
		id = next
		w.call("token-c", "POST", "/v1/requests", with(oneQuestion, `"supersedes":"`+id+`"`)).want(t, http.StatusCreated)
	})
}

func TestKeysAreSeparatePerTenant(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a"}, access.Agent{Name: "b", Token: "token-b"}), func(t *testing.T, w *fixture) {
		one := w.call("token-a", "POST", "/v1/requests", oneQuestion, "Idempotency-Key: k").want(t, http.StatusCreated).request(t)
		two := w.call("token-b", "POST", "/v1/requests", oneQuestion, "Idempotency-Key: k").want(t, http.StatusCreated).request(t)
		if one.ID == two.ID {
			t.Error("they share one")
		}
	})
}

func TestCardShowsTokenName(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "deploy-bot", Token: "token-a"}), func(t *testing.T, w *fixture) {
		r := w.call("token-a", "POST", "/v1/requests", with(oneQuestion, `"agent":"the-boss","tenant":"other"`)).want(t, http.StatusCreated).request(t)
		if r.Agent != "deploy-bot" || strings.Join(r.Ignored, " ") != "tenant agent" || len(r.Advice) != 1 || r.Advice[0].Path != "agent" {
			t.Errorf("got %s", quote(r))
		}
		r = w.call("token-a", "POST", "/v1/requests", with(oneQuestion, `"agent":"deploy-bot"`)).want(t, http.StatusCreated).request(t)
		if r.Ignored != nil || r.Advice != nil {
			t.Errorf("got %s", quote(r))
		}
	})
}

func TestAllowLists(t *testing.T) {
	list := []access.Agent{
		{Name: "free", Token: "token-free"},
		{Name: "channel", Token: "token-channel", Targets: []string{"slack:C0000001"}},
		{Name: "slack", Token: "token-slack", Targets: []string{"slack:*"}},
		{Name: "route", Token: "token-route", Routes: []string{"deploys"}},
		{Name: "none", Token: "token-none", Routes: []string{"other"}},
	}
	bubble(t, agents(list...), func(t *testing.T, w *fixture) {
		const questions = `"questions":[{"question":"Why?"}]`
		tests := map[string]string{
			`"to":[{"platform":"slack","channel":"C0000001"}]`:                                           "free channel slack",
			`"to":[{"platform":"slack","channel":"C0000001","thread":"1.2"}]`:                            "free channel slack",
			`"to":[{"platform":"slack","channel":"C0000003"}]`:                                           "free slack",
			`"to":[{"platform":"slack","user":"U0000009"}]`:                                              "free slack",
			`"to":[{"platform":"slack","channel":"C0000001"},{"platform":"slack","channel":"C0000003"}]`: "free slack",
			`"route":"deploys"`: "free route",
			`"session":"s"`:     "free route",
		}
		for where, allowed := range tests {
			for _, a := range list {
				r := w.call(a.Token, "POST", "/v1/requests", "{"+where+","+questions+"}")
				if may := strings.Contains(" "+allowed+" ", " "+a.Name+" "); may != (r.StatusCode == 201) || !may && r.StatusCode != 403 {
					t.Errorf("%s asks %s: %d %s", a.Name, where, r.StatusCode, r.body)
				}
			}
		}
		p := read[client.Problem](t, w.call("token-channel", "POST", "/v1/requests", `{"to":[{"platform":"slack","channel":"C0000001"},{"platform":"slack","channel":"C9"}],`+questions+"}"))
		if len(p.Errors) != 1 || p.Errors[0].Path != "to[1]" {
			t.Errorf("problem %+v", p)
		}
	})
}

func TestNoTokensAllowsOnlyLocalCallers(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		for host, want := range map[string]int{
			"localhost": 200, "localhost:8080": 200, "127.0.0.1:8080": 200, "127.9.9.9": 200, "[::1]:8080": 200, "[::1]": 200, "LOCALHOST": 200,
			"evil.example.org": 403, "localhost.evil.example.org": 403, "127.0.0.1.evil.example.org:80": 403, "10.0.0.1": 403, "0.0.0.0:8080": 403,
		} {
			if got := w.call("", "GET", "/v1/requests", "", "Host: "+host).StatusCode; got != want {
				t.Errorf("Host %s: %d", host, got)
			}
		}
		for header, want := range map[string]int{
			"Sec-Fetch-Site: cross-site": 403, "Sec-Fetch-Site: same-site": 403, "Origin: https://evil.example.org": 403, "Origin: null": 403,
			"Sec-Fetch-Site: same-origin": 201, "Sec-Fetch-Site: none": 201, "Origin: http://localhost": 201, "X-Any: thing": 201,
		} {
			if got := w.call("", "POST", "/v1/requests", oneQuestion, header).StatusCode; got != want {
				t.Errorf("%s: %d", header, got)
			}
		}
	})
}

func TestTokenRateLimit(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a", Rate: 3}, access.Agent{Name: "b", Token: "token-b"}), func(t *testing.T, w *fixture) {
		for range 3 {
			w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		}
		if after := w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusTooManyRequests).Header.Get("Retry-After"); after != "20" {
			t.Errorf("Retry-After %s", after)
		}
		w.call("token-a", "GET", "/v1/requests", "").want(t, http.StatusOK)
		w.call("token-b", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		later(20 * time.Second)
		w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		w.call("token-a", "POST", "/v1/requests", oneQuestion).want(t, http.StatusTooManyRequests)
	})
}

func TestOpenRequestQuota(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a", MaxOpen: 2}, access.Agent{Name: "b", Token: "token-b", Tenant: "a", MaxOpen: 1}), func(t *testing.T, w *fixture) {
		call := func(n int) reply {
			return w.call("token-a", "POST", "/v1/requests", with(oneQuestion, fmt.Sprintf(`"tool_call_id":"toolu_%d"`, n)))
		}
		first := call(1).want(t, http.StatusCreated).request(t)
		call(1).want(t, http.StatusOK)
		w.call("token-a", "POST", "/v1/requests", "{}").want(t, http.StatusUnprocessableEntity)
		second := call(2).want(t, http.StatusCreated).request(t)
		if full := call(3).want(t, http.StatusTooManyRequests); full.Header.Get("Retry-After") == "" || !strings.Contains(full.body, "2 requests") {
			t.Errorf("%v %s", full.Header, full.body)
		}
		call(2).want(t, http.StatusOK)
		w.call("token-a", "POST", "/v1/requests", with(oneQuestion, `"idempotency_key":"key"`)).want(t, http.StatusTooManyRequests)
		call(3).want(t, http.StatusTooManyRequests)
		w.call("token-b", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		w.press(first.ID, 0, 0)
		call(3).want(t, http.StatusCreated)
		call(4).want(t, http.StatusTooManyRequests)
		w.press(second.ID, 0, 0)
		keyed := with(oneQuestion, `"idempotency_key":"key"`)
		w.call("token-a", "POST", "/v1/requests", keyed).want(t, http.StatusCreated)
		w.call("token-a", "POST", "/v1/requests", keyed).want(t, http.StatusOK)
		call(4).want(t, http.StatusTooManyRequests)
	})
}

func TestQuotaDoesNotBlockMissedAnswer(t *testing.T) {
	bubble(t, agents(access.Agent{Name: "a", Token: "token-a", MaxOpen: 1}), func(t *testing.T, w *fixture) {
		missed := with(oneQuestion, `"idempotency_key":"missed"`)
		first := w.call("token-a", "POST", "/v1/requests", missed).want(t, http.StatusCreated).request(t)
		w.press(first.ID, 0, 0)
		w.call("token-a", "POST", "/v1/requests", with(oneQuestion, `"idempotency_key":"next"`)).want(t, http.StatusCreated)
		if again := w.call("token-a", "POST", "/v1/requests", missed).want(t, http.StatusOK).request(t); again.ID != first.ID || again.State != ask.Answered {
			t.Errorf("it finds %s, %s", again.ID, again.State)
		}
		w.call("token-a", "POST", "/v1/requests", with(oneQuestion, `"idempotency_key":"third"`)).want(t, http.StatusTooManyRequests)
	})
}

func TestInvalidOptions(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		if _, err := New(w.handler.service.entrance.Load().gate, &Options{MaxWait: -1}); err == nil || !strings.Contains(err.Error(), "max wait") {
			t.Errorf("got %v", err)
		}
	})
}
