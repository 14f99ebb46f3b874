package ask_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

var (
	ada   = ask.Responder{Person: ask.Person{Platform: "slack", ID: "U1"}, Membership: ask.Member}
	sam   = ask.Responder{Person: ask.Person{Platform: "slack", ID: "U2"}, Membership: ask.Member, Groups: []string{"slack-group:S1"}}
	guest = ask.Responder{Person: ask.Person{Platform: "slack", ID: "U3"}, Membership: ask.Guest}
	robin = ask.Responder{Person: ask.Person{Platform: "slack", ID: "U4"}, Membership: ask.Outsider}
	kim   = ask.Responder{Person: ask.Person{Platform: "discord", ID: "1"}, Membership: ask.Member, Groups: []string{"discord-role:7"}}
)

func TestPolicyAllows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		list []string
		may  []ask.Responder
	}{
		{"anyone means members", []string{"anyone"}, []ask.Responder{ada, sam, kim}},
		{"a guest is let pass by name", []string{"anyone", "slack:U3"}, []ask.Responder{ada, sam, kim, guest}},
		{"a person is named by platform and id", []string{"slack:U1"}, []ask.Responder{ada}},
		{"an id of another platform is another person", []string{"discord:U1"}, nil},
		{"whoever is named may be an outsider", []string{"slack:U4"}, []ask.Responder{robin}},
		{"a group lets its members pass", []string{"slack-group:S1", "discord-role:7"}, []ask.Responder{sam, kim}},
		{"a person's id is not a group's", []string{"slack:S1"}, nil},
		{"what cannot be read is nobody", []string{"U1", "slack", "slack:", ":U1"}, nil},
		{"nobody is on an empty list", nil, nil},
		{"nobody is kept out alone", []string{"not_requester"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := ask.PolicyOf(tt.list...)
			for _, who := range []ask.Responder{ada, sam, guest, robin, kim} {
				want := slices.ContainsFunc(tt.may, func(r ask.Responder) bool { return r.ID == who.ID })
				if got := p.Allows(who); got != want {
					t.Errorf("%s may answer: %t, want %t", who.Key(), got, want)
				}
				bot, unknown := who, who
				bot.Bot, unknown.Membership = true, ask.Unknown
				if p.Allows(bot) || p.Allows(unknown) {
					t.Errorf("%s may answer as a bot or with unknown membership", who.Key())
				}
				unknown.Addressed = true
				if got := p.Allows(unknown); slices.Contains(tt.list, "anyone") && !got {
					t.Errorf("%s was addressed but may not answer", who.Key())
				}
			}
		})
	}
}

func TestRequestOnlyNarrowsPolicy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name               string
		floor, request     []string
		lists              [][]string
		vacant             bool
		allowed, forbidden []ask.Responder
	}{
		{
			name: "one of those the route names", floor: []string{"slack:U1", "slack:U2"}, request: []string{"slack:U2", "slack:U9"},
			lists: [][]string{{"slack:U2"}}, allowed: []ask.Responder{sam}, forbidden: []ask.Responder{ada},
		},
		{
			name: "somebody else leaves nobody", floor: []string{"slack:U1", "not_requester"}, request: []string{"slack:U2"},
			lists: [][]string{{"not_requester"}}, vacant: true, forbidden: []ask.Responder{ada, sam},
		},
		{
			name: "anyone is whom the route names", floor: []string{"slack:U1"}, request: []string{"anyone"},
			lists: [][]string{{"slack:U1"}}, allowed: []ask.Responder{ada}, forbidden: []ask.Responder{sam},
		},
		{
			name: "who is kept out stays out", floor: []string{"anyone", "not_requester"}, request: []string{"anyone"},
			lists: [][]string{{"anyone", "not_requester"}}, allowed: []ask.Responder{ada},
		},
		{
			name: "a request may keep the requester out", floor: []string{"slack-group:S1"}, request: []string{"slack-group:S1", "not_requester"},
			lists: [][]string{{"slack-group:S1", "not_requester"}}, allowed: []ask.Responder{sam},
		},
		{
			name: "a person has to be in the group", floor: []string{"slack-group:S1"}, request: []string{"slack:U1", "slack:U2"},
			lists: [][]string{{"slack-group:S1"}, {"slack:U1", "slack:U2"}}, allowed: []ask.Responder{sam}, forbidden: []ask.Responder{ada},
		},
		{
			name: "a group may let in a person of the route", floor: []string{"slack:U1", "slack:U2"}, request: []string{"slack:U1", "slack-group:S1"},
			lists: [][]string{{"slack:U1", "slack:U2"}, {"slack:U1", "slack-group:S1"}}, allowed: []ask.Responder{ada, sam},
		},
		{
			name: "a person has to be a member", floor: []string{"anyone"}, request: []string{"slack:U1", "slack:U4"},
			lists: [][]string{{"anyone"}, {"slack:U1", "slack:U4"}}, allowed: []ask.Responder{ada}, forbidden: []ask.Responder{robin, sam},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := ask.PolicyOf(tt.floor...).Narrow(ask.PolicyOf(tt.request...))
			if diff := cmp.Diff(tt.lists, append(p.Floors(), p.Strings())); diff != "" {
				t.Error(diff)
			}
			if p.Vacant() != tt.vacant {
				t.Errorf("vacant: %t", p.Vacant())
			}
			for _, who := range tt.allowed {
				if !p.Allows(who) {
					t.Errorf("%s may not answer", who.ID)
				}
			}
			for _, who := range tt.forbidden {
				if p.Allows(who) {
					t.Errorf("%s may answer", who.ID)
				}
			}
			if asks := (ask.Responder{Person: ada.Person, Membership: ask.Member, Requester: true}); p.Has(ask.NotRequester) && p.Allows(asks) {
				t.Error("the requester may answer")
			}
		})
	}
}

