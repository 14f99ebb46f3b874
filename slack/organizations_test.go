package slack

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
)

func TestWorkspaceJoinsOrganization(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		sent    string // the organization in the payload
		moved   string // what Slack confirms
		down    error
		counts  bool
		queries int
	}{
		"confirmed":       {sent: "E0000009", moved: "E0000009", counts: true, queries: 1},
		"another one":     {sent: "E0000009", moved: "E0000008", queries: 1},
		"not confirmed":   {sent: "E0000009", queries: 1},
		"store is away":   {sent: "E0000009", moved: "E0000009", down: errors.New("store is away"), queries: 1},
		"none, as before": {counts: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newCompany(t)
				b, id, action := w.ask(t, "T0000001")
				w.book.mu.Lock()
				w.moved, w.down = tc.moved, tc.down
				w.book.mu.Unlock()
				for n := range 3 { // The same press three times, within a minute.
					w.deliver(t, ids{Team: "T0000001", Enterprise: tc.sent, App: ourApp}.press(action, n))
				}
				r, err := b.Load(t.Context(), id)
				if err != nil || (r.Outcome.State == ask.Answered) != tc.counts {
					t.Errorf("%+v, %v\n%s", r.Outcome, err, w.log)
				}
				if w.identified != tc.queries {
					t.Errorf("Slack was asked %d times, want %d", w.identified, tc.queries)
				}
				time.Sleep(readAgain)
				w.deliver(t, ids{Team: "T0000001", Enterprise: "E0000007", App: ourApp}.press(action, 9))
				if want := tc.queries + 1; w.identified != want {
					t.Errorf("a minute later Slack was asked %d times, want %d", w.identified, want)
				}
			})
		})
	}
}

// Payloads of another app, or of the organization's installation, ask Slack for nothing.
func TestOnlyOurWorkspaceIsIdentified(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCompany(t)
		_, _, action := w.ask(t, "T0000001")
		for n, d := range []ids{
			{Team: "T0000001", Enterprise: "E0000009", App: "A0000002"},
			{Team: "T0000001", Enterprise: "E0000009"},
			{Team: "T0000031", Enterprise: "E0000009", App: ourApp, Wide: true},
			{Team: "T0000009", Enterprise: "E0000009", App: ourApp, Seen: "T0000001"}, // A visitor's form.
			{Team: "T0000009", Enterprise: "E0000009", App: ourApp},
		} {
			w.deliver(t, d.press(action, n))
			w.deliver(t, d.say("Postgres", n))
		}
		if w.identified != 0 {
			t.Errorf("Slack was asked %d times", w.identified)
		}
	})
}

func TestWorkspacesOfOrganizationChange(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind, app, enterprise, authorizations string
		noticed                               bool
	}{
		"added":                   {eventGranted, ourApp, "E0000003", `[{"enterprise_id":"E0000003","team_id":null,"is_enterprise_install":true}]`, true},
		"removed":                 {eventUngranted, ourApp, "E0000003", `[{"enterprise_id":"E0000003","team_id":null,"is_enterprise_install":true}]`, true},
		"marked as a workspace's": {eventGranted, ourApp, "", `[{"enterprise_id":"E0000003","team_id":"T0000031","is_enterprise_install":false}]`, true},
		"no authorizations":       {eventGranted, ourApp, "E0000003", `[]`, true},
		"another app":             {eventGranted, "A0000002", "E0000003", `[]`, false},
		"another organization":    {eventGranted, ourApp, "E0000009", `[]`, false},
		"no organization":         {eventGranted, ourApp, "", `[]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newCompany(t)
				listening(t, w.c, ackIt)
				in, err := w.c.at(t.Context(), "test", "E0000003")
				if err != nil {
					t.Fatal(err)
				}
				teams := func() int {
					w.answers["xoxb-canary-E0000003"] = `{"ok":true,"teams":[{"id":"T0000031"}]}`
					if _, err := in.directory.workspaces(t.Context()); err != nil {
						t.Fatal(err)
					}
					return w.called("xoxb-canary-E0000003 auth.teams.list")
				}
				teams()
				w.deliver(t, fmt.Appendf(nil, `{"type":"event_callback","api_app_id":%q,"team_id":"T0000031","enterprise_id":%q,"authorizations":%s,"event":{"type":%q,"team_ids":["T0000031"]}}`,
					tc.app, tc.enterprise, tc.authorizations, tc.kind))
				if noticed := teams() == 2; noticed != tc.noticed {
					t.Errorf("noticed: %t\n%s", noticed, w.log)
				}
				time.Sleep(teamsLife) // Another replica gets no event.
				if n := teams(); n < 2 {
					t.Errorf("after %v the workspaces were asked for %d times", teamsLife, n)
				}
			})
		})
	}
}
