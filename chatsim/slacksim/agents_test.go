package slacksim_test

import (
	"strings"
	"testing"

	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/chatsim/slacksim"
)

func TestAgentSessionStatus(t *testing.T) {
	t.Parallel()
	type params = slackapi.AgentSessionSetStatusParameters
	agent := slacksim.Options{AgentView: true, Channels: []slacksim.Channel{
		{ID: "C0000001", Name: "deploys"}, {ID: "C0000002", Name: "outside", Members: []string{"U0000001"}}, {ID: "C0000003", Name: "session", Session: true},
	}}
	for name, tc := range map[string]struct {
		opts       slacksim.Options
		scopes     []string
		ask        params
		threadless bool
		word, rule string
	}{
		"a thread":                   {opts: agent, ask: params{Status: "suspended", ChannelID: "C0000001"}},
		"a session channel":          {opts: agent, ask: params{Status: "active", ChannelID: "C0000003"}, threadless: true},
		"an app that is no agent":    {ask: params{Status: "suspended", ChannelID: "C0000001"}, word: "feature_disabled"},
		"without the scope":          {opts: agent, scopes: []string{"users:read"}, ask: params{Status: "suspended", ChannelID: "C0000001"}, word: "missing_scope"},
		"an icon without its scope":  {opts: agent, ask: params{Status: "suspended", ChannelID: "C0000001", IconEmoji: ":robot_face:"}, word: "missing_scope"},
		"an invented status":         {opts: agent, ask: params{Status: "waiting", ChannelID: "C0000001"}, word: "invalid_arguments", rule: "request.arguments"},
		"no thread":                  {opts: agent, ask: params{Status: "active", ChannelID: "C0000001"}, threadless: true, word: "thread_ts_required"},
		"a thread there are none of": {opts: agent, ask: params{Status: "active", ChannelID: "C0000003"}, word: "thread_ts_not_allowed"},
		"an unknown thread":          {opts: agent, ask: params{Status: "active", ChannelID: "C0000001", ThreadTS: "1.000001"}, word: "thread_not_found", rule: "request.thread"},
		"an unknown channel":         {opts: agent, ask: params{Status: "active", ChannelID: "C9"}, word: "channel_not_found"},
		"a channel without the bot":  {opts: agent, ask: params{Status: "active", ChannelID: "C0000002"}, word: "not_in_channel"},
		"a long title":               {opts: agent, ask: params{Status: "active", ChannelID: "C0000001", Title: strings.Repeat("x", 201)}, word: "invalid_arguments", rule: "agents.sessions.title"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := slacksim.Start(t, &tc.opts)
			if tc.rule != "" {
				sim.Expect(tc.rule)
			}
			api := client(sim)
			_, ts, err := api.PostMessageContext(t.Context(), "C0000001", slackapi.MsgOptionText("Working", false))
			if err != nil {
				t.Fatal(err)
			}
			if !tc.threadless && tc.ask.ThreadTS == "" {
				tc.ask.ThreadTS = ts
			}
			if tc.scopes != nil {
				sim.Grant("xoxb-sim", tc.scopes...)
			}
			got, err := api.SetAgentSessionStatusContext(t.Context(), tc.ask)
			if tc.word != "" {
				if err == nil || err.Error() != tc.word {
					t.Errorf("%v, want %s", err, tc.word)
				}
				return
			}
			if err != nil || got.AgentStatus != tc.ask.Status || sim.AgentStatus(tc.ask.ChannelID, tc.ask.ThreadTS) != tc.ask.Status {
				t.Errorf("%+v, %v, status %q", got, err, sim.AgentStatus(tc.ask.ChannelID, tc.ask.ThreadTS))
			}
		})
	}
}
