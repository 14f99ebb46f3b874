package slacksim_test

import (
	"maps"
	"net/url"
	"testing"
	"testing/synctest"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestOrganizationInstall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		app := slacksim.StartApp(t, &slacksim.Options{
			EventsURL: "http://app.sim/events", Commands: []string{"/ask"},
			Events: []string{slacksim.EventMessage, slacksim.EventTeamAccessGranted, slacksim.EventTeamAccessRevoked},
		})
		events := &subscriber{}
		app.DeliverToHandler("/events", events)
		app.AddOrganization(slacksim.Organization{ID: "E0000001", Name: "Acme"})
		people := []slacksim.Person{{ID: "W0000001", Name: "dana", RealName: "Dana"}}
		one := app.AddWorkspace(slacksim.Workspace{Enterprise: "E0000001", People: people})
		two := app.AddWorkspace(slacksim.Workspace{Enterprise: "E0000001", People: people})
		alone := app.AddWorkspace(slacksim.Workspace{})
		got := install(t, app, app.AuthorizeOrganization("E0000001", "W0000001", back, "chat:write", "channels:history", "commands", "users:read"))
		if !got.IsEnterpriseInstall || got.Team.ID != "" || got.Enterprise.ID != "E0000001" || got.Enterprise.Name != "Acme" {
			t.Errorf("it is answered with %+v", got)
		}
		token := got.AccessToken
		if us := apiCall(t, app, token, "auth.test", nil); us["team_id"] != "E0000001" || us["is_enterprise_install"] != true {
			t.Errorf("auth.test: %v", us)
		}
		teams := func() []any { return apiCall(t, app, token, "auth.teams.list", nil)["teams"].([]any) }
		if one.Installed() || len(teams()) != 0 {
			t.Error("the app is in a workspace before an admin added it")
		}
		if reply := apiCall(t, app, token, "chat.postMessage", card("C00000011")); reply["error"] != "team_access_not_granted" {
			t.Errorf("a post before that: %v", reply)
		}
		app.GrantAccess("T0000001", "T0000002")
		app.GrantAccess("T0000001") // Again: nothing happens.
		if len(teams()) != 2 {
			t.Errorf("its workspaces: %v", teams())
		}
		for channel, ws := range map[string]*slacksim.Server{"C00000011": one, "C00000021": two} {
			if reply := apiCall(t, app, token, "chat.postMessage", card(channel)); reply["ok"] != true || len(ws.Calls("chat.postMessage")) == 0 {
				t.Errorf("a post to %s: %v", channel, reply)
			}
		}
		for team, word := range map[string]any{"T0000002": nil, "T0000003": "team_not_found", "": "missing_argument"} {
			if team == "" {
				app.Expect("request.team_id")
			}
			if reply := apiCall(t, app, token, "users.list", url.Values{"team_id": {team}}); reply["error"] != word {
				t.Errorf("the people of %q: %v, want %v", team, reply, word)
			}
		}
		if user := apiCall(t, app, token, "users.info", url.Values{"user": {"W0000001"}})["user"].(obj)["enterprise_user"].(obj); len(user["teams"].([]any)) != 2 {
			t.Errorf("the person: %v", user)
		}
		if reply := apiCall(t, app, token, "chat.postMessage", card("#deploys")); reply["error"] != "team_not_found" {
			t.Errorf("a channel by its name: %v", reply)
		}
		in := newInbox(app)
		if err := two.Seat("W0000001").Press(t.Context(), "Yes"); err != nil {
			t.Fatal(err)
		}
		press := <-in.got
		if team, org := press["team"].(obj), press["enterprise"].(obj); team["id"] != "T0000002" || team["enterprise_id"] != "E0000001" || org["id"] != "E0000001" || press["is_enterprise_install"] != true {
			t.Errorf("the press: %v", press)
		}
		if err := two.Seat("W0000001").Command(t.Context(), "C00000021", "/ask", "x"); err != nil {
			t.Fatal(err)
		}
		if command := <-in.got; command["team_id"] != "T0000002" || command["enterprise_id"] != "E0000001" || command["is_enterprise_install"] != "true" {
			t.Errorf("the command: %v", command)
		}
		app.DeliverToHandler("/events", events)
		if _, err := two.Seat("W0000001").Say("C00000021", "", "Hello"); err != nil {
			t.Fatal(err)
		}
		app.RevokeAccess("T0000002")
		synctest.Wait()
		if reply := apiCall(t, app, token, "chat.postMessage", card("C00000021")); reply["error"] != "team_access_not_granted" {
			t.Errorf("a post after that: %v", reply)
		}
		want := map[string]any{"team_access_granted": nil, "message in C00000011": "T0000001", "message in C00000021": "T0000002", "team_access_revoked": nil}
		teamsOf := map[string]any{}
		for _, e := range events.got {
			event, by := e["event"].(obj), e["authorizations"].([]any)[0].(obj)
			kind := event["type"].(string)
			if channel, in := event["channel"].(string); in {
				kind += " in " + channel
			}
			if teamsOf[kind] = e["team_id"]; e["enterprise_id"] != "E0000001" || by["team_id"] != nil || by["is_enterprise_install"] != true {
				t.Errorf("the event %v", e)
			}
		}
		if !maps.Equal(teamsOf, want) {
			t.Errorf("the workspaces of the events: %v, want %v", teamsOf, want)
		}
		code := one.Authorize("W0000001", back, "chat:write")
		_, err := slackapi.GetOAuthV2ResponseContext(t.Context(), app.Client(), "1.2", "sim-client-secret", code, back, slackapi.OAuthOptionAPIURL(app.APIURL()))
		if err == nil || err.Error() != "cannot_install_an_org_installed_app" {
			t.Errorf("an installation in one of its workspaces: %v", err)
		}
		one.Uninstall()
		if one.Installed() || alone.Installed() {
			t.Error("the app is still in a workspace that an admin removed it from")
		}
	})
}

