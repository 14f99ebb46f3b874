package render_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

func TestAgentCannotMentionUserGroup(t *testing.T) {
	t.Parallel()
	group := ask.PolicyOf("slack-group:S0000001", "slack:U0000001")
	for name, p := range map[string]ask.Policy{"named": group, "demanded": group.Narrow(ask.PolicyOf("slack:U0000002", "slack-group:S0000002"))} {
		s := asking(single)
		s.Eligible = eligible(p, "slack")
		data, err := json.Marshal(drawSlack(s))
		if err != nil {
			t.Fatal(err)
		}
		if card := string(data); strings.Contains(card, "subteam") || !strings.Contains(card, "Slack group S0000001") {
			t.Errorf("a group that is %s rings or is not named: %s", name, card)
		}
		blocks, text := blockkit.Note(render.Who(eligible(p, "slack"), blockkit.Limits(), ""))
		if note, err := json.Marshal(blocks); err != nil || strings.Contains(string(note)+text, "subteam") || strings.Contains(string(note), "usergroup") {
			t.Errorf("a note rings: %s %s %v", note, text, err)
		}
	}
}

// terms is who can answer, in the words of a card on Slack.
func terms(s render.Subject) string { return termsOf(render.Layout(s, blockkit.Limits())) }

// termsOf is who can answer, in the words of a card.
func termsOf(card render.Card) string {
	at := slices.IndexFunc(card.Sections, func(sec render.Section) bool { return sec.ID == "terms" })
	var text strings.Builder
	for _, span := range card.Sections[at].Text {
		if text.WriteString(span.Text); span.Style == render.Mention {
			text.WriteString("@" + span.Person.ID)
		}
	}
	return text.String()
}

func TestCardNamesWhoCanAnswer(t *testing.T) {
	t.Parallel()
	of, group := ask.PolicyOf, ask.PolicyOf("slack-group:S1")
	for _, tt := range []struct {
		policy ask.Policy
		want   string
	}{
		{ask.Policy{}, "No one can answer"},
		{of("anyone", "slack:U1"), "Anyone here can answer"},
		{of("anyone", "not_requester"), "Anyone here can answer, except the requester"},
		{of("anyone").Narrow(of("slack:U1")), "Only @U1 can answer"},
		{of("slack:U1", "slack:U2", "slack:U3"), "@U1, @U2 or @U3 can answer"},
		{group.Narrow(of("slack:U1")), "@U1 can answer · limited to: Slack group S1"},
		{of("slack:U1").Narrow(group), "Slack group S1 can answer · limited to: Slack user U1"},
		{group.Narrow(of("anyone", "not_requester")), "Slack group S1 can answer, except the requester"},
		{of("slack:U1", "slack:U0000009", "not_requester"), "Only @U1 can answer"},
		{of("discord:1"), "Only 1 person on Discord can answer"},
		{of("discord:1", "discord:2", "discord:3"), "Only 3 people on Discord can answer"},
		{of("discord-role:1"), "1 group on Discord can answer"},
		{of("discord:1", "discord-role:2"), "1 person on Discord or 1 group on Discord can answer"},
		{of("slack:U1", "discord:1", "discord:2", "discord:3"), "@U1 or 3 more people on Discord can answer"},
		{of("slack:U1", "pager:1"), "Only @U1 can answer"},
		{of("slack:U1", "slack:U2", "slack:U3", "slack:U4", "slack:U5", "slack:U6", "slack:U7", "slack:U8", "discord:1"), "@U1, @U2, @U3, @U4, @U5, @U6, 2 others or 1 more person on Discord can answer"},
	} {
		s := asking(single)
		s.Eligible = eligible(tt.policy, "slack")
		if got := terms(s); got != tt.want {
			t.Errorf("%s: the card says %q, want %q", tt.policy, got, tt.want)
		}
	}
}

// team links the accounts of two people.
type team struct{}

func (team) Linked(account string) (string, []string) {
	switch account {
	case "slack:U1", "discord:1":
		return "Dana", []string{"slack:U1", "discord:1"}
	case "pager:7", "slack:U7":
		return "Gus", []string{"pager:7", "slack:U7"}
	}
	return "", nil
}

// Dana, named by her Slack account, read on Discord that only people on Slack can answer, but her press there counted.
func TestCardNamesLinkedAccount(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		platform string
		entries  []string
		want     string
		rings    []string
	}{
		{"slack", []string{"slack:U1"}, "Only @U1 can answer, here or on Discord", []string{"U1"}},
		{"discord", []string{"slack:U1"}, "Only @1 can answer, here or on Slack", nil},
		{"discord", []string{"slack:U1", "discord:2"}, "@1 or @2 can answer", []string{"2"}},
		{"slack", []string{"discord:1", "slack:U2"}, "Dana or @U2 can answer", []string{"U2"}},
		{"slack", []string{"slack:U1", "discord:2"}, "@U1 or 1 more person on Discord can answer", []string{"U1"}},
		{"discord", []string{"slack:U7"}, "Only Gus can answer, on Slack", nil},
	} {
		s := asking(single)
		s.Eligible = record.Eligible(asks(ask.PolicyOf(tt.entries...)), on(tt.platform), team{}, func(string) bool { return false })
		l := blockkit.Limits()
		if tt.platform == "discord" {
			l = components.Limits()
		}
		card := render.Layout(s, l)
		var rings []string
		for _, p := range card.Tells {
			rings = append(rings, p.ID)
		}
		if got := termsOf(card); got != tt.want || !slices.Equal(rings, tt.rings) {
			t.Errorf("%s on %s: the card says %q and notifies %q, want %q and %q", tt.entries, tt.platform, got, rings, tt.want, tt.rings)
		}
	}
}

