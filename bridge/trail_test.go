package bridge_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
)

func TestAnAuditedRequestTellsWhatWasDoneToIt(t *testing.T) {
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
			t.Errorf("the trail says %q: %+v", got, ended.Trail.Events)
		}
		gone := w.submit(database(func(r *ask.Request) { r.ToolCallID = "t2" }))
		if _, err := w.Cancel(t.Context(), gone.ID, "no need"); err != nil {
			t.Fatal(err)
		}
		last := w.load(gone.ID).Trail.Events
		if e := last[len(last)-1]; e.Kind != record.EventKind(ask.Cancelled) {
			t.Errorf("the agent's word is told as %+v", e)
		}
	})
}

func TestARequestWithoutAnAuditKeepsNoTrail(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		if r := w.submit(database()); w.load(r.ID).Trail != nil {
			t.Error("a record keeps a trail that nobody asked for")
		}
	})
}