func TestStrangerPressesInSharedChannel(t *testing.T) {
	t.Parallel()
	app := slacksim.StartApp(t, nil)
	in := newInbox(app)
	ours, theirs := app.AddWorkspace(slacksim.Workspace{}), app.AddWorkspace(slacksim.Workspace{Team: "T0000009"})
	token := install(t, app, ours.Authorize("U0000001", back, "chat:write")).AccessToken
	install(t, app, theirs.Authorize("U0000001", back, "chat:write"))
	if reply := apiCall(t, app, token, "chat.postMessage", card("C0000001")); reply["ok"] != true {
		t.Fatal(reply)
	}
	if err := ours.Seat("U0000009").Press(t.Context(), "Yes"); err != nil {
		t.Fatal(err)
	}
	payload := <-in.got
	if team, user := payload["team"].(obj), payload["user"].(obj); team["id"] != "T0000001" || user["team_id"] != "T0000009" {
		t.Errorf("the press of another company's person: %v", payload)
	}
}

func TestUninstallOrganization(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		app := slacksim.StartApp(t, &slacksim.Options{EventsURL: "http://app.sim/events", Events: []string{slacksim.EventAppUninstalled}})
		events := &subscriber{}
		app.DeliverToHandler("/events", events)
		app.AddOrganization(slacksim.Organization{ID: "E0000001"})
		ws := app.AddWorkspace(slacksim.Workspace{Enterprise: "E0000001"})
		token := install(t, app, app.AuthorizeOrganization("E0000001", "U0000001", back, "chat:write")).AccessToken
		app.GrantAccess("T0000001")
		app.UninstallOrganization("E0000001")
		app.UninstallOrganization("E0000001") // Again: nothing happens.
		synctest.Wait()
		if reply := apiCall(t, app, token, "auth.test", nil); reply["error"] != "account_inactive" || ws.Installed() {
			t.Errorf("afterwards: %v, installed: %t", reply, ws.Installed())
		}
		if len(events.got) != 1 || events.got[0]["team_id"] != nil || events.got[0]["enterprise_id"] != "E0000001" {
			t.Errorf("the events %v", events.got)
		}
		if install(t, app, app.AuthorizeOrganization("E0000001", "U0000001", back, "chat:write")); ws.Installed() {
			t.Error("the next installation is in a workspace before an admin added it")
		}
	})
}
