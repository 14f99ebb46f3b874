package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// team are agents that see each other's requests: one has a lead who answers, and one may ask in one channel only.
func team() *settings {
	return agents(
		access.Agent{Name: "deploys", Token: "token-deploys", Tenant: "team", Terms: ask.Terms{Responders: []string{"slack:ULEAD"}}},
		access.Agent{Name: "lunch", Token: "token-lunch", Tenant: "team", Targets: []string{"slack:C0000009"}},
		access.Agent{Name: "tests", Token: "token-tests", Tenant: "team"},
		access.Agent{Name: "ops", Token: "token-ops", Scopes: []access.Scope{access.Admin}},
	)
}

func TestAgentCannotReplyOnForeignCard(t *testing.T) {
	bubble(t, team(), func(t *testing.T, w *fixture) {
		made := w.call("token-deploys", "POST", "/v1/requests", with(oneQuestion, `"ask_back":"stay","receipts":true`)).want(t, http.StatusCreated).request(t)
		path := "/v1/requests/" + made.ID
		const pizza, loud = `{"context":"Pizza?"}`, `{"text":"Yes, do."}`
		for _, token := range []string{"token-lunch", "token-tests"} {
			for what, got := range map[string]reply{
				"revises":    w.call(token, "PATCH", path, pizza),
				"replies to": w.call(token, "POST", path+"/reply", loud),
				"takes":      w.call(token, "POST", path+"/taken", ""),
				"overruled":  w.call(token, "POST", path+"/taken", `{"instead":"no"}`),
			} {
				if p := read[client.Problem](t, got); got.StatusCode != http.StatusForbidden || !strings.Contains(p.Detail, `"deploys"`) {
					t.Errorf("%s %s what another agent has asked: %d %s", token, what, got.StatusCode, got.body)
				}
			}
		}
		if r := w.call("token-tests", "GET", path, "").want(t, http.StatusOK).request(t); r.Revision != 0 || r.Context != "" {
			t.Errorf("it asks %+v", r)
		}
		for n, token := range []string{"token-deploys", "token-ops"} {
			if r := w.call(token, "PATCH", path, `{"context":"`+token+`"}`).want(t, http.StatusOK).request(t); r.Revision != n+1 {
				t.Errorf("%s has revised it to %d", token, r.Revision)
			}
		}
	})
}

func TestSharedAnswerMustMatchTokenResponders(t *testing.T) {
	for name, query := range map[string]string{"at once": "", "for one that waits": "?wait=30s"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, team(), func(t *testing.T, w *fixture) {
				body := with(oneQuestion, `"idempotency_key":"deploy-4.2"`)
				first := w.call("token-tests", "POST", "/v1/requests", body).want(t, http.StatusCreated).request(t)
				w.press(first.ID, 0, 0)
				if r := w.call("token-tests", "POST", "/v1/requests"+query, body).want(t, http.StatusOK).request(t); r.State != ask.Answered {
					t.Fatalf("the asking agent gets %+v", r)
				}
				got := w.call("token-deploys", "POST", "/v1/requests"+query, body)
				if p := read[client.Problem](t, got); got.StatusCode != http.StatusConflict || p.RequestID != first.ID || !strings.Contains(p.Detail, `"tests"`) {
					t.Errorf("the lead has not answered, and the agent gets %d %s", got.StatusCode, got.body)
				}
			})
		})
	}
}
