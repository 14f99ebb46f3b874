package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

func TestNotifyComesFromQueryOnly(t *testing.T) {
	agents := []access.Agent{{Name: "loud", Token: "loud", Terms: ask.Terms{Notify: []string{"slack:U7"}}}, {Name: "free", Token: "free"}}
	bubble(t, &settings{Agents: agents}, func(t *testing.T, w *fixture) {
		input := strings.Replace(hookInput, `"tool_input":{`, `"tool_input":{"notify":["slack:U9"],`, 1)
		for name, tt := range map[string]struct {
			token, query string
			want         []string
		}{
			"by the token":       {"loud", "", []string{"slack:U7"}},
			"by the query":       {"loud", "&notify=slack:U1&notify=slack:U2", []string{"slack:U1", "slack:U2"}},
			"quiet by the query": {"loud", "&notify=nobody", nil},
			"only in the input":  {"free", "", nil},
		} {
			path := "/v1/ask/claude" + toSlack + "&session=" + url.QueryEscape(name) + tt.query
			open := w.call(tt.token, "POST", path, input).wantResult(t, http.StatusAccepted, ask.Open, false)
			r := *w.call(tt.token, "GET", "/v1/requests/"+open.Header.Get(client.HeaderRequestID), "").want(t, http.StatusOK).request(t)
			if got := r.Delivery[0].Notified; !slices.Equal(got, tt.want) {
				t.Errorf("%s: notified %q, want %q", name, got, tt.want)
			}
		}
		got := w.call("free", "POST", "/v1/ask/claude"+toSlack+"&notify=everybody", input).want(t, http.StatusUnprocessableEntity)
		if !strings.Contains(got.body, `"notify[0]"`) {
			t.Errorf("%s, want a problem at notify[0]", got.body)
		}
	})
}

func TestClientSendsNotify(t *testing.T) {
	for name, tt := range map[string]struct {
		notify []string
		want   []string
	}{"people": {[]string{"slack:U1"}, []string{"slack:U1"}}, "nobody": {[]string{}, nil}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, &settings{Agents: []access.Agent{{Name: "loud", Token: "loud", Terms: ask.Terms{Notify: []string{"slack:U7"}}}}}, func(t *testing.T, w *fixture) {
				c := w.client(&client.Options{Token: "loud"})
				r, err := c.Submit(t.Context(), ask.Request{Questions: []ask.Question{ask.YesNo("Go?")}, To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}, Notify: tt.notify})
				if err != nil || !slices.Equal(r.Delivery[0].Notified, tt.want) {
					t.Errorf("%v, notified %q, want %q", err, r.Delivery[0].Notified, tt.want)
				}
				tool, err := c.SubmitTool(t.Context(), client.ToolCall{Dialect: "claude", Input: []byte(hookInput), Request: ask.Request{To: []ask.Place{{Platform: "slack", Channel: "C0000001"}}, Notify: tt.notify}})
				if err != nil {
					t.Fatal(err)
				}
				if r, err = c.Get(t.Context(), tool.RequestID); err != nil || !slices.Equal(r.Delivery[0].Notified, tt.want) {
					t.Errorf("tool call: %v, notified %q, want %q", err, r.Delivery[0].Notified, tt.want)
				}
			})
		})
	}
}
