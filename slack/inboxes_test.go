package slack

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Each Home tab is published with its installation's token and shows only requests of that installation, even if the
// ids of person, channel and card are alike. A press there on a request of another installation does not count.
func TestHomeTabsOfInstallations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCompany(t)
		b, _, _ := w.ask(t, "T0000001")
		named := func(key, installation string) (id string) {
			r, err := b.Submit(t.Context(), ask.Request{
				Key: key, To: []ask.Place{{Platform: Name, Installation: installation, Channel: "C0000001"}}, Responders: []string{"slack@" + installation + ":U0000001"},
				Questions: []ask.Question{{Text: "Deploy " + key + "?", Options: []ask.Option{{Label: "Yes"}, {Label: "No"}}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			return r.Record.ID
		}
		named("apple", "T0000001")
		id := named("pear", "T0000002")
		open := func(team, enterprise string) string {
			before := w.called("")
			w.deliver(t, fmt.Appendf(nil, `{"type":"event_callback","api_app_id":%q,"team_id":%q,"enterprise_id":%q,
				"authorizations":[{"team_id":%q,"enterprise_id":%q}],"event":{"type":"app_home_opened","tab":"home","user":"U0000001","event_ts":"17123459%02d.000100"}}`,
				ourApp, team, enterprise, team, enterprise, before))
			time.Sleep(time.Second)
			w.mu.Lock()
			defer w.mu.Unlock()
			var views []string
			for _, call := range w.calls[before:] {
				if token, rest, _ := strings.Cut(call, " "); strings.HasPrefix(rest, "views.publish") {
					views = append(views, token+" "+rest)
				}
			}
			if len(views) != 1 || !strings.HasPrefix(views[0], "xoxb-canary-"+team+" ") {
				t.Fatalf("opening the Home tab in %s publishes %q\n%s", team, views, w.log)
			}
			text, _ := url.QueryUnescape(views[0])
			return text
		}
		for _, tt := range []struct{ team, enterprise, shown, hidden string }{
			{"T0000001", "", "Deploy apple?", "pear"},
			{"T0000002", "E0000002", "Deploy pear?", "apple"},
		} {
			if text := open(tt.team, tt.enterprise); !strings.Contains(text, tt.shown) || strings.Contains(text, tt.hidden) {
				t.Errorf("the Home tab in %s, want %q and no %q:\n%s", tt.team, tt.shown, tt.hidden, text)
			}
		}
		home := open("T0000002", "E0000002")
		_, action, _ := strings.Cut(home, `"action_id":"`)
		action, _, _ = strings.Cut(action, `"`)
		press := func(team, enterprise string) {
			body := fmt.Sprintf(`{"type":"block_actions","api_app_id":%q,"team":{"id":%q},"enterprise":{"id":%q},"user":{"id":"U0000001","team_id":%q},"view":{"type":"home","app_installed_team_id":%q},
				"container":{"type":"view"},"trigger_id":%q,"actions":[{"action_id":%q,"action_ts":"1712345990.000100"}]}`, ourApp, team, enterprise, team, team, "1."+team, action)
			form := url.Values{"payload": {body}}.Encode()
			if got := serve(w.c, signedRequest([]byte(form))); got.Code != http.StatusOK {
				t.Fatalf("status %d", got.Code)
			}
			time.Sleep(time.Second)
		}
		press("T0000001", "")
		if r, err := b.Load(t.Context(), id); err != nil || !r.Open() {
			t.Fatalf("a press in another installation decided: %+v, %v", r.Outcome, err)
		}
		press("T0000002", "E0000002")
		if r, err := b.Load(t.Context(), id); err != nil || r.Outcome.State != ask.Answered {
			t.Errorf("a press in the Home tab: %+v, %v\n%s", r.Outcome, err, w.log)
		}
	})
}