func TestDirectMessageMentionsNoChannel(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]ask.Policy{
		"You can answer": ask.PolicyOf("anyone"), "You can answer, except the requester": ask.PolicyOf("anyone", "not_requester"), "Only @U1 can answer": ask.PolicyOf("slack:U1"),
	} {
		s := asking(single)
		s.Eligible, s.Direct = eligible(p, "slack"), true
		if got := terms(s); got != want {
			t.Errorf("%s: the card says %q, want %q", p, got, want)
		}
	}
}

func TestDirectMessageNamesWhoCanAnswer(t *testing.T) {
	t.Parallel()
	const hidden = "No one can answer here: Discord hides roles in direct messages"
	for name, tt := range map[string]struct {
		policy  ask.Policy
		channel bool
		want    string
	}{
		"by name":                     {ask.PolicyOf("discord:3"), false, "Only @3 can answer"},
		"by name, on Slack too":       {ask.PolicyOf("discord:3", "slack:U1", "slack:U2"), false, "Only @3 can answer here · 2 more people on Slack can answer"},
		"anyone":                      {ask.PolicyOf("anyone"), false, "Only @3 can answer"},
		"anyone, in a channel too":    {ask.PolicyOf("anyone"), true, "Only @3 can answer here"},
		"by a role":                   {ask.PolicyOf("discord-role:2"), false, hidden},
		"by a role, in a channel too": {ask.PolicyOf("discord-role:2"), true, hidden + " · 1 group on Discord can answer"},
		"by name or a role":           {ask.PolicyOf("discord:3", "discord-role:2"), false, "Only @3 can answer"},
		"someone else":                {ask.PolicyOf("discord:4"), true, "Only @4 can answer"},
		"someone on Slack":            {ask.PolicyOf("slack:U1"), false, "Only 1 person on Slack can answer"},
		"the requester":               {ask.PolicyOf("anyone", "not_requester"), false, "No one can answer here: the requester cannot decide"},
	} {
		r := asks(tt.policy)
		private := record.Copy{Target: ask.Place{Platform: "discord", User: "3"}}
		r.Copies = record.Copies{private}
		if name == "the requester" {
			r.Requesters = []string{"discord:3"}
		}
		if tt.channel {
			r.Copies = append(r.Copies, on("discord"))
		}
		if strings.Contains(tt.want, "Slack") {
			r.Copies = append(r.Copies, on("slack"))
		}
		s := asking(single)
		s.Eligible = record.Eligible(r, private, alone{}, func(string) bool { return true })
		if got := termsOf(render.Layout(s, components.Limits())); got != tt.want {
			t.Errorf("%s: the card says %q, want %q", name, got, tt.want)
		}
	}
}

func TestCardMentionsOnlyNamedPeople(t *testing.T) {
	t.Parallel()
	asked := ask.PolicyOf("slack:U1", "slack-group:S1", "discord:1", "discord-role:2")
	demanded := ask.PolicyOf("slack:U2", "slack:U3", "discord:3").Narrow(asked)
	many := ask.PolicyOf("slack:U1", "slack:U2", "slack:U3", "slack:U4", "slack:U5", "slack:U6", "slack:U7", "slack:U8")
	for name, tt := range map[string]struct {
		policy ask.Policy
		to     string
		slack  []string
		other  []string
	}{
		"asked by name":                       {asked, "", []string{"U1"}, []string{"1"}},
		"not in the list of the route":        {demanded, "", nil, nil},
		"if in a group of the route":          {ask.PolicyOf("slack-group:S3", "discord-role:3").Narrow(asked), "", []string{"U1"}, []string{"1"}},
		"more than the card names":            {many, "", []string{"U1", "U2", "U3", "U4", "U5", "U6"}, nil},
		"anyone":                              {ask.PolicyOf("anyone", "slack:U1", "discord:1"), "", nil, nil},
		"nobody":                              {ask.Policy{}, "", nil, nil},
		"a direct message":                    {asked, "U1", nil, nil},
		"somebody with another's id in words": {ask.PolicyOf("slack:<@U9>"), "", []string{"<@U9>"}, nil},
	} {
		s := asking(single)
		for platform, l := range map[string]render.Limits{"slack": blockkit.Limits(), "discord": components.Limits()} {
			var notified, live []string
			c := on(platform)
			c.Target.User = tt.to
			s.Eligible = record.Eligible(asks(tt.policy), c, alone{}, func(string) bool { return false })
			card := render.Layout(s, l)
			for _, p := range card.Tells {
				notified = append(notified, p.ID)
			}
			for _, sec := range card.Sections {
				for _, span := range sec.Text {
					if span.Style == render.Mention {
						live = append(live, span.Person.ID)
					}
				}
			}
			want := map[string][]string{"slack": tt.slack, "discord": tt.other}[platform]
			if !slices.Equal(notified, want) {
				t.Errorf("%s: a card on %s rings %q, want %q", name, platform, notified, want)
			}
			if l.MentionsRing && tt.to == "" && !slices.Equal(live, want) {
				t.Errorf("%s: a card on %s names %q live, want %q", name, platform, live, want)
			}
		}
	}
}
