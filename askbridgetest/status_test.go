package askbridgetest_test

import (
	"testing"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// An agent works in a thread. People see there that it waits for them, until they have answered everything.
func TestSlackThreadShowsThatAgentWaits(t *testing.T) {
	t.Parallel()
	w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}, Slack: &slacksim.Options{AgentView: true}})
	api := slackapi.New(slackBot, slackapi.OptionAPIURL(w.Slack.APIURL()), slackapi.OptionHTTPClient(w.Slack.Client()))
	const channel = "C0000001"
	_, thread, err := api.PostMessageContext(t.Context(), channel, slackapi.MsgOptionText("Working on the release", false))
	if err != nil {
		t.Fatal(err)
	}
	wait := func(want string) {
		t.Helper()
		if err := w.Slack.Await(t.Context(), func() bool { return w.Slack.AgentStatus(channel, thread) == want }); err != nil {
			t.Fatalf("status %q, want %q: %v", w.Slack.AgentStatus(channel, thread), want, err)
		}
	}
	for _, label := range []string{"Ship", "Announce"} {
		if _, err := w.Bridge.Submit(t.Context(), ask.Request{
			ToolCallID: label, To: []ask.Place{{Platform: askbridgetest.Slack, Channel: channel, Thread: thread}},
			Questions: []ask.Question{{Text: label + "?", Options: []ask.Option{{Label: label}, {Label: "Not yet"}}}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	dana := w.Slack.Person("U0000001")
	wait("suspended")
	if err := dana.Press(t.Context(), "Ship"); err != nil {
		t.Fatal(err)
	}
	if err := dana.Press(t.Context(), "Announce"); err != nil {
		t.Fatal(err)
	}
	wait("active")
	var statuses []string
	for _, call := range w.Slack.Calls("agents.sessions.setStatus") {
		status, _ := call.Args["status"].(string)
		statuses = append(statuses, status)
	}
	if n := len(statuses); n < 2 || statuses[n-1] != "active" {
		t.Errorf("statuses %q, want active at the end", statuses)
	}
}
