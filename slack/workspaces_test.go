package slack

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/platform"
)

func TestOrganizationAppPostsToNamedWorkspace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := companyWorld(t, ModeHTTP, GuestsAllow, true)
		w.listen()
		for _, installation := range []string{"", org, ourTeam} {
			to := inChannel
			to.Installation = installation
			if _, err := w.c.Post(t.Context(), to, w.card(one())); err != nil {
				t.Errorf("in %q: %v", installation, err)
			}
		}
		to := inChannel
		to.Installation = otherTeam // which has not been given the app
		_, err := w.c.Post(t.Context(), to, w.card(one()))
		if e, ok := errors.AsType[*platform.Error](err); !ok || e.Code != "other_installation" {
			t.Errorf("where the app is not: %v", err)
		}
		if n := len(w.sim.Calls("auth.teams.list")); n != 1 {
			t.Errorf("the workspaces were asked for %d times", n)
		}
	})
}

// TestInstalledInAcceptsOrganization: Slack may omit the workspace of an organization's token.
func TestInstalledInAcceptsOrganization(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		says string
		team string
	}{
		"an organisation's": {`{"ok":true,"team_id":null,"enterprise_id":"E0000001","is_enterprise_install":true,"user_id":"U1","bot_id":"B1"}`, org},
		"and nobody's":      {`{"ok":true,"team_id":null,"enterprise_id":"E0000001","user_id":"U1","bot_id":"B1"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := New(Config{BotToken: "xoxb-1", SigningSecret: canarySecret, HTTPClient: &http.Client{Transport: replying(http.StatusOK, tc.says)}})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Check(t.Context()); (err == nil) != (tc.team != "") || c.only.self.home().team != tc.team {
				t.Errorf("we are in %q: %v", c.only.self.home().team, err)
			}
		})
	}
}

func TestFindGroupInSecondWorkspace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := companyWorld(t, ModeHTTP, GuestsAllow, true)
		w.listen()
		w.c.only.directory.teams.facts.Add(allWorkspaces, fact[[]string]{value: []string{otherTeam, ourTeam}, at: time.Now()})
		if got, err := w.c.GroupsOf(t.Context(), dana, []string{releasers}); err != nil || !slices.Equal(got, []string{releasers}) {
			t.Errorf("Dana belongs to %v: %v", got, err)
		}
		if f := w.c.only.directory.handles.get(t.Context(), allGroups, recent); f.value["S0000001"] != "releasers" {
			t.Errorf("groups are called %v: %v", f.value, f.err)
		}
	})
}
