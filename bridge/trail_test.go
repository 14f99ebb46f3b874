package bridge_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/memory"
)

func TestAuditTrailListsChanges(t *testing.T) {
	inFixture(t, &bridge.Options{Audit: true}, func(t *testing.T, w *fixture) {
		req := database()
		req.Responders = []string{"slack:U1"}
		r := w.submit(req)
		w.act(choose(r, "U2", 1))
		w.act(choose(r, "U1", 1))
		ended := w.load(r.ID)
		var kinds []string
		for _, e := range ended.Trail.Events {
			kinds = append(kinds, string(e.Kind))
		}
		if got := strings.Join(kinds, " "); got != "asked posted refused answered" || ended.Trail.Events[3].By.ID != "U1" {
			t.Errorf("trail %q: %+v", got, ended.Trail.Events)
		}
		gone := w.submit(database(func(r *ask.Request) { r.ToolCallID = "t2" }))
		if _, err := w.Cancel(t.Context(), gone.ID, "no need"); err != nil {
			t.Fatal(err)
		}
		last := w.load(gone.ID).Trail.Events
		if e := last[len(last)-1]; e.Kind != record.EventKind(ask.Cancelled) {
			t.Errorf("the agent's event is %+v", e)
		}
	})
}

// Slack payloads contain no user groups, so they are looked up at the press.
func TestRefusalIsAuditedAfterLookup(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"U1": "asked posted answered", "U2": "asked posted refused"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				chat := &club{Script: bridgetest.NewScript("slack", render.Limits{}), members: []string{"U1"}}
				w := &fixture{t: t, store: memory.New(), chat: chat.Script}
				defer w.begin(&bridge.Options{Audit: true}, chat)()
				r := w.submit(database(func(r *ask.Request) { r.Responders = []string{"slack-group:S1"} }))
				w.act(choose(r, name, 0))
				var kinds []string
				for _, e := range w.load(r.ID).Trail.Events {
					kinds = append(kinds, string(e.Kind))
				}
				if got := strings.Join(kinds, " "); got != want {
					t.Errorf("trail %q, want %q", got, want)
				}
			})
		})
	}
}

func TestNoTrailWithoutAudit(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		if r := w.submit(database()); w.load(r.ID).Trail != nil {
			t.Error("a record has a trail without audit")
		}
	})
}
