package bundle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/slack/bundle"
	"github.com/askbridge/askbridge/test/doctortest"
)

// taken tries a token and returns the report.
func taken(t *testing.T, g provider.Guide, setting, token string) *doctor.Report {
	t.Helper()
	r := &doctor.Report{}
	g.Take(t.Context(), r, setting, token)
	return r
}

func TestGuideTokens(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		setting, token string
		scopes         []string
		id             string
		state          doctor.State
		text           string
	}{
		"the bot token":        {"bot_token", canaryBot, nil, "slack/token", doctor.OK, "in the workspace"},
		"its scopes":           {"bot_token", canaryBot, []string{"chat:write", "im:write", "users:read", "channels:read"}, "slack/scopes", doctor.OK, "scopes chat:write, im:write, users:read"},
		"no right to post":     {"bot_token", canaryBot, []string{"im:write"}, "slack/scopes", doctor.Broken, "cards (chat:write)"},
		"another bot token":    {"bot_token", "xoxb-1", nil, "slack/token", doctor.Broken, "does not accept slack.bot_token: invalid_auth"},
		"the wrong kind":       {"bot_token", canaryApp, nil, "slack/token", doctor.Broken, "does not begin with xoxb-"},
		"the app-level token":  {"app_token", canaryApp, nil, "slack/mode", doctor.OK, "gives us a connection"},
		"a bot token for apps": {"app_token", canaryBot, nil, "slack/token", doctor.Broken, "does not begin with xapp-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, slacksim.Options{})
			if tc.scopes != nil {
				w.sim.Grant(canaryBot, tc.scopes...)
			}
			doctortest.Finds(t, taken(t, bundle.Bundle().Guide(w.section.APIURL), tc.setting, tc.token), tc.id, tc.state, tc.text)
		})
	}
}

// A page of Slack's list can be empty although more follow.
func TestGuideListsEveryPage(t *testing.T) {
	t.Parallel()
	channels := []slacksim.Channel{
		{ID: "C9000001", Name: "zebra"},
		{ID: "C9000002", Name: "board", Private: true},
		{ID: "C9000003", Name: "aside", Members: []string{"U0000001"}},
	}
	for n := range 450 {
		channels = append(channels, slacksim.Channel{ID: fmt.Sprintf("C%07d", n+1), Name: fmt.Sprintf("old-%d", n), Archived: true})
	}
	w := newFixture(t, slacksim.Options{Channels: channels})
	g := bundle.Bundle().Guide(w.section.APIURL)
	taken(t, g, "bot_token", canaryBot)
	list := func() string {
		all, err := g.Channels(t.Context())
		var names []string
		for _, c := range all {
			names = append(names, c.String())
		}
		return fmt.Sprint(strings.Join(names, " "), err)
	}
	if got := list(); got != "#board #zebra #aside<nil>" {
		t.Errorf("channels: %s", got)
	}
	w.minimal()
	taken(t, g, "bot_token", canaryBot)
	if got := list(); got != "#zebra #aside<nil>" {
		t.Errorf("with the scopes of the default manifest: %s", got)
	}
	w.withhold(slack.ScopeChannels)
	if got := list(); !strings.HasSuffix(got, "lacks the scope channels:read") {
		t.Errorf("without the scope: %s", got)
	}
}

func TestGuideChecksChannel(t *testing.T) {
	t.Parallel()
	w := newFixture(t, slacksim.Options{})
	g := bundle.Bundle().Guide(w.section.APIURL)
	taken(t, g, "bot_token", canaryBot)
	r := &doctor.Report{}
	g.Channel(t.Context(), r, "C0000002")
	doctortest.Finds(t, r, "slack/channel", doctor.Broken, "not in #general")
	if !slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool { return strings.Contains(f.Do, "/invite @") }) {
		t.Errorf("no advice: %+v", r.Findings)
	}
}