// entries are entries that meet each other often.
var entries = rapid.SliceOfN(rapid.SampledFrom([]string{
	"anyone", "not_requester", "slack:U1", "slack:U2", "discord:1", "slack-group:S1", "slack-group:S2", "discord-role:7", "odd",
}), 1, 4)

func TestNarrowedPolicyNeverExceedsFloor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		floors := rapid.SliceOfN(entries, 1, 3).Draw(t, "floors")
		request := entries.Draw(t, "request")
		p := ask.PolicyOf(floors[0]...)
		for _, list := range floors[1:] {
			p = p.Narrow(ask.PolicyOf(list...))
		}
		before := p.String()
		narrowed := p.Narrow(ask.PolicyOf(request...))
		if p.String() != before {
			t.Fatalf("narrowing changed its receiver from %s to %s", before, p.String())
		}
		who := ask.Responder{
			Person:     ask.Person{Platform: rapid.SampledFrom([]string{"slack", "discord"}).Draw(t, "platform"), ID: rapid.SampledFrom([]string{"U1", "U2", "1"}).Draw(t, "id")},
			Membership: rapid.SampledFrom([]ask.Membership{ask.Unknown, ask.Outsider, ask.Insider, ask.Guest, ask.Member}).Draw(t, "membership"),
			Groups:     rapid.SliceOfN(rapid.SampledFrom([]string{"slack-group:S1", "slack-group:S2", "discord-role:7"}), 0, 2).Draw(t, "groups"),
			Requester:  rapid.Bool().Draw(t, "requester"), Addressed: rapid.Bool().Draw(t, "addressed"), Bot: rapid.Bool().Draw(t, "bot"),
		}
		for _, list := range floors {
			others := slices.Contains(list, "anyone") // Then it narrows by its other words alone.
			if narrowed.Allows(who) && !others && !ask.PolicyOf(list...).Allows(who) {
				t.Fatalf("%+v passes %s but not %v", who, narrowed, list)
			}
		}
		if !p.Allows(who) && narrowed.Allows(who) {
			t.Fatalf("%+v passes %s but not %s", who, narrowed, p)
		}
		wide := slices.Contains(request, "anyone")
		if narrowed.Allows(who) && !wide && !ask.PolicyOf(request...).Allows(who) {
			t.Fatalf("%+v passes %s but not the request's list %v", who, narrowed, request)
		}
		if p.Allows(who) && ask.PolicyOf(request...).Allows(who) && !narrowed.Allows(who) {
			t.Fatalf("%+v passes %s and %v but not %s", who, p, request, narrowed)
		}
		if narrowed.Vacant() && narrowed.Allows(who) {
			t.Fatalf("%+v passes the vacant %s", who, narrowed)
		}
	})
}

func TestPolicyJSONRoundTrip(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]ask.Policy{
		`null`: {},
		`["not_requester","slack:U1","discord-role:7","odd"]`: ask.PolicyOf("not_requester", "slack:U1", "discord-role:7", "odd"),
		`[["slack-group:S1"],["slack:U1"]]`:                   ask.PolicyOf("slack-group:S1").Narrow(ask.PolicyOf("slack:U1")),
	} {
		data, err := json.Marshal(p)
		if err != nil || string(data) != want {
			t.Errorf("marshaled %s, %v; want %s", data, err, want)
		}
		var back ask.Policy
		if err := json.Unmarshal(data, &back); err != nil || !back.Equal(p) {
			t.Errorf("%s unmarshaled as %s, %v", data, back, err)
		}
	}
	var p ask.Policy
	if err := json.Unmarshal([]byte(`{"all": true}`), &p); err == nil {
		t.Errorf("unmarshaled %s from an invalid policy", p)
	}
}
