package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func TestNotRequesterRejectsTokenWithoutRequester(t *testing.T) {
	person := func(name string, accounts ...string) access.Agent {
		return access.Agent{Name: name, Token: "token-" + name, Tenant: "team", Scopes: []access.Scope{access.Read, access.Answer}, Requesters: accounts}
	}
	everyone := agents(
		access.Agent{Name: "bot", Token: "token-bot", Tenant: "team", Requesters: []string{"slack:U0000001"}, Terms: ask.Terms{Responders: []string{"anyone", "not_requester"}}},
		person("requester", "slack:U0000001"), person("stranger"), person("colleague", "slack:U0000002"),
	)
	bubble(t, everyone, func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", "/v1/requests", oneQuestion).want(t, http.StatusCreated).request(t).ID
		given := `{"answers":[{"index":0,"selected":["SQLite"]}]}`
		for _, name := range []string{"requester", "stranger"} {
			r := w.call("token-"+name, "POST", "/v1/requests/"+id+"/answer", given).want(t, http.StatusForbidden)
			if !strings.Contains(r.body, "not_requester takes a token whose requester names an account on a platform where it is asked") {
				t.Errorf("%s: %s", name, r.body)
			}
		}
		w.call("token-colleague", "POST", "/v1/requests/"+id+"/answer", given).want(t, http.StatusOK)
	})
}

const allowForHours = `{"answers":[{"index":0,"selected":["Allow for 8 h"]}]}`

func TestGrantOverAPINeedsScope(t *testing.T) {
	o := granting()
	o.Agents[1].Scopes = []access.Scope{access.Read, access.Answer}
	bubble(t, o, func(t *testing.T, w *fixture) {
		id := w.call("token-bot", "POST", promptPath, npmTestPrompt).wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
		r := w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", allowForHours).want(t, http.StatusForbidden)
		if !strings.Contains(r.body, `lacks the scope \"grant\"; choose \"Allow\" to allow this call alone`) {
			t.Error(r.body)
		}
		w.call("token-dana", "POST", "/v1/requests/"+id+"/answer", `{"answers":[{"index":0,"selected":["Allow"]}]}`).want(t, http.StatusOK)
		synctest.Wait()
		w.call("token-bot", "POST", promptPath, npmTestPrompt).wantResult(t, http.StatusAccepted, ask.Open, false)
	})
}

func TestGrantEndsWithItsToken(t *testing.T) {
	tokens := func(w *fixture) *access.Tokens { return w.handler.service.entrance.Load().gate.Tokens() }
	reload := func(change func(*access.Agent)) func(*testing.T, *fixture, *settings, access.Token) {
		return func(t *testing.T, w *fixture, o *settings, _ access.Token) {
			agents := slices.Clone(o.Agents)
			change(&agents[1])
			next, err := access.New(w.bridge, &access.Options{Agents: agents, Store: tokens(w).Store()})
			if err != nil {
				t.Fatal(err)
			}
			w.handler.Admit(next)
		}
	}
	for name, tt := range map[string]struct {
		listed bool // The token is from the configuration.
		then   func(*testing.T, *fixture, *settings, access.Token)
		holds  bool
	}{
		"while it holds": {false, func(*testing.T, *fixture, *settings, access.Token) {}, true},
		"revoked": {false, func(t *testing.T, w *fixture, _ *settings, made access.Token) {
			if _, err := tokens(w).Revoke(t.Context(), made.ID.String()); err != nil {
				t.Fatal(err)
			}
		}, false},
		"expired": {false, func(*testing.T, *fixture, *settings, access.Token) { time.Sleep(2 * time.Hour) }, false},
		"replaced": {false, func(t *testing.T, w *fixture, _ *settings, made access.Token) {
			if _, _, err := tokens(w).Rotate(t.Context(), made.ID.String(), access.TokenOptions{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}, false},
		"listed, after a reload":          {true, reload(func(*access.Agent) {}), true},
		"listed, without the scope":       {true, reload(func(a *access.Agent) { a.Scopes = []access.Scope{access.Answer} }), false},
		"listed, with another token":      {true, reload(func(a *access.Agent) { a.Token = "token-other" }), false},
		"listed, with both in a rotation": {true, reload(func(a *access.Agent) { a.Token, a.NextToken = "token-other", a.Token }), true},
	} {
		t.Run(name, func(t *testing.T) {
			o := granting()
			bubble(t, o, func(t *testing.T, w *fixture) {
				var made access.Token
				text := "token-dana"
				if !tt.listed {
					var err error
					sam := access.Agent{Name: "sam-shell", Tenant: "team", Scopes: []access.Scope{access.Answer, access.Grant}, Requesters: []string{"slack:U0000001"}}
					if text, made, err = tokens(w).Create(t.Context(), sam, access.TokenOptions{ExpiresIn: time.Hour}); err != nil {
						t.Fatal(err)
					}
				}
				prompt := func() string {
					return w.call("token-bot", "POST", promptPath, npmTestPrompt).Header.Get(client.HeaderState)
				}
				id := w.call("token-bot", "POST", promptPath, npmTestPrompt).wantResult(t, http.StatusAccepted, ask.Open, false).Header.Get(client.HeaderRequestID)
				w.call(text, "POST", "/v1/requests/"+id+"/answer", allowForHours).want(t, http.StatusOK)
				synctest.Wait()
				if got := prompt(); got != string(ask.Answered) {
					t.Fatalf("right after the answer the same call is %s", got)
				}
				listed := grantsOf(t, w.call("token-bot", "GET", "/v1/grants", "").want(t, http.StatusOK))
				if len(listed) != 1 || listed[0].Token == "" || made.ID != (access.TokenID{}) && listed[0].Token != made.ID.String() {
					t.Errorf("listed: %+v", listed)
				}
				tt.then(t, w, o, made)
				want, n := string(ask.Open), 0
				if tt.holds {
					want, n = string(ask.Answered), 1
				}
				if listed := grantsOf(t, w.call("token-bot", "GET", "/v1/grants", "").want(t, http.StatusOK)); len(listed) != n {
					t.Errorf("afterwards listed: %+v", listed)
				}
				if got := prompt(); got != want {
					t.Errorf("afterwards the same call is %s, want %s", got, want)
				}
			})
		})
	}
}
