package discordsim_test

import (
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// toSim sends every request of the library to the double.
type toSim struct {
	sim *discordsim.Server
	to  *url.URL
}

func (r toSim) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = r.to.Scheme, r.to.Host
	return r.sim.Client().Do(req)
}

// library is the real Discord library using the double.
func library(t *testing.T, sim *discordsim.Server) *dgo.Session {
	t.Helper()
	session, err := dgo.New("Bot discord-sim-token")
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(sim.URL())
	if err != nil {
		t.Fatal(err)
	}
	session.Client = &http.Client{Transport: toSim{sim, to}}
	session.Dialer = sim.Dialer()
	session.Identify.Intents = 0
	session.StateEnabled = false
	session.LogLevel = -1
	return session
}

// opened is the library with its gateway connection open until the test ends.
func opened(t *testing.T, sim *discordsim.Server, f func(*dgo.Session, *dgo.InteractionCreate)) *dgo.Session {
	t.Helper()
	session := library(t, sim)
	session.AddHandler(f)
	if err := session.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		session.Client.CloseIdleConnections()
	})
	return session
}

func dgoQuestion() *dgo.MessageSend {
	return &dgo.MessageSend{
		Flags: dgo.MessageFlagsIsComponentsV2, AllowedMentions: &dgo.MessageAllowedMentions{Parse: []dgo.AllowedMentionType{}},
		Components: []dgo.MessageComponent{dgo.Container{Components: []dgo.MessageComponent{
			dgo.TextDisplay{Content: "Which database?"},
			dgo.ActionsRow{Components: []dgo.MessageComponent{dgo.Button{Label: "Postgres", Style: dgo.SecondaryButton, CustomID: "a1"}}},
		}}},
	}
}

func dgoDecided(who string) *dgo.InteractionResponse {
	return &dgo.InteractionResponse{Type: dgo.InteractionResponseUpdateMessage, Data: &dgo.InteractionResponseData{
		Flags: dgo.MessageFlagsIsComponentsV2, AllowedMentions: &dgo.MessageAllowedMentions{Parse: []dgo.AllowedMentionType{}},
		Components: []dgo.MessageComponent{dgo.TextDisplay{Content: "Postgres, decided by " + who}},
	}}
}

func TestDiscordgoOverGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		session := opened(t, sim, func(s *dgo.Session, i *dgo.InteractionCreate) {
			if err := s.InteractionRespond(i.Interaction, dgoDecided(i.Member.User.GlobalName)); err != nil {
				t.Error(err)
			}
		})
		m, err := session.ChannelMessageSendComplex(deploys, dgoQuestion())
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.Seat(dana).Press(t.Context(), "Postgres"); err != nil {
			t.Fatal(err)
		}
		if err := sim.Seat(sam).AwaitText(t.Context(), "Postgres, decided by Dana"); err != nil {
			t.Error(err)
		}
		edit := &dgo.MessageEdit{
			ID: m.ID, Channel: deploys, AllowedMentions: &dgo.MessageAllowedMentions{Parse: []dgo.AllowedMentionType{}},
			Components: &[]dgo.MessageComponent{dgo.TextDisplay{Content: "Done"}},
		}
		if _, err := session.ChannelMessageEditComplex(edit); err != nil {
			t.Fatal(err)
		}
		got, err := session.ChannelMessage(deploys, m.ID)
		if err != nil || len(got.Components) != 1 {
			t.Errorf("the message is %+v, %v", got, err)
		}
		if channel, err := session.UserChannelCreate(dana); err != nil || channel.ID != sim.DM(dana) {
			t.Errorf("the direct message is %+v, %v", channel, err)
		}
	})
}

func TestDiscordgoStaysConnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := discordsim.Start(t, nil)
		opened(t, sim, func(*dgo.Session, *dgo.InteractionCreate) {})
		time.Sleep(3 * time.Hour)
		if n := len(sim.Timeline().Events(chatsim.Disconnected)); n != 0 {
			t.Errorf("the connection was lost %d times\n%s", n, sim.Timeline())
		}
	})
}

func TestDiscordgoReconnects(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*discordsim.Server){
		"after a cut":              (*discordsim.Server).DropGateways,
		"after op 7":               (*discordsim.Server).Reconnect,
		"after op 9":               func(s *discordsim.Server) { s.InvalidateSessions(false) },
		"after a close code":       func(s *discordsim.Server) { s.CloseGateways(4000) },
		"after missing heartbeats": (*discordsim.Server).Zombie,
		"after a silence":          (*discordsim.Server).HalfOpen,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sim := discordsim.Start(t, nil)
				session := opened(t, sim, func(s *dgo.Session, i *dgo.InteractionCreate) {
					_ = s.InteractionRespond(i.Interaction, dgoDecided("Dana"))
				})
				if _, err := session.ChannelMessageSendComplex(deploys, dgoQuestion()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Second)
				cut(sim)
				time.Sleep(5 * time.Minute)
				if err := sim.Seat(dana).Press(t.Context(), "Postgres"); err != nil {
					t.Errorf("%v\n%s", err, sim.Timeline())
				}
			})
		})
	}
}
