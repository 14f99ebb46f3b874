package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/discord/bundle"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/test/doctortest"
)

// accepted returns a guide for a double, and the report about its token.
func accepted(t *testing.T, sim *discordsim.Server, token string) (provider.Guide, *doctor.Report) {
	t.Helper()
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	g, r := bundle.Bundle().Guide(sim.APIURL()), &doctor.Report{}
	g.Take(t.Context(), r, "bot_token", token)
	return g, r
}

func TestGuideListsTextChannels(t *testing.T) {
	t.Parallel()
	g, r := accepted(t, discordsim.Start(t, &discordsim.Options{GuildName: "Acme", Channels: []discordsim.Channel{
		{ID: deploys, Name: "deploys"}, {ID: forum, Name: "ideas", Forum: true},
	}}), "discord-sim-token")
	doctortest.Finds(t, r, "discord/token", doctor.OK, "it is")
	all, err := g.Channels(t.Context())
	if got := fmt.Sprint(all, err); got != "[#deploys (Acme)] <nil>" {
		t.Errorf("channels: %s", got)
	}
	if got := strings.Join(g.Settings(), "\n"); !strings.Contains(got, `application_id: "600000000000000001"`) {
		t.Errorf("settings: %s", got)
	}
}

func TestGuideInvitesBot(t *testing.T) {
	t.Parallel()
	g, r := accepted(t, discordsim.Start(t, &discordsim.Options{UserInstalled: true}), "discord-sim-token")
	doctortest.Finds(t, r, "discord/application", doctor.Note, "https://discord.com/oauth2/authorize?client_id=600000000000000001&permissions=")
	if _, err := g.Channels(t.Context()); err == nil || !strings.Contains(err.Error(), "in no server yet") {
		t.Errorf("channels: %v", err)
	}
}

func TestGuideRefusesToken(t *testing.T) {
	t.Parallel()
	_, r := accepted(t, discordsim.Start(t, nil), "another")
	doctortest.Finds(t, r, "discord/token", doctor.Broken, "Discord does not accept discord.bot_token: 401")
}
