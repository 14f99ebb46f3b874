package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

func TestRequestHasNames(t *testing.T) {
	opts := agents(
		access.Agent{Name: "bot", Token: "token-bot", Tenant: "team"},
		access.Agent{Name: "other", Token: "token-other", Tenant: "others"},
	)
	bubble(t, opts, func(t *testing.T, w *fixture) {
		w.slack.Call(map[string]string{
			"C0000001": "#deploys", "C0000002": "#secret", "C0000003": "#leads", "U0000001": "Dana", "U0000002": "Sam", "U0000003": "Kim", "U0000004": "Robin",
		})
		for name, tc := range map[string]struct {
			extra string
			want  map[string]string
		}{
			"a channel":      {`"to":[{"platform":"slack","channel":"C0000001"}]`, map[string]string{"slack:C0000001": "#deploys"}},
			"a person":       {`"to":[{"platform":"slack","user":"U0000001"}]`, map[string]string{"slack:U0000001": "Dana"}},
			"people":         {`"to":[{"platform":"slack","channel":"C0000009"}],"responders":["slack:U0000001","slack:U0000009"]`, map[string]string{"slack:U0000001": "Dana"}},
			"a thread":       {`"to":[{"platform":"slack","channel":"C0000001","thread":"1.2"}]`, map[string]string{"slack:C0000001": "#deploys"}},
			"nothing known":  {`"to":[{"platform":"slack","channel":"C0000009"}]`, nil},
			"a later place":  {`"to":[{"platform":"slack","channel":"C0000009"}],"schedule":{"steps":[{"after":"1h","do":"add","to":[{"platform":"slack","channel":"C0000003"}],"notify":["slack:U0000003"]}]}`, map[string]string{"slack:C0000003": "#leads", "slack:U0000003": "Kim"}},
			"later a person": {`"to":[{"platform":"slack","channel":"C0000009"}],"schedule":{"steps":[{"after":"1h","do":"add","responders":["slack:U0000002"]}]}`, map[string]string{"slack:U0000002": "Sam"}},
		} {
			r := w.call("token-bot", http.MethodPost, "/v1/requests", `{"questions":[{"question":"Which?","options":["A","B"]}],`+tc.extra+`}`, "Idempotency-Key: "+name).want(t, http.StatusCreated).request(t)
			if !maps.Equal(r.Names, tc.want) {
				t.Errorf("%s: names %q, want %q", name, r.Names, tc.want)
			}
		}
		// A token sees the names of its own requests only.
		var page client.Page
		if err := json.Unmarshal([]byte(w.call("token-other", http.MethodGet, "/v1/requests", "").want(t, http.StatusOK).body), &page); err != nil || len(page.Requests) > 0 {
			t.Errorf("another tenant sees %+v, %v", page, err)
		}
	})
}
