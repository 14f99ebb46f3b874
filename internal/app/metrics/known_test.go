package metrics

import (
	"fmt"
	"testing"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
)

// TestAgentsWithStoredTokensAreLabeled uses more agents than labels.
func TestAgentsWithStoredTokensAreLabeled(t *testing.T) {
	t.Parallel()
	m := New(Options{Version: "v1", Agents: []string{"deploy-bot"}})
	ask := func(agent string) {
		m.Observe(bridge.Observation{What: bridge.RequestAsked, Record: &record.Record{Agent: agent}})
	}
	m.Known("deploy-bot")
	for n := range maxMet + 5 {
		m.Known(fmt.Sprintf("made-%03d", n))
		m.Known(fmt.Sprintf("made-%03d", n))
		ask(fmt.Sprintf("made-%03d", n))
	}
	ask("unknown-agent")
	for agent, want := range map[string]string{
		"deploy-bot": "deploy-bot", "made-000": "made-000", "made-099": "made-099", "made-100": Other, "unknown-agent": Other,
	} {
		if got := m.agent(agent); got != want {
			t.Errorf("%s is counted as %s, want %s", agent, got, want)
		}
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		// The configured one, a hundred, and all others.
		if f.GetName() == "askbridge_requests_total" && len(f.GetMetric()) != 1+maxMet+1 {
			t.Errorf("there are %d series", len(f.GetMetric()))
		}
	}
}
