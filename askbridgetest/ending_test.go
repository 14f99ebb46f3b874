package askbridgetest_test

import (
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/askbridgetest"
)

// The bridge refused what was written just before the end of a test, and the test failed for a rule of Slack.
func TestAMessageJustBeforeTheEndIsNoRuleBroken(t *testing.T) {
	t.Parallel()
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}, Typed: true})
			if _, err := w.Slack.Seat("U0000001").Say("C0000001", "", "hello"); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for _, v := range w.Slack.Ledger().Unexpected() {
				t.Errorf("broken: %v", v)
			}
		})
	}
}
