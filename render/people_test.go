package render_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

func TestAnAgentCannotRingAUserGroup(t *testing.T) {
	t.Parallel()
	group := ask.PolicyOf("slack-group:S0000001", "slack:U0000001")
	for name, p := range map[string]ask.Policy{"named": group, "demanded": group.Narrow(ask.PolicyOf("slack:U0000002", "slack-group:S0000002"))} {
		s := asking(single)
		s.Policy = p
		data, err := json.Marshal(drawSlack(s))
		if err != nil {
			t.Fatal(err)
		}
		if card := string(data); strings.Contains(card, "subteam") || !strings.Contains(card, "Slack group S0000001") {
			t.Errorf("a group that is %s rings or is not named: %s", name, card)
		}
		blocks, text := blockkit.Note(render.Who(p, blockkit.Limits(), ""))
		if note, err := json.Marshal(blocks); err != nil || strings.Contains(string(note)+text, "subteam") || strings.Contains(string(note), "usergroup") {
			t.Errorf("a note rings: %s %s %v", note, text, err)
		}
	}
}

// terms is who may answer, as a card says it.
func terms(s render.Subject) string {
	card := render.Layout(s, blockkit.Limits())
	at := slices.IndexFunc(card.Sections, func(sec render.Section) bool { return sec.ID == "terms" })
	var text strings.Builder
	for _, span := range card.Sections[at].Text {
		if text.WriteString(span.Text); span.Style == render.Mention {
			text.WriteString("@" + span.Person.ID)
		}
	}
	return text.String()
}

func TestACardSaysWhoMayAnswer(t *testing.T) {
	t.Parallel()
	of, group := ask.PolicyOf, ask.PolicyOf("slack-group:S1")
	for _, tt := range []struct {
		policy ask.Policy
		want   string
	}{
		{ask.Policy{}, "No one can answer"},
		{of("anyone", "slack:U1"), "Anyone here can answer"},
		{of("anyone").Narrow(of("slack:U1")), "@U1 can answer"},
		{group.Narrow(of("slack:U1")), "@U1 can answer, limited to: Slack group S1"},
		{group.Narrow(of("anyone", "not_requester")), "Slack group S1 can answer, except the requester"},
		{of("discord:1", "discord-role:2"), "People on Discord can answer"},
		{of("slack:U1", "slack:U2", "slack:U3", "slack:U4", "slack:U5", "slack:U6", "slack:U7", "slack:U8"), "@U1, @U2, @U3, @U4, @U5, @U6 or 2 others can answer"},
	} {
		s := asking(single)
		s.Policy = tt.policy
		if got := terms(s); got != tt.want {
			t.Errorf("%s: the card says %q, want %q", tt.policy, got, tt.want)
		}
	}
}

func TestACardInADirectConversationSpeaksOfNoChannel(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]ask.Policy{
		"You can answer": ask.PolicyOf("anyone"), "You can answer, except the requester": ask.PolicyOf("anyone", "not_requester"), "@U1 can answer": ask.PolicyOf("slack:U1"),
	} {
		s := asking(single)
		s.Policy, s.Direct = p, true
		if got := terms(s); got != want {
			t.Errorf("%s: the card says %q, want %q", p, got, want)
		}
	}
}

// Kim has the role, read in a direct message that whoever has it can answer, and was told that
// this is for whoever has it.
func TestACardInADirectMessageSaysThatNobodyHasARoleThere(t *testing.T) {
	t.Parallel()
	kim := ask.Responder{Person: ask.Person{Platform: "discord", ID: "3"}, Addressed: true}
	for name, tt := range map[string]struct {
		policy ask.Policy
		to     ask.Responder
		want   bool
	}{
		"by a role":               {ask.PolicyOf("discord-role:2"), kim, true},
		"by a role of a route":    {ask.PolicyOf("discord-role:2").Narrow(ask.PolicyOf("anyone")), kim, true},
		"by name":                 {ask.PolicyOf("discord:3", "discord-role:2"), kim, false},
		"somebody else":           {ask.PolicyOf("discord:4"), kim, false},
		"by a role, in a channel": {ask.PolicyOf("discord-role:2"), ask.Responder{}, false},
		"somebody on Slack":       {ask.PolicyOf("slack-group:S1"), kim, false},
	} {
		s := asking(single)
		s.Policy, s.Addressee = tt.policy, tt.to
		var says strings.Builder
		for _, sec := range render.Layout(s, components.Limits()).Sections {
			for _, span := range sec.Text {
				says.WriteString(span.Text)
			}
		}
		if got := strings.Contains(says.String(), ", but not in direct messages: Discord hides roles there"); got != tt.want {
			t.Errorf("%s: said is %v, want %v: %s", name, got, tt.want, says.String())
		}
	}
}

func TestACardRingsWhomItAsksByNameAndNobodyElse(t *testing.T) {
	t.Parallel()
	asked := ask.PolicyOf("slack:U1", "slack-group:S1", "discord:1", "discord-role:2")
	demanded := ask.PolicyOf("slack:U2", "slack:U3", "discord:3").Narrow(asked)
	many := ask.PolicyOf("slack:U1", "slack:U2", "slack:U3", "slack:U4", "slack:U5", "slack:U6", "slack:U7", "slack:U8")
	for name, tt := range map[string]struct {
		policy ask.Policy
		to     ask.Responder
		slack  []string
		other  []string
	}{
		"asked by name":                       {asked, ask.Responder{}, []string{"U1"}, []string{"1"}},
		"demanded by a route":                 {demanded, ask.Responder{}, []string{"U1"}, []string{"1"}},
		"more than the card names":            {many, ask.Responder{}, []string{"U1", "U2", "U3", "U4", "U5", "U6"}, nil},
		"anyone":                              {ask.PolicyOf("anyone", "slack:U1", "discord:1"), ask.Responder{}, nil, nil},
		"nobody":                              {ask.Policy{}, ask.Responder{}, nil, nil},
		"a direct message":                    {asked, ask.Responder{Person: ask.Person{Platform: "slack", ID: "U1"}}, nil, nil},
		"somebody with another's id in words": {ask.PolicyOf("slack:<@U9>"), ask.Responder{}, []string{"<@U9>"}, nil},
	} {
		s := asking(single)
		s.Policy, s.Addressee = tt.policy, tt.to
		for platform, l := range map[string]render.Limits{"slack": blockkit.Limits(), "discord": components.Limits()} {
			var told, live []string
			card := render.Layout(s, l)
			for _, p := range card.Tells {
				told = append(told, p.ID)
			}
			for _, sec := range card.Sections {
				for _, span := range sec.Text {
					if span.Style == render.Mention {
						live = append(live, span.Person.ID)
					}
				}
			}
			want := map[string][]string{"slack": tt.slack, "discord": tt.other}[platform]
			if !slices.Equal(told, want) {
				t.Errorf("%s: a card on %s rings %q, want %q", name, platform, told, want)
			}
			if l.MentionsRing && tt.to.ID == "" && !slices.Equal(live, want) {
				t.Errorf("%s: a card on %s names %q live, want %q", name, platform, live, want)
			}
		}
	}
}
