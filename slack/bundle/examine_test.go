package bundle_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/test/doctortest"
)

func TestExamineValidSlackApp(t *testing.T) {
	t.Parallel()
	w := newFixture(t, slacksim.Options{})
	w.ask("C0000001", "U0000001")
	w.cfg.Responders = []string{"slack:U0000002", "slack-group:S0000001", "discord:1"}
	w.cfg.Agents[0].Targets = []string{"slack:*", "slack:C0000001", "slack:U0000003"}
	r := w.examine(t)
	for _, f := range r.Findings {
		if f.State != doctor.OK {
			t.Errorf("%+v", f)
		}
	}
	for id, text := range map[string]string{
		"slack/token": "@askbridge in the workspace Sim (T0000001)", "slack/scopes": "", "slack/mode": "Socket Mode", "slack/channel": "in #deploys (C0000001)",
		"slack/person": "Dana (U0000001) can be asked", "slack/group": "2", "slack/clock": "agrees",
	} {
		doctortest.Finds(t, r, id, doctor.OK, text)
	}
	doctortest.Finds(t, r, "slack/person", doctor.OK, "Sam (U0000002) can answer")
	doctortest.Finds(t, r, "slack/person", doctor.OK, "Kim (U0000003) can be asked")
	if events := w.sim.Timeline().Events(chatsim.Posted, chatsim.Warned); len(events) > 0 {
		t.Errorf("the examination left traces: %v", events)
	}
}

