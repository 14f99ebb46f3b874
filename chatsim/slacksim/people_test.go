package slacksim_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestMembershipFields(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, &slacksim.Options{
			Enterprise: "E0000001",
			People: []slacksim.Person{
				{ID: "U0000001"},
				{ID: "U0000002", Guest: slacksim.MultiChannelGuest},
				{ID: "U0000003", Guest: slacksim.SingleChannelGuest},
				{ID: "U0000004", Team: "T0000002", Teams: []string{"T0000002"}},
				{ID: "U0000005", Team: "T0000009"},
				{ID: "U0000006", Team: "T0000009"},
			},
			Channels: []slacksim.Channel{{ID: "C0000001", Members: []string{"U0000BOT", "U0000005"}}},
		})
		type profile struct {
			Team                        string
			Restricted, Ultra, Stranger bool
			Teams                       []string
		}
		for id, want := range map[string]profile{
			"U0000001": {Team: "T0000001", Teams: []string{"T0000001"}},
			"U0000002": {Team: "T0000001", Restricted: true, Teams: []string{"T0000001"}},
			"U0000003": {Team: "T0000001", Restricted: true, Ultra: true, Teams: []string{"T0000001"}},
			"U0000004": {Team: "T0000002", Stranger: true, Teams: []string{"T0000002"}},
			"U0000005": {Team: "T0000009"}, // In a channel with the app: no stranger, from any workspace.
			"U0000006": {Team: "T0000009", Stranger: true},
		} {
			u, err := client(sim).GetUserInfoContext(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			got := profile{Team: u.TeamID, Restricted: u.IsRestricted, Ultra: u.IsUltraRestricted, Stranger: u.IsStranger, Teams: u.Enterprise.Teams}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", id, diff)
			}
		}
	})
}

func TestRestoreToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sim := slacksim.Start(t, nil)
		post := func() error {
			_, _, err := client(sim).PostMessageContext(t.Context(), "C0000001", slackapi.MsgOptionText("x", false))
			return err
		}
		sim.Revoke("xoxb-sim")
		if err := post(); err == nil || err.Error() != "token_revoked" {
			t.Errorf("a revoked token: %v", err)
		}
		sim.Restore("xoxb-sim")
		if err := post(); err != nil {
			t.Errorf("a token that is good again: %v", err)
		}
	})
}
