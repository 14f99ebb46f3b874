package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
)

// inbox returns the requests that wait for the person who holds a token.
func (w *fixture) inbox(token string) (ids []string) {
	w.t.Helper()
	for cursor := ""; ; {
		path := "/v1/requests?mine=true&limit=2"
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		var page client.Page
		if err := json.Unmarshal([]byte(w.call(token, "GET", path, "").want(w.t, http.StatusOK).body), &page); err != nil {
			w.t.Fatal(err)
		}
		for _, r := range page.Requests {
			ids = append(ids, r.ID)
		}
		if cursor = page.Next; cursor == "" {
			return ids
		}
	}
}

// Whatever is listed can be answered, and nothing else.
func TestInboxListsWhatAnswerAccepts(t *testing.T) {
	person := func(name string, accounts ...string) access.Agent {
		return access.Agent{Name: name, Token: "token-" + name, Tenant: "team", Scopes: []access.Scope{access.Read, access.Answer}, Requesters: accounts}
	}
	settings := func() *settings {
		return agents(
			access.Agent{Name: "bot", Token: "token-bot", Tenant: "team", Requesters: []string{"slack:U0000001"}},
			access.Agent{Name: "foreign", Token: "token-foreign", Tenant: "other"},
			person("ana", "slack:U0000001"), person("ben", "slack:U0000002"), person("nameless"),
		)
	}
	extras := map[string]string{
		"anyone":         `"responders":["anyone"]`,
		"a list":         `"responders":["slack:U0000002"]`,
		"another list":   `"responders":["slack:U0000009"]`,
		"not requester":  `"responders":["anyone","not_requester"]`,
		"direct message": `"to":{"platform":"slack","user":"U0000002"},"responders":["anyone"]`,
		"a vote":         `"responders":["slack:U0000001","slack:U0000002"],"policy":{"need":2}`,
	}
	want := map[string][]string{
		"ana":      {"a vote", "anyone"},
		"ben":      {"a list", "a vote", "anyone", "direct message", "not requester"},
		"nameless": {"anyone"},
	}
	for name, waiting := range want {
		t.Run(name, func(t *testing.T) {
			bubble(t, settings(), func(t *testing.T, w *fixture) {
				names := map[string]string{}
				for kind, extra := range extras {
					body := oneQuestion
					if strings.HasPrefix(extra, `"to"`) {
						body = strings.Replace(body, `"to":[{"platform":"slack","channel":"C0000001"}],`, "", 1)
					}
					id := w.call("token-bot", "POST", "/v1/requests", with(body, extra), "Idempotency-Key: "+kind).want(t, http.StatusCreated).request(t).ID
					names[id] = kind
				}
				w.call("token-foreign", "POST", "/v1/requests", oneQuestion, "Idempotency-Key: foreign").want(t, http.StatusCreated)
				list := func() (kinds []string) {
					for _, id := range w.inbox("token-" + name) {
						kinds = append(kinds, names[id])
					}
					slices.Sort(kinds)
					return kinds
				}
				if got := list(); !slices.Equal(got, waiting) {
					t.Errorf("waiting: %q, want %q", got, waiting)
				}
				for id, kind := range names {
					status := http.StatusForbidden
					if slices.Contains(waiting, kind) {
						status = http.StatusOK
					}
					w.call("token-"+name, "POST", "/v1/requests/"+id+"/answer", `{"answers":[{"index":0,"selected":["SQLite"]}]}`).want(t, status)
				}
				if got := list(); len(got) > 0 {
					t.Errorf("after an answer to each, %q still wait", got)
				}
			})
		})
	}
}

func TestInboxNeedsScope(t *testing.T) {
	bubble(t, granting(), func(t *testing.T, w *fixture) {
		for token, path := range map[string]string{"token-bot": "mine=true", "token-root": "mine=1"} {
			if got := w.call(token, "GET", "/v1/requests?"+path, "").want(t, http.StatusForbidden); !strings.Contains(got.body, `scope \"answer\"`) {
				t.Errorf("%s: %s", token, got.body)
			}
		}
		for query, text := range map[string]string{"mine=yes": "is neither true nor false", "mine=true&state=ended": "applies to open requests"} {
			if got := w.call("token-bot", "GET", "/v1/requests?"+query, "").want(t, http.StatusUnprocessableEntity); !strings.Contains(got.body, text) {
				t.Errorf("%s: %s", query, got.body)
			}
		}
		w.call("token-bot", "GET", "/v1/requests?mine=false", "").want(t, http.StatusOK)
	})
}
