package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
)

func TestMain(m *testing.M) {
	LogRedis(nil)
	goleak.VerifyTestMain(m)
}

// plain returns an open record as an agent's one question makes it.
func plain(id string) bridge.Record {
	return bridge.Record{
		ID: id, Session: "s1", ToolCallID: "toolu_01", Agent: "deploy-bot", Context: "Deploying 4.2",
		Fingerprint: "uV5hZ0b3q6m1xJ8yQ2wE4rT7nK9cL0aS",
		Questions: []ask.Question{{
			Text: "Which database?", Header: "Database",
			Options: []ask.Option{{Label: "Postgres", Description: "Managed"}, {Label: "SQLite", Description: "Embedded"}},
		}},
		Policy:  ask.PolicyOf("slack:U0000001"),
		Outcome: ask.Outcome{State: ask.Open},
		Copies: []bridge.Copy{{
			Target: ask.Place{Platform: "slack", Channel: "C0000001"}, State: bridge.Posted, Rendered: 1,
			Ref: bridge.MessageRef{Platform: "slack", Channel: "C0000001", Message: "1712000000.000100"},
		}},
		Revision: 1,
	}
}

func nothing(*bridge.Record, time.Time) error { return nil }

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// waitFor waits for what other goroutines or servers bring about.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("still waiting: %s", what)
		}
	}
}
