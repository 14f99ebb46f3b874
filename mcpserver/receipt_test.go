package mcpserver

import (
	"testing"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
)

func TestReturningMCPAgentAcknowledgesAnswer(t *testing.T) {
	t.Parallel()
	agents := map[string]func(w *fixture) *agent{
		"with a token": func(w *fixture) *agent {
			return w.webAs(w.caller(access.Agent{Name: "bot", Terms: ask.Terms{Receipts: true}}))
		},
		"in the bridge's process": func(w *fixture) *agent { return w.pipes(july2026) },
		"on the bridge's machine": func(w *fixture) *agent { return w.web(july2026) },
	}
	for name, comesBack := range map[string]func(a *agent, id string) toolReply{
		"it waits again": func(a *agent, id string) toolReply { return a.call(waitName, nil, meta{"id": id}) },
		"it asks again":  func(a *agent, _ string) toolReply { return a.call(askName, patient(under("toolu_1")), database()) },
	} {
		for from, connect := range agents {
			t.Run(name+" "+from, func(t *testing.T) {
				bubble(t, &Options{Budget: time.Second, Route: "legal"}, func(t *testing.T, w *fixture) {
					a := connect(w)
					asked := a.call(askName, patient(under("toolu_1")), database())
					if asked.State != pending {
						t.Fatalf("without an answer it gets %+v", asked)
					}
					w.press(asked.ID, 0, 1)
					if got := comesBack(a, asked.ID); got.State != answered {
						t.Fatalf("it gets %+v", got)
					}
					later(time.Second)
					if r, err := w.bridge.Load(t.Context(), asked.ID); err != nil || r.Receipt == nil || r.Receipt.TakenAt.IsZero() {
						t.Errorf("the answer was returned, receipt %+v, %v", r.Receipt, err)
					}
				})
			})
		}
	}
}
