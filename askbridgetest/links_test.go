package askbridgetest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/client"
)

// Slack reports presses of links. They must be acknowledged and mean nothing.
func TestPressedLinkDecidesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		links := []ask.Link{{Label: "Runbook", URL: "https://wiki.example.com/runbook"}}
		r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Links: links, Responders: []string{"slack:U0000002"}, Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		dana := w.Slack.Seat("U0000001") // Anyone who can read the card may follow the link.
		if err := dana.Press(t.Context(), "⇗ Runbook"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if screen := dana.Sees(); strings.Contains(screen, "⚠") || strings.Contains(screen, "only visible to you") || !strings.Contains(screen, "Runbook: https://wiki.example.com/runbook") {
			t.Errorf("after the press Dana sees\n%s", screen)
		}
		got, err := w.Client.Get(t.Context(), r.ID)
		if err != nil || got.State != ask.Open || !slices.Equal(got.Links, links) {
			t.Errorf("after the press it is %+v, %v", got, err)
		}
		_, err = w.Client.Submit(t.Context(), ask.Request{Questions: database, Links: []ask.Link{{Label: "Runbook", URL: "https://wiki.example.com/other"}}, Responders: []string{"slack:U0000002"}, Key: "k"})
		if problem := (*client.Problem)(nil); !errors.As(err, &problem) || problem.Status != 409 {
			t.Errorf("another address under the same key: %v", err)
		}
	})
}
