package bundle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app/config"
)

func TestFindNames(t *testing.T) {
	t.Parallel()
	people := []slacksim.Person{
		{ID: "U0000001", Name: "dana.meyer", RealName: "Dana", Email: "dana@example.com"},
		{ID: "U0000002", Name: "sam", RealName: "Sam"},
		{ID: "U0000003", Name: "sam.b", RealName: "Sam"},
		{ID: "U0000004", Name: "gone", RealName: "Gone", Disabled: true},
		{ID: "U0000005", Name: "robo", RealName: "Robo", Bot: true},
	}
	groups := []slacksim.Group{{ID: "S0000001", Handle: "ops", Members: []string{"U0000001"}}}
	for name, tt := range map[string]struct {
		name  config.Name
		ids   []string
		lacks string // Scope without which it cannot be looked up.
	}{
		"a channel":             {config.Name{Kind: config.ChannelName, Text: "deploys"}, []string{"C0000001"}, "channels:read"},
		"in capitals":           {config.Name{Kind: config.ChannelName, Text: "Deploys"}, []string{"C0000001"}, "channels:read"},
		"an archived channel":   {config.Name{Kind: config.ChannelName, Text: "old"}, nil, "channels:read"},
		"a person":              {config.Name{Kind: config.PersonName, Text: "dana"}, []string{"U0000001"}, "users:read"},
		"by user name":          {config.Name{Kind: config.PersonName, Text: "dana.meyer"}, []string{"U0000001"}, "users:read"},
		"two people":            {config.Name{Kind: config.PersonName, Text: "Sam"}, []string{"U0000002", "U0000003"}, "users:read"},
		"a deactivated account": {config.Name{Kind: config.PersonName, Text: "gone"}, nil, "users:read"},
		"a bot":                 {config.Name{Kind: config.PersonName, Text: "robo"}, nil, "users:read"},
		"an address":            {config.Name{Kind: config.PersonName, Text: "dana@example.com"}, []string{"U0000001"}, "users:read.email"},
		"an unknown address":    {config.Name{Kind: config.PersonName, Text: "nobody@example.com"}, nil, "users:read.email"},
		"a group":               {config.Name{Kind: config.GroupName, Text: "ops"}, []string{"S0000001"}, "usergroups:read"},
		"an unknown group":      {config.Name{Kind: config.GroupName, Text: "oops"}, nil, "usergroups:read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, slacksim.Options{People: people, Groups: groups})
			all := append(allScopes(), "users:read.email")
			w.sim.Grant(canaryBot, all...)
			found, err := w.section.FindNames(t.Context(), []config.Name{tt.name})
			if f := found[tt.name]; err != nil || f.Err != nil || !slices.Equal(f.IDs, tt.ids) {
				t.Errorf("%s: %v, %+v; want %q", tt.name, err, f, tt.ids)
			}
			w.sim.Grant(canaryBot, slices.DeleteFunc(all, func(scope string) bool { return scope == tt.lacks })...)
			found, err = w.section.FindNames(t.Context(), []config.Name{tt.name})
			if f := found[tt.name]; err != nil || f.Err == nil || !strings.Contains(f.Err.Error(), "lacks the scope "+tt.lacks) {
				t.Errorf("without %s: %v, %+v", tt.lacks, err, f)
			}
		})
	}
}

// The doubles page like Slack: with more channels than fit one page the last ones are found, too.
func TestFindNamesOnLaterPages(t *testing.T) {
	t.Parallel()
	var channels []slacksim.Channel
	for n := range 450 {
		id := "C" + strings.Repeat("0", 3) + string(rune('A'+n/26/26%26)) + string(rune('A'+n/26%26)) + string(rune('A'+n%26)) + "0"
		channels = append(channels, slacksim.Channel{ID: id, Name: "c-" + strings.ToLower(id)})
	}
	w := newFixture(t, slacksim.Options{Channels: channels})
	last := channels[len(channels)-1]
	name := config.Name{Kind: config.ChannelName, Text: last.Name}
	found, err := w.section.FindNames(t.Context(), []config.Name{name})
	if f := found[name]; err != nil || !slices.Equal(f.IDs, []string{last.ID}) {
		t.Errorf("%v, %+v", err, f)
	}
}

func TestFindNamesWithWrongToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t, slacksim.Options{})
	w.section.BotToken = config.NewSecret("xoxb-wrong")
	if _, err := w.section.FindNames(t.Context(), []config.Name{{Kind: config.PersonName, Text: "dana"}}); err == nil || !strings.Contains(err.Error(), "does not accept slack.bot_token: invalid_auth") {
		t.Errorf("error %v", err)
	}
}