func TestExamineSlackProblems(t *testing.T) {
	t.Parallel()
	http := func(w *fixture) { w.section.Mode, w.section.AppToken = "http", config.Secret{} }
	for name, tc := range map[string]struct {
		spoil func(w *fixture)
		opts  slacksim.Options
		id    string
		state doctor.State
		text  string
	}{
		"a revoked token":           {spoil: func(w *fixture) { w.sim.Revoke(canaryBot) }, id: "slack/token", state: doctor.Broken, text: "token_revoked"},
		"no token":                  {spoil: func(w *fixture) { w.section.BotToken = config.Secret{} }, id: "slack/token", state: doctor.Broken, text: "missing"},
		"a limit":                   {spoil: func(w *fixture) { w.sim.Fault("auth.test", chatsim.RateLimit(time.Minute)) }, id: "slack/token", state: doctor.Note, text: "patience"},
		"a proxy's error":           {spoil: func(w *fixture) { w.sim.Fault("auth.test", chatsim.Status(502)) }, id: "slack/token", state: doctor.Broken, text: "HTTP 502"},
		"an app token refused":      {spoil: func(w *fixture) { w.sim.Revoke(canaryApp) }, id: "slack/mode", state: doctor.Broken, text: "token_revoked"},
		"an app token without":      {spoil: func(w *fixture) { w.sim.Grant(canaryApp) }, id: "slack/mode", state: doctor.Broken, text: "connections:write"},
		"Socket Mode off":           {spoil: func(w *fixture) { w.sim.Fault("apps.connections.open", chatsim.Refuse("socket_mode_disabled")) }, id: "slack/mode", state: doctor.Broken, text: "off in the app"},
		"Socket Mode without token": {spoil: func(w *fixture) { http(w); w.section.Mode = "socket" }, id: "slack/mode", state: doctor.Broken, text: "needs slack.app_token"},
		"HTTP while sockets are on": {spoil: func(w *fixture) { w.section.Mode = "http" }, id: "slack/mode", state: doctor.Broken, text: "sends nothing over HTTP"},
		"HTTP with another app": {spoil: func(w *fixture) {
			w.section.Mode = "http"
			w.sim.Fault("apps.connections.open", chatsim.Refuse("socket_mode_disabled"))
		}, id: "slack/mode", state: doctor.Note, text: "Request URL"},
		"HTTP":               {spoil: http, id: "slack/mode", state: doctor.Note, text: "Request URL"},
		"tokens of two apps": {opts: slacksim.Options{AppID: "A0000002"}, id: "slack/tokens", state: doctor.Broken, text: "of the app A0000001 and slack.bot_token of A0000002"},
		"a socket not given": {spoil: func(w *fixture) { w.sim.Fault("apps.connections.open", chatsim.Status(500)) }, id: "slack/mode", state: doctor.Broken, text: "HTTP 500"},
		"unknown scopes":     {spoil: func(w *fixture) { w.front.Handler = unsaid(w.sim) }, id: "slack/scopes", state: doctor.Note, text: "did not return"},
		"no chat:write":      {spoil: func(w *fixture) { w.withhold("chat:write") }, id: "slack/scopes", state: doctor.Broken, text: "the scopes for cards (chat:write)"},
		"no im:write":        {spoil: func(w *fixture) { w.withhold("im:write") }, id: "slack/scopes", state: doctor.Warn, text: "the scopes for direct messages (im:write)"},
		"no im:write but DMs": {spoil: func(w *fixture) {
			w.withhold("im:write")
			w.ask("U0000001")
		}, id: "slack/scopes", state: doctor.Broken, text: "the scopes for direct messages (im:write)"},
		"guests cannot be told": {spoil: func(w *fixture) {
			w.withhold("users:read")
			w.section.Guests = "refuse"
		}, id: "slack/scopes", state: doctor.Broken, text: "guests (users:read)"},
		"an agent status without an agent": {spoil: func(w *fixture) {
			w.withhold("assistant:write")
			w.section.AgentStatus = true
		}, id: "slack/scopes", state: doctor.Warn, text: "declared an agent (assistant:write)"},
		"more scopes": {spoil: func(w *fixture) { w.grant("files:read", "admin") }, id: "slack/scopes", state: doctor.Note, text: "files:read, admin"},
		"the manifest's default": {
			spoil: func(w *fixture) { w.minimal() }, id: "slack/scopes", state: doctor.Note,
			text: "off without their scopes: names of private channels (groups:read); people by e-mail address (users:read.email); user groups (usergroups:read); files below cards (files:write); typed answers (app_mentions:read, channels:history",
		},
		"typed answers without scopes": {spoil: func(w *fixture) {
			w.minimal()
			w.ask("C0000001")
			route := w.cfg.Routes["deploys"]
			route.Replies = &config.Replies{Mode: "text"}
			w.cfg.Routes["deploys"] = route
		}, id: "slack/scopes", state: doctor.Warn, text: "lacks the scopes for typed answers (app_mentions:read"},
		"not in the channel": {spoil: func(w *fixture) {
			w.ask("C0000002")
			w.withhold("channels:read")
		}, id: "slack/channel", state: doctor.Broken, text: "not in C0000002"},
		"not in it, by name": {spoil: func(w *fixture) { w.ask("C0000002") }, id: "slack/channel", state: doctor.Broken, text: "not in #general (C0000002)"},
		"not in it, public": {spoil: func(w *fixture) {
			w.ask("C0000002")
			w.grant("chat:write.public")
		}, id: "slack/channel", state: doctor.Warn, text: "with chat:write.public, but cannot receive typed answers, upload files or find a lost card"},
		"not in a private one": {spoil: func(w *fixture) { w.ask("C0000003") }, id: "slack/channel", state: doctor.Broken, text: "it is private"},
		"no such channel":      {spoil: func(w *fixture) { w.ask("C0000404") }, id: "slack/channel", state: doctor.Broken, text: "C0000404"},
		"an archived channel":  {spoil: func(w *fixture) { w.ask("C0000004") }, id: "slack/channel", state: doctor.Broken, text: "#old (C0000004) is archived"},
		"channels unseen":      {spoil: func(w *fixture) { w.ask("C0000001"); w.blind() }, id: "slack/channel", state: doctor.Note, text: "in C0000001 cannot be seen without channels:read or groups:read"},
		"a channel in trouble": {spoil: func(w *fixture) { w.ask("C0000001"); w.sim.Fault("conversations.info", chatsim.Status(500)) }, id: "slack/channel", state: doctor.Note, text: "could not be looked at"},
		"nobody by that id":    {spoil: func(w *fixture) { w.ask("U0000404") }, id: "slack/person", state: doctor.Broken, text: "U0000404"},
		"no such responder":    {spoil: func(w *fixture) { w.cfg.Responders = []string{"slack:U0000404"} }, id: "slack/person", state: doctor.Warn, text: "U0000404"},
		"people unseen":        {spoil: func(w *fixture) { w.ask("U0000001"); w.blind() }, id: "slack/person", state: doctor.Note, text: "users:read"},
		"somebody who left": {
			opts:  slacksim.Options{People: []slacksim.Person{{ID: "U0000001", RealName: "Dana", Disabled: true}}},
			spoil: func(w *fixture) { w.ask("U0000001") }, id: "slack/person", state: doctor.Broken, text: "Dana (U0000001) is deactivated",
		},
		"a bot to ask": {
			opts:  slacksim.Options{People: []slacksim.Person{{ID: "U0000001", RealName: "Robot", Bot: true}}},
			spoil: func(w *fixture) { w.ask("U0000001") }, id: "slack/person", state: doctor.Broken, text: "is a bot",
		},
		"no such group":  {spoil: func(w *fixture) { w.cfg.Responders = []string{"slack-group:S0000404"} }, id: "slack/group", state: doctor.Broken, text: "no group slack-group:S0000404"},
		"an empty group": {opts: slacksim.Options{Groups: []slacksim.Group{{ID: "S0000001"}}}, spoil: func(w *fixture) { w.cfg.Responders = []string{"slack-group:S0000001"} }, id: "slack/group", state: doctor.Broken, text: "no members"},
		"a free plan":    {opts: slacksim.Options{FreePlan: true}, spoil: func(w *fixture) { w.cfg.Responders = []string{"slack-group:S0000001"} }, id: "slack/group", state: doctor.Broken, text: "paid Slack plan"},
		"groups unseen": {spoil: func(w *fixture) {
			w.cfg.Responders = []string{"slack-group:S0000001"}
			w.blind()
		}, id: "slack/group", state: doctor.Broken, text: "cannot be looked up"},
		"a clock that is behind":           {spoil: func(w *fixture) { w.front.Skew = time.Hour }, id: "slack/clock", state: doctor.Warn, text: "behind Slack's"},
		"a clock that is ahead, over HTTP": {spoil: func(w *fixture) { http(w); w.front.Skew = -time.Hour }, id: "slack/clock", state: doctor.Broken, text: "ahead of Slack's"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, tc.opts)
			if tc.spoil != nil {
				tc.spoil(w)
			}
			doctortest.Finds(t, w.examine(t), tc.id, tc.state, tc.text)
		})
	}
}

