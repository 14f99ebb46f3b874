package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// desk is a bridge with an operator, an admin and an agent in its configuration.
func desk() *settings {
	return agents(
		access.Agent{Name: "ops", Token: "token-ops", Scopes: []access.Scope{access.ManageTokens}},
		access.Agent{Name: "root", Token: "token-root", Scopes: []access.Scope{access.Admin}},
		access.Agent{Name: "bot", Token: "token-bot", Tenant: "team"},
	)
}

// made creates a token.
func (w *fixture) made(body string) *client.MadeToken {
	w.t.Helper()
	return read[client.MadeToken](w.t, w.call("token-ops", "POST", "/v1/tokens", body).want(w.t, http.StatusCreated))
}

func TestCreatedTokenWorks(t *testing.T) {
	bubble(t, desk(), func(t *testing.T, w *fixture) {
		const body = `{"name":"deploy-bot","tenant":"team","scopes":["ask","read"],"targets":["slack:C0000001"],"policy":{"need":2},"responders":["slack:U0000001","slack:U0000002"],"expires_in":"30d"}`
		token := w.made(body)
		want := client.MadeToken{Secret: token.Secret, Token: client.Token{
			ID: access.IDOf(token.Secret).String(), State: "active", By: "ops", CreatedAt: token.CreatedAt, ExpiresAt: token.CreatedAt.AddDate(0, 0, 30),
			TokenSettings: client.TokenSettings{
				Name: "deploy-bot", Tenant: "team", Scopes: []string{"ask", "read"}, Targets: []string{"slack:C0000001"},
				Responders: []string{"slack:U0000001", "slack:U0000002"}, Policy: &client.NewPolicy{Mode: "quorum", Need: 2},
				Rate: 60, MaxOpen: 1000, Calls: 6000, MaxWaits: 1000, MaxStreams: 10,
			},
		}}
		if diff := cmp.Diff(&want, token); diff != "" {
			t.Errorf("made is\n%s", diff)
		}
		r := w.call(token.Secret, "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t)
		if r.Agent != "deploy-bot" || r.Policy == nil || r.Policy.Need != 2 || strings.Join(r.Responders, " ") != "slack:U0000001 slack:U0000002" {
			t.Errorf("it asks as %+v", r)
		}
		w.call("token-bot", "GET", "/v1/requests/"+r.ID, "").want(t, http.StatusOK) // Of the same tenant.
		w.call(token.Secret, "POST", "/v1/requests/"+r.ID+"/cancel", "").want(t, http.StatusForbidden)
		elsewhere := strings.Replace(oneQuestion, "C0000001", "C0000009", 1)
		if no := w.call(token.Secret, "POST", "/v1/requests", elsewhere).want(t, http.StatusForbidden); !strings.Contains(no.body, "not one of this token's places") {
			t.Errorf("another place: %s", no.body)
		}
		if got := read[client.Token](t, w.call(token.Secret, "GET", "/v1/token", "")); got.ID != token.ID || got.Name != "deploy-bot" {
			t.Errorf("its own is %+v", got)
		}
		if got := read[client.Token](t, w.call("token-bot", "GET", "/v1/token", "")); got.ID != "" || strings.Join(got.Scopes, " ") != "ask read cancel" {
			t.Errorf("that of the configuration is %+v", got)
		}
		list := w.call("token-ops", "GET", "/v1/tokens", "").want(t, http.StatusOK)
		if all := read[client.Tokens](t, list).Tokens; len(all) != 1 || all[0].LastUsedAt.IsZero() || strings.Contains(list.body, token.Secret) {
			t.Errorf("listed are %s", list.body)
		}
		if log := w.logs.String(); strings.Contains(log, token.Secret) || !strings.Contains(log, `"msg":"token issued"`) || !strings.Contains(log, token.ID) {
			t.Errorf("log: %s", log)
		}
	})
}

func TestTokenScopes(t *testing.T) {
	bubble(t, desk(), func(t *testing.T, w *fixture) {
		for token, want := range map[string]int{"token-ops": 201, "token-root": 403, "token-bot": 403, "unknown": 401, "": 401} {
			w.call(token, "POST", "/v1/tokens", `{"name":"new`+token+`"}`).want(t, want)
		}
		for path, method := range map[string]string{"/v1/tokens": "GET", "/v1/tokens/newtoken-ops/rotate": "POST", "/v1/tokens/newtoken-ops/revoke": "POST"} {
			w.call("token-root", method, path, "").want(t, http.StatusForbidden)
		}
	})
}

// Without this rule, a local agent could create a token that answers for it.
func TestCreatingTokensNeedsToken(t *testing.T) {
	bubble(t, anonymous(), func(t *testing.T, w *fixture) {
		no := w.call("", "POST", "/v1/tokens", `{"name":"new"}`).want(t, http.StatusForbidden)
		if !strings.Contains(no.body, "set require_tokens") {
			t.Errorf("response: %s", no.body)
		}
	})
}

func TestSimulatorTokens(t *testing.T) {
	bubble(t, &settings{Free: true}, func(t *testing.T, w *fixture) {
		token := read[client.MadeToken](t, w.call("", "POST", "/v1/tokens", `{"name":"reader","scopes":["read"]}`).want(t, http.StatusCreated))
		w.call(token.Secret, "POST", "/v1/requests", oneQuestion).want(t, http.StatusForbidden)
		w.call("some-token", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated)
		w.call("", "POST", "/v1/tokens/reader/revoke", "").want(t, http.StatusOK)
		w.call(token.Secret, "GET", "/v1/requests", "").want(t, http.StatusUnauthorized)
		w.call("", "GET", "/v1/requests", "").want(t, http.StatusOK)
	})
}

func TestRevokedTokenEndsItsCalls(t *testing.T) {
	bubble(t, desk(), func(t *testing.T, w *fixture) {
		token := w.made(`{"name":"watcher","tenant":"team"}`)
		id := w.call(token.Secret, "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		waits := make(chan reply, 1)
		go func() { waits <- w.call(token.Secret, "GET", "/v1/requests/"+id+"?wait=50s", "") }()
		streams := map[string]<-chan event{}
		for _, path := range []string{"/v1/events", "/v1/requests/" + id + "/events"} {
			streams[path], _ = w.events(path, "Authorization: Bearer "+token.Secret)
			drain(streams[path])
		}
		time.Sleep(time.Second)
		w.call("token-ops", "POST", "/v1/tokens/"+token.ID+"/revoke", "").want(t, http.StatusOK)
		w.press(id, 0, 0)
		if r := <-waits; r.StatusCode != http.StatusUnauthorized || strings.Contains(r.body, "Postgres") || !strings.Contains(r.body, "was revoked on") {
			t.Errorf("the wait ended with %d %s", r.StatusCode, r.body)
		}
		for path, stream := range streams {
			if rest, ended := drain(stream); len(rest) > 0 || !ended {
				t.Errorf("%s: received %+v (ended: %t)", path, rest, ended)
			}
		}
		w.call(token.Secret, "GET", "/v1/requests/"+id, "").want(t, http.StatusUnauthorized)
	})
}

// An idle stream ends with the next heartbeat.
func TestQuietStreamEndsWithToken(t *testing.T) {
	bubble(t, desk(), func(t *testing.T, w *fixture) {
		token := w.made(`{"name":"watcher","expires_in":"1m"}`)
		stream, _ := w.events("/v1/events", "Authorization: Bearer "+token.Secret)
		time.Sleep(50 * time.Second)
		if _, ended := drain(stream); ended {
			t.Error("it ended early")
		}
		time.Sleep(heartbeat)
		if _, ended := drain(stream); !ended {
			t.Error("an expired token goes on listening")
		}
	})
}

func TestRotateTokenInUse(t *testing.T) {
	bubble(t, desk(), func(t *testing.T, w *fixture) {
		old := w.made(`{"name":"deploy/bot","expires_in":"never"}`)
		next := read[client.MadeToken](t, w.call("token-ops", "POST", "/v1/tokens/deploy%2Fbot/rotate", `{"grace":"1h"}`).want(t, http.StatusCreated))
		if next.Replaces != old.ID || !next.ExpiresAt.IsZero() {
			t.Errorf("%+v", next)
		}
		for _, token := range []string{old.Secret, next.Secret} {
			w.call(token, "GET", "/v1/requests", "").want(t, http.StatusOK)
		}
		w.call("token-ops", "POST", "/v1/tokens/"+old.ID+"/rotate", "").want(t, http.StatusConflict)
		time.Sleep(time.Hour)
		w.call(old.Secret, "GET", "/v1/requests", "").want(t, http.StatusUnauthorized)
		w.call(next.Secret, "GET", "/v1/requests", "").want(t, http.StatusOK)
		w.call("token-ops", "POST", "/v1/tokens/unknown/rotate", "").want(t, http.StatusNotFound)
		w.call("token-ops", "POST", "/v1/tokens/unknown/revoke", "").want(t, http.StatusNotFound)
		w.call("token-ops", "POST", "/v1/tokens/deploy%2Fbot/rotate", `{"grace":"31d"}`).want(t, http.StatusUnprocessableEntity)
		now := read[client.MadeToken](t, w.call("token-ops", "POST", "/v1/tokens/deploy%2Fbot/rotate", `{"grace":"0","expires_in":"2d"}`).want(t, http.StatusCreated))
		w.call(next.Secret, "GET", "/v1/requests", "").want(t, http.StatusUnauthorized)
		w.call(now.Secret, "GET", "/v1/requests", "").want(t, http.StatusOK)
	})
}

func TestSealedCallWithIssuedToken(t *testing.T) {
	bubble(t, desk(), func(t *testing.T, w *fixture) {
		token := w.made(`{"name":"shell"}`)
		c := w.client(&client.Options{Token: token.Secret, Sealed: true, Tries: 1, HTTP: w.http})
		if r, err := c.Submit(t.Context(), database); err != nil || r.Agent != "shell" {
			t.Errorf("%+v, %v", r, err)
		}
		w.call("token-ops", "POST", "/v1/tokens/shell/revoke", "").want(t, http.StatusOK)
		if _, err := c.Self(t.Context()); err == nil || !strings.Contains(err.Error(), "was revoked on") {
			t.Errorf("after it was revoked: %v", err)
		}
	})
}

func TestInvalidTokenReportsAllProblems(t *testing.T) {
	bubble(t, desk(), func(t *testing.T, w *fixture) {
		for body, want := range map[string]string{
			`{"name":"x","scope":["ask"]}`:                                `{"path":"scope","detail":"is not known here"}`,
			`{"name":5}`:                                                  `{"path":"name","detail":"must not be a number"}`,
			`{"name":"x","expires_in":"soon"}`:                            `"path":"expires_in"`,
			`{"name":"x","expires_in":"400d"}`:                            `"path":"expires_in"`,
			`{"name":"x","policy":{"need":11},"expires_in":"?"}`:          `"path":"policy.need"`,
			`{"name":"bot"}`:                                              `in the configuration, or looks like it; use another name`,
			`{"name":"x","routes":["gone"],"scopes":["answer","ask"]}`:    `{"path":"routes[0]","detail":"is not a route of the configuration"}`,
			`{"name":"x","routes":["deploys"],"scopes":["tokens","ask"]}`: `"path":"scopes[0]","detail":"cannot be combined with ask`,
			`{"name":"x","responders":["slak:U0000001"]}`:                 `{"path":"responders[0]","detail":"\"slak:U0000001\": there is no platform for \"slak\" here; known: `,
			`{"name":"x","notify":["discord:1"]}`:                         `{"path":"notify[0]","detail":"\"discord:1\": there is no platform for \"discord\" here; known: `,
			`{"name":"x","requester":["slak:U0000001"]}`:                  `{"path":"requester[0]"`,
			`{"name":"x","requester":["slack:U0000001","U0000002"]}`:      `{"path":"requester[1]","detail":"must be a person, such as slack:U0000001"}`,
			`{"name":"x","requester":["anyone"]}`:                         `{"path":"requester[0]","detail":"must be a person, such as slack:U0000001"}`,
			`{"name":"x","targets":["slack:*","slak:*"]}`:                 `{"path":"targets[1]","detail":"there is no platform \"slak\" here; configured: slack"}`,

			`{"name":"x","schedule":{"steps":[{"after":"1h","do":"add","responders":["slak:U1"]}]}}`: `{"path":"schedule.steps[0].responders[0]"`,
		} {
			if r := w.call("token-ops", "POST", "/v1/tokens", body).want(t, http.StatusUnprocessableEntity); !strings.Contains(r.body, want) {
				t.Errorf("%s: %s, want %s", body, r.body, want)
			}
		}
		for _, body := range []string{"", "[", `"x"`, `{"name":"x"} {}`} {
			if r := w.call("token-ops", "POST", "/v1/tokens", body); r.StatusCode != http.StatusBadRequest && r.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%q: %d %s", body, r.StatusCode, r.body)
			}
		}
		if all := read[client.Tokens](t, w.call("token-ops", "GET", "/v1/tokens", "")).Tokens; len(all) > 0 {
			t.Errorf("made were %+v", all)
		}
	})
}

// away is a store that cannot be read.
type away struct{ keyvalue.Store }

func (away) Get(context.Context, keyvalue.Key) (keyvalue.Entry, error) {
	return keyvalue.Entry{}, bridge.ErrUnavailable
}

func TestTokenDuringStoreOutage(t *testing.T) {
	o := desk()
	o.Values = func(s keyvalue.Store) keyvalue.Store { return away{s} }
	bubble(t, o, func(t *testing.T, w *fixture) {
		token := w.made(`{"name":"shell"}`)
		if r := w.call(token.Secret, "GET", "/v1/requests", "").want(t, http.StatusServiceUnavailable); r.Header.Get("Retry-After") == "" {
			t.Errorf("%v %s", r.Header, r.body)
		}
		w.call("token-bot", "GET", "/v1/requests", "").want(t, http.StatusOK)
		synctest.Wait()
	})
}

// A command that prints keys may take half a minute. The reload was reported as failed although it took effect.
func TestSlowReloadReturnsResult(t *testing.T) {
	o := desk()
	reloads := 0
	o.Reload = func(string) ([]string, error) {
		reloads++
		time.Sleep(29 * time.Second)
		return []string{"encryption"}, nil
	}
	bubble(t, o, func(t *testing.T, w *fixture) {
		result, err := w.client(&client.Options{Token: "token-root", Tries: 2}).Reload(t.Context())
		if err != nil || len(result.Changed) != 1 || reloads != 1 {
			t.Errorf("%+v after %d reloads, %v", result, reloads, err)
		}
	})
}

func TestReloadKeepsCreatedTokens(t *testing.T) {
	bubble(t, desk(), func(t *testing.T, w *fixture) {
		token := w.made(`{"name":"shell"}`)
		next, err := access.New(w.bridge, &access.Options{Agents: []access.Agent{{Name: "shelI", Token: "x"}}, Store: w.handler.service.entrance.Load().gate.Tokens().Store()})
		if err != nil {
			t.Fatal(err)
		}
		w.call(token.Secret, "GET", "/v1/requests", "").want(t, http.StatusOK)
		w.handler.Admit(next)
		// The configuration now has an agent whose name could be taken for this token.
		if r := w.call(token.Secret, "GET", "/v1/requests", "").want(t, http.StatusForbidden); !strings.Contains(r.body, "a token with another name") {
			t.Error(r.body)
		}
	})
}

func TestTokenSettingsRoundTrip(t *testing.T) {
	t.Parallel()
	no := false
	given := client.NewToken{TokenSettings: client.TokenSettings{
		Name: "n", Tenant: "t", Requester: []string{"slack:U1"}, Responders: []string{"slack:U2"}, Override: true, Notify: []string{"slack:U3"}, Hold: "10s",
		Policy: &client.NewPolicy{Mode: ask.Quorum, Need: 2, Needs: map[string]int{"Stop": 1}, Dismiss: 2, Show: ask.ShowCount, Change: &no},
		Schedule: &client.NewSchedule{
			Steps: []client.NewStep{{After: "30m0s", Do: ask.Remind}, {After: "2h0m0s", Do: ask.Add, Responders: []string{"slack:U4"}, To: []ask.Place{{Platform: "slack", Channel: "C2"}}}},
			Hours: &client.NewHours{Zone: "Europe/Berlin", Days: "mon-fri", From: "09:00", To: "18:00"}, ClaimFor: "30m0s", PassOn: true,
		},
		Scopes:    []string{"read", "answer"},
		Targets:   []string{"slack:*"},
		Routes:    []string{"r"},
		Subagents: "pass", Variants: []string{"strict"}, Persist: "none", ModelMaySet: []string{"to", "route", "responders"}, Rate: 1, MaxOpen: 2, Calls: 3, MaxWaits: 4, MaxStreams: 5,
	}}
	agent, _ := ReadToken(given)
	if diff := cmp.Diff(given.TokenSettings, ShowToken(&access.Token{Agent: agent}).TokenSettings); diff != "" {
		t.Error(diff)
	}
	data, err := json.Marshal(agent)
	var again access.Agent
	if err != nil || json.Unmarshal(data, &again) != nil || cmp.Diff(agent, again) != "" {
		t.Errorf("it is not read as it is stored: %s", data)
	}
}

// A person who has found a token may send it in place of its ID.
func TestTokenInPathIsNotRecorded(t *testing.T) {
	audit := &noting{}
	o := desk()
	o.Audit = audit
	bubble(t, o, func(t *testing.T, w *fixture) {
		found := w.made(`{"name":"shell"}`)
		next := read[client.MadeToken](t, w.call("token-ops", "POST", "/v1/tokens/"+found.Secret+"/rotate", `{"grace":"1h"}`).want(t, http.StatusCreated))
		w.call("token-ops", "POST", "/v1/tokens/"+next.Secret+"/revoke", "").want(t, http.StatusOK)
		w.call(next.Secret, "GET", "/v1/requests", "").want(t, http.StatusUnauthorized)
		damaged := w.call("token-ops", "POST", "/v1/tokens/"+found.Secret[:40]+"/revoke", "").want(t, http.StatusNotFound)
		w.call("token-ops", "POST", "/v1/tokens", `{"name":"`+found.Secret+`"}`).want(t, http.StatusUnprocessableEntity)
		want := []string{
			"token_create by ops: shell", "token_rotate by ops: " + found.ID, "token_revoke by ops: " + next.ID,
			"token_revoke by ops: " + access.IDOf(found.Secret[:40]).String(), "token_revoke_failed by ops: " + access.IDOf(found.Secret[:40]).String(),
			"token_create by ops: " + found.ID, "token_create_failed by ops: " + found.ID,
		}
		if diff := cmp.Diff(want, audit.events); diff != "" {
			t.Errorf("audit trail:\n%s", diff)
		}
		if strings.Contains(damaged.body, found.Secret[:40]) {
			t.Errorf("the token is shown again: %s", damaged.body)
		}
	})
}

// The audit trail recorded a failure although the token was revoked everywhere.
func TestAuditKeepsPartialRevocation(t *testing.T) {
	audit := &noting{}
	o := desk()
	o.Audit = audit
	o.Values = func(s keyvalue.Store) keyvalue.Store { return thin{s} }
	bubble(t, o, func(t *testing.T, w *fixture) {
		made := w.made(`{"name":"shell"}`)
		w.call("token-ops", "POST", "/v1/tokens/shell/revoke", "").wantProblem(t, http.StatusServiceUnavailable, "it holds here")
		w.call(made.Secret, "GET", "/v1/requests", "").want(t, http.StatusUnauthorized)
		if want := []string{"token_create by ops: shell", "token_revoke by ops: shell"}; !slices.Equal(audit.events, want) {
			t.Errorf("audit trail: %q", audit.events)
		}
	})
}

// A misspelled parameter that limits an erasure must not be ignored.
func TestMisspelledErasureIsRejected(t *testing.T) {
	erased := 0
	o := desk()
	o.Audit = &noting{}
	o.Erase = func(context.Context, client.Erase, string) (*client.Erased, error) {
		erased++
		return &client.Erased{}, nil
	}
	bubble(t, o, func(t *testing.T, w *fixture) {
		for _, test := range []struct {
			path, body, want string
			status           int
		}{
			{"/v1/erase", `{"person":"slack:U1","dryrun":true}`, `{"path":"dryrun","detail":"is not known here"}`, http.StatusUnprocessableEntity},
			{"/v1/erase", `{"person":"slack:U1","request_id":"p1"}`, `"path":"request_id"`, http.StatusUnprocessableEntity},
			{"/v1/erase", `{"person":7}`, `"path":"person"`, http.StatusUnprocessableEntity},
			{"/v1/erase", `{"ended_before":"yesterday"}`, "2026-06-01T00:00:00Z", http.StatusBadRequest},
			{"/v1/erase", "", "ended_before", http.StatusBadRequest},
			{"/v1/audit/erase", `{"tenant":"ops","person":"slack:U1","reqest":"p1"}`, `"path":"reqest"`, http.StatusUnprocessableEntity},
		} {
			if r := w.call("token-root", "POST", test.path, test.body).want(t, test.status); !strings.Contains(r.body, test.want) {
				t.Errorf("%s: %s", test.body, r.body)
			}
		}
		if erased > 0 {
			t.Errorf("%d times something was erased", erased)
		}
		w.call("token-root", "POST", "/v1/erase", `{"person":"slack:U1","dry_run":true}`).want(t, http.StatusOK)
	})
}
