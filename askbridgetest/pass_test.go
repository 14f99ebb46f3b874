package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
)

// Slack tells nothing but the id of whom somebody chose, which tells people on Discord nothing.
func TestWhomItWasPassedOnToGoesByTheirNameElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		_, err := w.Client.Submit(t.Context(), ask.Request{
			Questions: database, Responders: []string{"slack:U0000001", "discord:300000000000000001"}, Schedule: ask.Schedule{PassOn: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		dana, kim := w.Slack.Seat("U0000001"), w.Discord.Seat("300000000000000003")
		for _, step := range []func() error{
			func() error { return dana.Press(t.Context(), "Pass to…") },
			func() error { return dana.Pick(t.Context(), "", "Sam") },
			func() error { return dana.Submit(t.Context()) },
		} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if sees := kim.Sees(); !strings.Contains(sees, "→ Sam (Slack)") || strings.Contains(sees, "U0000002") {
			t.Errorf("on Discord Kim sees\n%s", sees)
		}
	})
}
