package askbridgetest_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
)

// TestPlainRequestCosts counts the calls of a platform for a request that one person answers with one tap: one posts the
// card, and on Slack another draws its end, which Discord gets with the response to the tap. Links to the card, the names
// of people and who may answer cost no further call once the first request has looked people up.
func TestPlainRequestCosts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		askbridgetest.Slack:   {"chat.postMessage", "chat.update"},
		askbridgetest.Discord: {"create message"},
	} {
		for _, responders := range []string{"anyone", "named"} {
			t.Run(name+"/"+responders, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{name}})
					calls, seat, dana := slackCalls(w), chatsim.Seat(nil), ""
					if name == askbridgetest.Slack {
						seat, dana = w.Slack.Seat("U0000001"), "slack:U0000001"
					} else {
						calls, seat, dana = discordCalls(w), w.Discord.Seat("300000000000000001"), "discord:300000000000000001"
					}
					var made []string
					for range 2 {
						seen := len(calls())
						r := ask.Request{Agent: "deploy-bot", Questions: []ask.Question{{Text: "Deploy 4.2?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Wait"}}}}}
						if responders == "named" {
							r.Responders = []string{dana}
						}
						got, err := w.Client.Submit(t.Context(), r)
						if err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
						if err := seat.Press(t.Context(), "Deploy"); err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
						if got, err = w.Client.Get(t.Context(), got.ID); err != nil || got.State != ask.Answered || got.Delivery[0].URL == "" {
							t.Fatalf("%+v, %v", got, err)
						}
						made = calls()[seen:]
					}
					if !slices.Equal(made, want) {
						t.Errorf("%s got the calls %q, want %q", name, made, want)
					}
				})
			})
		}
	}
}

func slackCalls(w *askbridgetest.World) func() []string {
	return func() (methods []string) {
		for _, c := range w.Slack.Calls() {
			methods = append(methods, c.Method)
		}
		return methods
	}
}

func discordCalls(w *askbridgetest.World) func() []string {
	return func() (routes []string) {
		for _, c := range w.Discord.Calls() {
			routes = append(routes, c.Route)
		}
		return routes
	}
}
