package askbridgetest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
)

// digestPlaces are Dana and #deploys on each platform.
var digestPlaces = map[string][]ask.Place{
	askbridgetest.Slack:   {{Platform: "slack", User: "U0000001"}, {Platform: "slack", Channel: "C0000001"}},
	askbridgetest.Discord: {{Platform: "discord", User: "300000000000000001"}, {Platform: "discord", Channel: deploysOnDiscord}},
}

func TestPeopleSeeOneDigest(t *testing.T) {
	t.Parallel()
	for name, to := range digestPlaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{name}, Bridge: &bridge.Options{
					Digests: []ask.Digest{{To: to, At: []string{"09:00"}, Days: "mon-sun", Zone: "UTC"}},
					Routes:  map[string]bridge.Route{"deploys": {To: to[1:]}}, DefaultRoute: "deploys", ExpiresIn: ask.Never,
				}})
				if _, err := w.Client.Submit(t.Context(), ask.Request{Agent: "deploy-bot", Questions: database, Responders: []string{name + ":" + to[0].User}}); err != nil {
					t.Fatal(err)
				}
				var dana chatsim.Seat
				if name == askbridgetest.Slack {
					dana = w.Slack.Seat(to[0].User)
				} else {
					dana = w.Discord.Seat(to[0].User)
				}
				for day := range 3 { // In a bubble it is midnight in UTC.
					time.Sleep(9*time.Hour + time.Second)
					synctest.Wait()
					sees := dana.Sees()
					for _, want := range []string{"1 request waits for you", "1 request waits in this channel", "Which database?", "deploy-bot", "[⇗ Open card]"} {
						if !strings.Contains(sees, want) {
							t.Errorf("no %q on day %d:\n%s", want, day, sees)
						}
					}
					if strings.Count(sees, "waits for you") != 1 || strings.Count(sees, "waits in this channel") != 1 {
						t.Errorf("several digests on day %d:\n%s", day, sees)
					}
					time.Sleep(15*time.Hour - time.Second)
				}
				if err := dana.Press(t.Context(), "SQLite"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				for _, want := range []string{"Nothing waits for you any more", "Nothing waits in this channel any more"} {
					if sees := dana.Sees(); !strings.Contains(sees, want) {
						t.Errorf("no %q:\n%s", want, sees)
					}
				}
			})
		})
	}
}
