package slacksim_test

import (
	"encoding/json"
	"net/http"
	"testing"

	slackapi "github.com/slack-go/slack"
	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is the real Slack library using the double.
func client(sim *slacksim.Server) *slackapi.Client {
	return slackapi.New("xoxb-sim", slackapi.OptionAPIURL(sim.APIURL()), slackapi.OptionHTTPClient(sim.Client()),
		slackapi.OptionAppLevelToken("xapp-sim"))
}

// app is a program under test that answers every interaction with the result of a function.
type app func(payload map[string]any) (status int, body string)

func (a app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var payload map[string]any
	if err := json.Unmarshal([]byte(r.PostFormValue("payload")), &payload); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	status, body := a(payload)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

func question(action, label string) []slackapi.Block {
	return []slackapi.Block{
		slackapi.NewSectionBlock(slackapi.NewTextBlockObject("mrkdwn", "*Which database?*", false, false), nil, nil),
		slackapi.NewActionBlock("pick", slackapi.NewButtonBlockElement(action, "v", slackapi.NewTextBlockObject("plain_text", label, false, false))),
	}
}

func TestPressAndUpdate(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	api := client(sim)
	ctx := t.Context()
	_, ts, err := api.PostMessageContext(ctx, "C0000001", slackapi.MsgOptionText("Which database?", false),
		slackapi.MsgOptionBlocks(question("a1", "Postgres")...))
	if err != nil {
		t.Fatal(err)
	}
	sim.DeliverToHandler("/slack/interactions", app(func(payload map[string]any) (int, string) {
		_, _, _, err := api.UpdateMessageContext(ctx, "C0000001", ts, slackapi.MsgOptionText("Postgres, decided by Dana", false))
		if err != nil {
			t.Error(err)
		}
		return http.StatusOK, ""
	}))
	dana := sim.Seat("U0000001")
	if err := dana.AwaitText(ctx, "Which database?", "[Postgres]"); err != nil {
		t.Fatal(err)
	}
	if err := dana.Press(ctx, "Postgres"); err != nil {
		t.Fatal(err)
	}
	if err := dana.AwaitText(ctx, "Postgres, decided by Dana"); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + sim.Timeline().String())
}