// An address that the manifest brought along has not been verified, and typed answers do
// not come.
func TestExamineHTTPExplainsVerification(t *testing.T) {
	t.Parallel()
	w := newFixture(t, slacksim.Options{})
	w.section.Mode, w.section.AppToken = "http", config.Secret{}
	for _, f := range w.examine(t).Findings {
		if f.ID == "slack/mode" && strings.Contains(f.Do, "Event Subscriptions") && strings.Contains(f.Do, "Verified") {
			return
		}
	}
	t.Error("finding missing")
}

// For an app installed in a whole organization, Slack returned missing_argument, and doctor could not read the
// group.
func TestExamineGroupOfOrganization(t *testing.T) {
	t.Parallel()
	w := newFixture(t, slacksim.Options{Enterprise: "E0000001", OrgInstall: true})
	w.cfg.Responders = []string{"slack-group:S0000001"}
	r := w.examine(t)
	doctortest.Finds(t, r, "slack/group", doctor.OK, "2")
	doctortest.Finds(t, r, "slack/token", doctor.OK, "in the organisation Sim (E0000001), in T0000001")
}

// An organization's app is in none of its workspaces until an admin adds it.
func TestExamineOrganizationAppWithoutWorkspace(t *testing.T) {
	t.Parallel()
	w := newFixture(t, slacksim.Options{OrgInstall: true})
	w.front.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/auth.teams.list") {
			_, _ = io.WriteString(rw, `{"ok":true,"teams":[]}`)
			return
		}
		w.sim.ServeHTTP(rw, r)
	})
	doctortest.Finds(t, w.examine(t), "slack/token", doctor.Broken, "in none of its workspaces")
	w.front.Handler = w.sim
	w.sim.Fault("auth.teams.list", chatsim.Refuse("fatal_error"))
	doctortest.Finds(t, w.examine(t), "slack/token", doctor.Note, "fatal_error")
}

func TestExamineUnreachableURL(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	w := newFixture(t, slacksim.Options{})
	w.section.APIURL = "http://" + address + "/canary/"
	doctortest.Finds(t, w.examine(t), "slack/token", doctor.Broken, "cannot be asked at "+address)
}
