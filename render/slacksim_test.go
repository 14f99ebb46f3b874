package render_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/test/golden"
)

// TestSlackDoubleAcceptsEveryCase posts every case's message to the strict
// double, updates it, and opens every form by pressing a button. The double
// fails the test for anything that Slack would refuse.
func TestSlackDoubleAcceptsEveryCase(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		s := subject(t, c, "slack")
		m := drawSlack(s)
		if !s.Outcome.State.Ended() {
			m.Forms = forms(s)
		}
		sim := slacksim.Start(t, nil)
		api := slackapi.New("xoxb-sim", slackapi.OptionAPIURL(sim.APIURL()), slackapi.OptionHTTPClient(sim.Client()))
		message := []slackapi.MsgOption{slackapi.MsgOptionText(m.Text, false), slackapi.MsgOptionBlocks(m.Blocks...)}
		channel, ts, err := api.PostMessageContext(t.Context(), "C0000001",
			append(message, slackapi.MsgOptionDisableLinkUnfurl(), slackapi.MsgOptionDisableMediaUnfurl())...)
		if err != nil {
			t.Fatalf("post: %v", err)
		}
		if _, _, _, err := api.UpdateMessageContext(t.Context(), channel, ts, message...); err != nil {
			t.Errorf("update: %v", err)
		}
		for _, e := range sim.Timeline().Events(chatsim.Pinged, chatsim.Mentioned) {
			if !slices.Contains(people(s), e.Person) {
				t.Errorf("agent text told %s", e.Person)
			}
		}
		for _, e := range sim.Timeline().Events(chatsim.Warned) {
			t.Errorf("Slack takes it, and we should not send it: %s", e)
		}
		for name, view := range m.Forms {
			if err := open(t, sim, api, view); err != nil {
				t.Errorf("open form %s: %v", name, err)
			}
		}
	})
}

// open posts a button, presses it, and opens the view with the trigger.
func open(t *testing.T, sim *slacksim.Server, api *slackapi.Client, view modal) error {
	t.Helper()
	var opened error
	sim.DeliverToHandler("/slack/interactions", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var payload struct {
			TriggerID string `json:"trigger_id"`
		}
		if opened = json.Unmarshal([]byte(r.PostFormValue("payload")), &payload); opened == nil {
			_, opened = api.OpenViewContext(r.Context(), payload.TriggerID, view)
		}
		w.WriteHeader(http.StatusOK)
	}))
	button := slackapi.NewButtonBlockElement("open", "", slackapi.NewTextBlockObject(slackapi.PlainTextType, "Open", false, false))
	_, ts, err := api.PostMessageContext(t.Context(), "C0000001", slackapi.MsgOptionText("open", false),
		slackapi.MsgOptionBlocks(slackapi.NewActionBlock("open", button)))
	if err != nil {
		return err
	}
	dana := sim.Seat("U0000001")
	if err := dana.On(ts).Press(t.Context(), "Open"); err != nil {
		return err
	}
	if opened != nil {
		return opened
	}
	return dana.DismissAll(t.Context())
}
