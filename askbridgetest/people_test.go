package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
)

// An agent could notify anyone by naming them, and on Discord named responders were not notified.
func TestNamedResponderIsMentioned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		places := []ask.Place{{Platform: "slack", Channel: "C0000001"}, {Platform: "discord", Channel: "200000000000000001"}}
		route := bridge.Route{To: places, Terms: ask.Terms{Responders: []string{"slack:U0000001", "slack:U0000002", "discord:300000000000000001", "discord:300000000000000002", "slack-group:S0000001"}}}
		w := askbridgetest.Start(t, &askbridgetest.Options{Bridge: &bridge.Options{Routes: map[string]bridge.Route{"deploys": route}, DefaultRoute: "deploys"}})
		r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Responders: []string{"slack:U0000001", "discord:300000000000000001"}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := w.Slack.Seat("U0000001").Press(t.Context(), "Postgres"); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Client.Wait(t.Context(), r.ID); err != nil || got.State != ask.Answered {
			t.Fatalf("%+v, %v", got, err)
		}
		synctest.Wait()
		for platform, timeline := range map[string]*chatsim.Timeline{"U0000001": w.Slack.Timeline(), "300000000000000001": w.Discord.Timeline()} {
			var rung []string
			for _, e := range timeline.Events(chatsim.Pinged) {
				rung = append(rung, e.Person+e.Text)
			}
			if len(rung) != 1 || !strings.Contains(rung[0], platform) {
				t.Errorf("rung were %q, want %s once\n%s", rung, platform, timeline)
			}
		}
	})
}

func TestDirectMessageCardDoesNotMentionChannel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
		first, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, To: []ask.Place{{Platform: "slack", User: "U0000001"}}, ToolCallID: "1"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		channel := w.Slack.Timeline().Events(chatsim.Posted)[0].Channel
		if _, err := w.Client.Cancel(t.Context(), first.ID, "the id is known now"); err != nil || !strings.HasPrefix(channel, "D") {
			t.Fatalf("the conversation is %s, %v", channel, err)
		}
		if _, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, To: []ask.Place{{Platform: "slack", Channel: channel}}, ToolCallID: "2"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if sees := w.Slack.Seat("U0000001").Sees(); !strings.Contains(sees, "\nYou can answer") || strings.Contains(sees, "Anyone here") {
			t.Errorf("the person sees\n%s", sees)
		}
	})
}
