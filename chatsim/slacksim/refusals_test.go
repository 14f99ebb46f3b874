package slacksim_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestALockedThreadTakesNothing(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, nil)
	posted := call(t, sim, "chat.postMessage", obj{"channel": "C0000001", "text": "Deploy?"})
	ts, _ := posted["ts"].(string)
	sim.LockThread("C0000001", ts)
	for method, tc := range map[string]struct {
		args obj
		want string
	}{
		"chat.postMessage": {obj{"channel": "C0000001", "text": "x", "thread_ts": ts}, "restricted_action_thread_locked"},
		"reactions.add":    {obj{"channel": "C0000001", "timestamp": ts, "name": "tada"}, "thread_locked"},
	} {
		if reply := call(t, sim, method, tc.args); reply["error"] != tc.want {
			t.Errorf("%s: %v, want %s", method, reply, tc.want)
		}
	}
	if _, err := sim.Seat("U0000001").Say("C0000001", ts, "2"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("she can type there: %v", err)
	}
}

func TestNobodyTypesInAReadOnlyMessagesTab(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{MessagesTabReadOnly: true})
	if reply := call(t, sim, "chat.postMessage", obj{"channel": "U0000001", "text": "Deploy?"}); reply["ok"] != true {
		t.Errorf("the app itself: %v", reply)
	}
	if _, err := sim.Seat("U0000001").Say(sim.DM("U0000001"), "", "yes"); !errors.Is(err, chatsim.ErrNotThere) {
		t.Errorf("she can type: %v", err)
	}
}

func TestATokenOfAnOrganisationNamesItsWorkspace(t *testing.T) {
	t.Parallel()
	opts := &slacksim.Options{Enterprise: "E0000001", OrgInstall: true, People: []slacksim.Person{{ID: "U0000001"}, {ID: "U0000004", Team: "T0000002", Teams: []string{"T0000002"}}}}
	for name, tc := range map[string]struct {
		method string
		args   obj
		want   string
		rule   string
	}{
		"no workspace":               {"usergroups.list", obj{}, "missing_argument", "request.team_id"},
		"one that was not given":     {"usergroups.list", obj{"team_id": "T0000002"}, "team_access_not_granted", ""},
		"one that is not the org's":  {"usergroups.list", obj{"team_id": "T9"}, "team_not_found", ""},
		"a channel by its bare name": {"chat.postMessage", obj{"channel": "#deploys", "text": "x"}, "team_not_found", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, opts)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			if reply := call(t, sim, tc.method, tc.args); reply["error"] != tc.want {
				t.Errorf("%v, want %s", reply, tc.want)
			}
		})
	}
}

func TestTokensThatAreRotated(t *testing.T) {
	t.Parallel()
	sim := slacksim.Start(t, &slacksim.Options{TokenRotation: true})
	sim.Expect("oauth.refresh")
	ctx, at := t.Context(), slackapi.OAuthOptionAPIURL(sim.APIURL())
	first, err := slackapi.GetOAuthV2ResponseContext(ctx, sim.Client(), "1.2", "sim-client-secret", sim.Authorize("U0000001", back, "chat:write"), back, at)
	if err != nil || !strings.HasPrefix(first.AccessToken, "xoxe.xoxb-1-") || first.ExpiresIn != 43200 {
		t.Fatalf("it is answered with %+v, %v", first, err)
	}
	says := func(token string) string {
		_, err := slackapi.New(token, slackapi.OptionAPIURL(sim.APIURL()), slackapi.OptionHTTPClient(sim.Client())).AuthTestContext(ctx)
		if err != nil {
			return err.Error()
		}
		return ""
	}
	trade := func(refresh string) (*slackapi.OAuthV2Response, error) {
		return slackapi.RefreshOAuthV2TokenContext(ctx, sim.Client(), "1.2", "sim-client-secret", refresh, at)
	}
	second, err := trade(first.RefreshToken)
	if err != nil || says(first.AccessToken) != "" || says(second.AccessToken) != "" {
		t.Fatalf("two live at a time: %v, %q, %q", err, says(first.AccessToken), says(second.AccessToken))
	}
	if _, err := trade(first.RefreshToken); err == nil || err.Error() != "invalid_refresh_token" {
		t.Errorf("a refresh token that was traded: %v", err)
	}
	third, err := trade(second.RefreshToken)
	if err != nil || says(first.AccessToken) != "token_expired" || says(second.AccessToken) != "" {
		t.Errorf("the third kills the oldest: %v, %q", err, says(first.AccessToken))
	}
	sim.Advance(12 * time.Hour)
	if got := says(third.AccessToken); got != "token_expired" {
		t.Errorf("after twelve hours: %q", got)
	}
}
