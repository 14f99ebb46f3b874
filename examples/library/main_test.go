package main

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
)

func TestAgentFollowsDecision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
		answered := make(chan error, 1)
		go func() {
			dana := w.Slack.Seat("U0000001")
			time.Sleep(time.Hour)
			answered <- errors.Join(
				dana.Pick(t.Context(), "When should 4.2 go out?", "Tonight"),
				dana.Pick(t.Context(), "Which checks run first?", "Smoke tests"),
				dana.Press(t.Context(), "Submit"))
		}()
		var out bytes.Buffer
		err := deploy(t.Context(), w.Bridge, ask.Place{Platform: "slack", Channel: "C0000001"}, &out)
		if failed := <-answered; err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if got := out.String(); got != "When: [Tonight] \nChecks: [Smoke tests] \ndecided by slack:U0000001\n" {
			t.Error(got)
		}
		out.Reset()
		if err := deploy(t.Context(), w.Bridge, ask.Place{Platform: "slack", Channel: "C0000001"}, &out); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != "no decision (expired): nobody answered in time\n" {
			t.Error(got)
		}
	})
}
