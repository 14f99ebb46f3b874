package install_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/slack"
)

// A workspace that has installed the app moves into an organization and out of it again.
func TestWorkspaceMovesBetweenOrganizations(t *testing.T) {
	t.Parallel()
	for name, wide := range map[string]bool{"without the app": false, "that has installed the app": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, slack.ModeHTTP)
				o.app.AddOrganization(slacksim.Organization{ID: "E0000001"})
				ws := o.app.AddWorkspace(slacksim.Workspace{Team: "T0000001"})
				o.app.AddWorkspace(slacksim.Workspace{Team: "T0000002", Enterprise: "E0000001"})
				o.install("T0000001")
				if wide {
					o.install("E0000001")
				}
				for _, org := range []string{"E0000001", ""} {
					before := o.ask("T0000001", "C0000001", "before "+org)
					synctest.Wait()
					o.app.JoinOrganization("T0000001", org)
					o.press(ws, "Yes")
					if got := o.outcome(before); got.State != ask.Answered || got.By.Key() != "slack@T0000001:U0000001" {
						t.Errorf("in %q, asked before: %+v\n%s", org, got, o.log)
					}
					after := o.ask("T0000001", "C0000001", "after "+org)
					synctest.Wait()
					o.press(ws, "Yes")
					if got := o.outcome(after); got.State != ask.Answered {
						t.Errorf("in %q, asked after: %+v\n%s", org, got, o.log)
					}
					time.Sleep(time.Hour)
				}
			})
		})
	}
}

// An admin adds a workspace to the installation of the organization, and removes it. No one there installs it.
func TestWorkspaceIsAddedToItsOrganization(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, slack.ModeHTTP)
		o.app.AddOrganization(slacksim.Organization{ID: "E0000001"})
		first := o.app.AddWorkspace(slacksim.Workspace{Team: "T0000001", Enterprise: "E0000001"})
		o.install("E0000001")
		o.app.GrantAccess("T0000001")
		second := o.app.AddWorkspace(slacksim.Workspace{Team: "T0000002"})
		o.app.JoinOrganization("T0000002", "E0000001")
		refused := o.ask("E0000001", "C0000001", "too early")
		synctest.Wait()
		if got := o.outcome(refused); got.State != ask.Failed || !strings.Contains(got.Reason, "team_access_not_granted") && !strings.Contains(got.Reason, "channel_not_found") {
			t.Errorf("before the workspace was added: %+v", got)
		}
		o.app.GrantAccess("T0000002")
		synctest.Wait()
		id := o.ask("E0000001", "C0000001", "added")
		synctest.Wait()
		o.press(second, "Yes")
		if got := o.outcome(id); got.State != ask.Answered || got.By.Key() != "slack@E0000001:U0000001" {
			t.Errorf("in the added workspace: %+v\n%s", got, o.log)
		}
		o.app.RevokeAccess("T0000002")
		lost, kept := o.ask("E0000001", "C0000001", "removed"), o.ask("E0000001", "C00000011", "other")
		synctest.Wait()
		o.press(first, "Yes")
		if got := []ask.Outcome{o.outcome(lost), o.outcome(kept)}; got[0].State != ask.Failed || got[1].State != ask.Answered {
			t.Errorf("after the workspace was removed: %+v\n%s", got, o.log)
		}
		if n := strings.Count(o.log.String(), "slack workspaces of an organization changed"); n != 3 {
			t.Errorf("%d changes in the log\n%s", n, o.log)
		}
	})
}

// A person of the workspace opens the page although the organization has the app.
func TestOrganizationHasInstalledTheApp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, slack.ModeHTTP)
		o.app.AddOrganization(slacksim.Organization{ID: "E0000001"})
		o.app.AddWorkspace(slacksim.Workspace{Team: "T0000001", Enterprise: "E0000001"})
		o.install("E0000001")
		w := o.visit("T0000001")
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "Its admin can add this workspace") {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	})
}
