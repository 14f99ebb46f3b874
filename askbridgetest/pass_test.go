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

// Slack reports only the ID of the chosen person, which means nothing to people on Discord.
func TestHandoverShowsNameOnOtherPlatform(t *testing.T) {
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
			func() error { return (chatsim.Hand{Seat: dana}).Rare(t.Context(), "Pass to…") },
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

// Discord reports no roles in a direct message.
func TestHandoverOnDiscordLinksToCard(t *testing.T) {
	t.Parallel()
	const dana, kim, deployers = "discord:300000000000000001", "discord:300000000000000003", "discord-role:400000000000000001"
	for name, tt := range map[string]struct {
		floor []string
		own   bool
	}{
		"a role lets them answer":      {[]string{dana, deployers}, false},
		"they are named":               {[]string{dana, kim}, true},
		"named, and by a role as well": {[]string{dana, deployers, kim}, true},
		"anyone may answer":            {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Discord}, Bridge: &bridge.Options{
					Routes: map[string]bridge.Route{"deploys": {
						To: []ask.Place{{Platform: "discord", Channel: deploysOnDiscord}}, Terms: ask.Terms{Responders: tt.floor, Schedule: ask.Schedule{PassOn: true}},
					}},
					DefaultRoute: "deploys",
				}})
				r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database, Responders: []string{dana}})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				from, to := w.Discord.Seat("300000000000000001"), w.Discord.Seat("300000000000000003")
				for _, step := range []func() error{
					func() error { return (chatsim.Hand{Seat: from}).Rare(t.Context(), "Pass to…") },
					func() error { return from.Pick(t.Context(), "", "Kim") },
					func() error { return from.Submit(t.Context()) },
				} {
					if err := step(); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				sees := to.Sees()
				if own := strings.Contains(sees, "Only @Kim can answer"); own != tt.own || !own && !strings.Contains(sees, "Notified: @Kim") {
					t.Errorf("Kim sees\n%s", sees)
				}
				if err := to.Press(t.Context(), "Postgres"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if got, err := w.Client.Get(t.Context(), r.ID); err != nil || got.State != ask.Answered {
					t.Errorf("it is %s, %v, and Kim sees\n%s", got.State, err, to.Sees())
				}
			})
		})
	}
}

// After a handover, the card in the direct message still named only the refused passer as responder.
func TestCardShowsHandover(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{askbridgetest.Slack, askbridgetest.Discord} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{platform}})
				_, err := w.Client.Submit(t.Context(), ask.Request{
					Questions: database, To: []ask.Place{{Platform: platform, User: ids[platform]["dana"]}}, Schedule: ask.Schedule{PassOn: true},
				})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				people := w.Cast().People
				for _, pass := range [][2]string{{"dana", "Sam"}, {"sam", "Kim"}} {
					for _, step := range []func() error{
						func() error { return (chatsim.Hand{Seat: people[pass[0]]}).Rare(t.Context(), "Pass to…") },
						func() error { return people[pass[0]].Pick(t.Context(), "", pass[1]) },
						func() error { return people[pass[0]].Submit(t.Context()) },
					} {
						if err := step(); err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
					}
				}
				for _, who := range []string{"dana", "sam"} {
					if sees := people[who].Sees(); !strings.Contains(sees, "Only @Kim can answer") {
						t.Errorf("%s sees\n%s", who, sees)
					}
				}
				if sees := people["kim"].Sees(); !strings.Contains(sees, "Only @Kim can answer") {
					t.Errorf("kim sees\n%s", sees)
				}
			})
		})
	}
}
