package slack

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

const rid = "p0ABCDEFGHIJKLMNOPQRSTUVWXYZ"

var (
	ourHome = home{team: "T0000001", guests: true, app: "A0000001", botUser: "U0000BOT", botID: "B0000001"}
	dana    = ask.Person{Platform: Name, ID: "U0000001", Name: "dana"}
	robin   = ask.Person{Platform: Name, ID: "U0000009", Name: "robin"}
	card    = platform.MessageRef{Platform: Name, Channel: "C0000001", Message: "1712345678.000100"}
)

func token(v render.Verb, q, o int) render.Token {
	return render.Token{Request: rid, Verb: v, Question: q, Option: o}
}

func TestDecodePayloads(t *testing.T) {
	t.Parallel()
	received := arrival{at: time.Unix(1712345699, 500_000_000), sent: 1712345699}
	for name, want := range map[string]platform.Interaction{
		"button": {Order: 1712345690123456, Person: dana, Token: token(render.Choose, 0, 1), Message: card},
		"checkboxes_beside_unknown_blocks": {
			Order: 1712345691500000, Person: dana, Token: token(render.Pick, 1, -1), Message: card,
			Picks: map[int][]int{0: {}, 1: {0, 2}, 2: {1}},
		},
		"radio_without_state": {
			Order: 1712345692000001, Person: dana, Token: token(render.Pick, 0, -1), Message: card, Picks: map[int][]int{0: {1}},
		},
		"ephemeral": {Order: 1712345693000001, Person: dana, Token: token(render.Submit, -1, -1), Message: card, Private: true},
		"ephemeral_about_a_card": {
			Order: 1712345693000001, Person: dana, Token: token(render.Submit, -1, -1), Private: true,
			Message: platform.MessageRef{Platform: Name, Channel: "C0000001", Message: "1712345600.000200"},
		},
		"ephemeral_about_another_channel": {
			Order: 1712345693000001, Person: dana, Token: token(render.Submit, -1, -1), Private: true,
			Message: platform.MessageRef{Platform: Name, Channel: "C0000001", Message: "1712345692.000009"},
		},
		"button_with_a_value": {
			Order: 1712345693000001, Person: dana, Token: token(render.Submit, -1, -1),
			Message: platform.MessageRef{Platform: Name, Channel: "C0000001", Message: "1712345692.000009"},
		},
		"slack_connect": {Order: 1712345695000001, Person: robin, Membership: ask.Outsider, Token: token(render.Choose, 0, 0), Message: card},
		"form": {
			Order: 1712345699500000, Person: dana, Token: token(render.SubmitText, 1, -1),
			Texts: map[int]string{1: "CockroachDB & co"},
		},
		"form_from_a_thread": {
			Order: 1712345699500000, Person: dana, Token: token(render.SubmitText, 1, -1), Message: card,
			Texts: map[int]string{1: "CockroachDB & co"},
		},
		"form_with_every_question": {
			Order: 1712345699500000, Person: dana, Token: token(render.AnsweredAll, -1, -1),
			Picks: map[int][]int{0: {1}, 1: {}}, Texts: map[int]string{0: "", 1: "something else", 2: "text only"},
		},
		"form_of_a_visitor": {
			Order: 1712345699500000, Person: robin, Membership: ask.Outsider, Token: token(render.SubmitText, 1, -1),
			Texts: map[int]string{1: "CockroachDB & co"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := decode(payloadFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.interaction(ourHome, received, new(clock))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.ID) < 16 {
				t.Errorf("ID = %q", got.ID)
			}
			if want.Membership == ask.Unknown {
				want.Membership = ask.Member
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(platform.Interaction{}, "ID")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestOrganizationMembersAreNotOutsiders(t *testing.T) {
	t.Parallel()
	p, err := decode(payloadFile(t, "organisation_install"))
	if err != nil {
		t.Fatal(err)
	}
	us := ourHome
	us.enterprise = "E0000001"
	if i, err := p.interaction(us, arrival{}, new(clock)); err != nil || i.Membership != ask.Unknown {
		t.Errorf("membership of a person in another workspace of the organization: %q, %v", i.Membership, err)
	}
	us.wide, p.User.TeamID = true, "E0000001"
	if i, err := p.interaction(us, arrival{}, new(clock)); err != nil || i.Membership != ask.Member {
		t.Errorf("where the organisation was asked its people are %q: %v", i.Membership, err)
	}
	us.guests = false
	if i, err := p.interaction(us, arrival{}, new(clock)); err != nil || i.Membership != ask.Insider {
		t.Errorf("where guests are refused its people are %q before they are looked up: %v", i.Membership, err)
	}
}

func TestMembershipIsUnknownBeforeAuthTest(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"button", "slack_connect", "form", "form_of_a_visitor", "organisation_install"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := decode(payloadFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if i, err := p.interaction(home{guests: true}, arrival{}, new(clock)); err != nil || i.Membership != ask.Unknown {
				t.Errorf("membership = %q, %v", i.Membership, err)
			}
		})
	}
}

// Members may answer if anyone may.
func TestMembershipUsesInstalledWorkspace(t *testing.T) {
	t.Parallel()
	const ours, theirs, org = "T0000001", "T0000002", "E0000001"
	alone, within, wide := home{team: ours}, home{team: ours, enterprise: org}, home{team: ours, enterprise: org, wide: true}
	for _, tt := range []struct {
		name            string
		us              home
		person, org, in string
		want            ask.Membership
	}{
		{"of our workspace", alone, ours, "", ours, ask.Insider},
		{"of another one, where ours is alone", alone, theirs, "", ours, ask.Outsider},
		{"of no workspace that is told", alone, "", "", ours, ask.Unknown},
		{"of no workspace that is told, in an organisation", wide, "", org, ours, ask.Unknown},
		{"of another workspace of our organisation, there", within, theirs, org, theirs, ask.Unknown},
		{"of our organisation, where one workspace was asked", within, org, org, ours, ask.Unknown},
		{"of another workspace of our organisation, there, where all of it was asked", wide, theirs, org, theirs, ask.Insider},
		{"the same, in a channel of ours", wide, theirs, org, ours, ask.Unknown},
		{"of our organisation, where all of it was asked", wide, org, org, ours, ask.Insider},
		{"of another organisation, there", wide, theirs, "E0000002", theirs, ask.Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p payload
			p.User.ID, p.User.TeamID, p.Enterprise.ID, p.Team.ID = "U0000001", tt.person, tt.org, tt.in
			if got := p.membership(tt.us); got != tt.want {
				t.Errorf("is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestForeignInteractionsAreIgnored(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"another_workspace": errForeign, "another_app": errForeign, "foreign_button": errUnknown, "form_closed": errUnwanted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := decode(payloadFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if i, err := p.interaction(ourHome, arrival{}, new(clock)); !errors.Is(err, want) {
				t.Errorf("interaction = %v, %v, want %v", i, err, want)
			}
		})
	}
}

func TestBotsAreMarked(t *testing.T) {
	t.Parallel()
	for name, who := range map[string]string{
		"flagged": `{"id":"U0000777","team_id":"T0000001","is_bot":true}`, "slackbot": `{"id":"USLACKBOT","team_id":"T0000001"}`,
		"ourselves": `{"id":"U0000BOT","team_id":"T0000001"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := decode(payloadFile(t, "button"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(who), &p.User); err != nil {
				t.Fatal(err)
			}
			i, err := p.interaction(ourHome, arrival{}, new(clock))
			if err != nil || !i.Bot {
				t.Errorf("Bot = %v, %v", i.Bot, err)
			}
		})
	}
}

func TestActionIDsIdentifyDeliveries(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range []string{
		"button", "checkboxes_beside_unknown_blocks", "radio_without_state", "ephemeral", "slack_connect", "form",
		"form_with_every_question", "form_of_a_visitor",
	} {
		for delivery, received := range []arrival{{at: time.Unix(1712345700, 0)}, {at: time.Unix(1712345900, 0), sent: 1712345900}} {
			p, err := decode(payloadFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			i, err := p.interaction(ourHome, received, new(clock))
			if err != nil {
				t.Fatal(err)
			}
			if delivery == 0 && seen[i.ID] != "" {
				t.Errorf("%s and %s have the same ID", name, seen[i.ID])
			}
			if delivery == 1 && seen[i.ID] != name {
				t.Errorf("the second delivery of %s has another ID", name)
			}
			seen[i.ID] = name
		}
	}
}

// A form that came back with a complaint has the same view when it is sent
// again, and may even say the same.
func TestResubmittedFormIsNewAction(t *testing.T) {
	t.Parallel()
	raw := payloadFile(t, "form")
	id := func(raw []byte) string {
		p, err := decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		i, err := p.interaction(ourHome, arrival{}, new(clock))
		if err != nil {
			t.Fatal(err)
		}
		return i.ID
	}
	if id(raw) == id([]byte(strings.Replace(string(raw), "CockroachDB & co", "CockroachDB", 1))) {
		t.Error("the mended form has the same ID")
	}
	if id(raw) == id([]byte(strings.Replace(string(raw), `"trigger_id": "`, `"trigger_id": "9`, 1))) {
		t.Error("the form that was sent unchanged once more has the same ID")
	}
}

func TestUnexpectedMembersDoNotLoseClick(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"team is text":           {`"team": {`, `"team": "T0000001", "other": {`},
		"enterprise is a number": {`"enterprise": null`, `"enterprise": 7`},
		"state is a list":        {`"state": {`, `"state": [1], "other": {`},
		"message is a number":    {`"message": {`, `"message": 1, "other": {`},
		"name is an object":      {`"name": "dana"`, `"name": {"first":"dana"}`},
		"a value is an object":   {`"type": "button"`, `"type": "button", "value": {"a":1}, "selected_options": {"b":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := string(payloadFile(t, "button"))
			if !strings.Contains(raw, change[0]) {
				t.Fatalf("the payload has no %s", change[0])
			}
			p, err := decode([]byte(strings.Replace(raw, change[0], change[1], 1)))
			if err != nil {
				t.Fatal(err)
			}
			i, err := p.interaction(ourHome, arrival{}, new(clock))
			if err != nil || i.Person.ID != "U0000001" || i.Token != token(render.Choose, 0, 1) {
				t.Errorf("interaction = %+v, %v", i, err)
			}
		})
	}
}

func TestComplaintsNameInputBlocks(t *testing.T) {
	t.Parallel()
	p, err := decode(payloadFile(t, "form_with_every_question"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{0: "q0", 1: "q1", 2: "w2"}
	if diff := cmp.Diff(want, p.View.State.inputs(rid)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{
		"button", "checkboxes_beside_unknown_blocks", "radio_without_state", "ephemeral", "organisation_install",
		"slack_connect", "form", "form_from_a_thread", "form_with_every_question", "form_closed",
	} {
		f.Add(payloadFile(f, name))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := decode(raw)
		if err != nil {
			return
		}
		i, err := p.interaction(ourHome, arrival{at: time.Unix(1712345678, 0)}, new(clock))
		if err != nil {
			return
		}
		if i.ID == "" || i.Person.ID == "" || i.Token.Request == "" || i.Order < 0 {
			t.Errorf("incomplete: %+v", i)
		}
		for q, picks := range i.Picks {
			if picks == nil {
				t.Errorf("question %d has no selection, not even an empty one", q)
			}
			for _, o := range picks {
				if o < 0 {
					t.Errorf("question %d has option %d", q, o)
				}
			}
		}
		p.View.State.inputs(i.Token.Request)
	})
}
