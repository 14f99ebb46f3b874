package discord

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

const (
	rid   = "p0ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	ourID = "600000000000000001"
)

var (
	dana = ask.Person{Platform: Name, ID: "300000000000000001", Name: "Dana"}
	kim  = ask.Person{Platform: Name, ID: "300000000000000003", Name: "Kim"}
	card = platform.MessageRef{Platform: Name, Channel: "200000000000000001", Message: "1299999999999999999"}
)

func token(v render.Verb, q, o int) render.Token {
	return render.Token{Request: rid, Verb: v, Question: q, Option: o}
}

func payloadFile(tb testing.TB, name string) []byte {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "payloads", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func TestDecodePayloads(t *testing.T) {
	t.Parallel()
	const pressed, sent = 1300000000000000001, 1300000000000000002
	deployers := []string{"discord-role:400000000000000001"}
	for name, want := range map[string]platform.Interaction{
		"button": {Order: pressed, Person: kim, Groups: deployers, Token: token(render.Choose, 0, 1), Message: card},
		"button_in_a_direct_message": {
			Order: pressed, Person: dana, Token: token(render.Choose, 0, 0),
			Message: platform.MessageRef{Platform: Name, Channel: "700000000000000001", Message: card.Message},
		},
		"button_of_somebody_with_a_nickname": {
			Order: pressed, Person: ask.Person{Platform: Name, ID: dana.ID, Name: "Dana (ops)"},
			Token: token(render.Submit, -1, -1), Message: card,
		},
		"button_of_a_bot":          {Order: pressed, Person: dana, Bot: true, Token: token(render.Choose, 0, 1), Message: card},
		"button_on_a_private_note": {Order: pressed, Person: kim, Groups: deployers, Token: token(render.TurnPage, 1, -1), Message: card, Private: true},

		"button_on_a_private_message_about_a_card": {Order: pressed, Person: kim, Groups: deployers, Token: token(render.TurnPage, 1, -1), Message: card, Private: true},
		"menu": {
			Order: pressed, Person: kim, Groups: deployers, Token: token(render.Pick, 1, -1), Message: card,
			Picks: map[int][]int{1: {2, 0}},
		},
		"menu_emptied": {
			Order: pressed, Person: kim, Groups: deployers, Token: token(render.Pick, 1, -1), Message: card,
			Picks: map[int][]int{1: {}},
		},
		"menu_with_odd_values": {
			Order: pressed, Person: kim, Groups: deployers, Token: token(render.Pick, 1, -1), Message: card,
			Picks: map[int][]int{1: {1}},
		},
		"form": {
			Order: sent, Person: kim, Groups: deployers, Token: token(render.SubmitText, 1, -1), Message: card,
			Texts: map[int]string{1: "CockroachDB & <@300000000000000001>"}, Opened: pressed,
		},
		"form_of_rows": {
			Order: sent, Person: kim, Groups: deployers, Token: token(render.SubmitText, 1, -1), Message: card,
			Texts: map[int]string{1: "MySQL"}, Opened: pressed,
		},
		"form_with_every_kind": {
			Order: sent, Person: kim, Groups: deployers, Token: token(render.AnsweredAll, -1, -1), Message: card,
			Picks: map[int][]int{0: {1}, 1: {}, 2: {0, 2}, 3: {3}}, Texts: map[int]string{4: ""}, Opened: pressed,
		},
		"form_without_a_message": {Order: pressed, Person: kim, Groups: deployers, Token: token(render.SubmitText, 0, -1), Opened: pressed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := decode(payloadFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.interaction(ourID)
			if err != nil {
				t.Fatal(err)
			}
			want.ID, want.Language = "discord:"+p.ID, "en-GB"
			if name != "button_in_a_direct_message" {
				want.Membership = ask.Member
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestOtherApplicationsAreIgnored(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"another_application": errForeign,
		"foreign_button":      errUnknown,
		"command":             errUnwanted,
		"ping":                errUnwanted,
		"without_a_token":     errUnwanted,
		"without_a_person":    errUnwanted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := decode(payloadFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if i, err := p.interaction(ourID); !errors.Is(err, want) {
				t.Errorf("interaction = %+v, %v, want %v", i, err, want)
			}
		})
	}
}

func TestMembership(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		payload, old, changed string // what is changed in the payload
		application           string
		want                  ask.Membership
	}{
		"a member":                              {"button", "", "", ourID, ask.Member},
		"a guest of a voice channel":            {"button", `"flags": 0`, `"flags": 18`, ourID, ask.Guest},
		"before we know who we are":             {"button", "", "", "", ask.Unknown},
		"a person in their own direct messages": {"button_in_a_direct_message", "", "", ourID, ask.Unknown},
		"a member of no server":                 {"button", `"guild_id"`, `"guild"`, ourID, ask.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := string(payloadFile(t, tc.payload))
			if !strings.Contains(raw, tc.old) {
				t.Fatalf("the payload has no %s", tc.old)
			}
			p, err := decode([]byte(strings.Replace(raw, tc.old, tc.changed, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if i, err := p.interaction(tc.application); err != nil || i.Membership != tc.want {
				t.Errorf("membership %q, %v, want %q", i.Membership, err, tc.want)
			}
		})
	}
}

func TestUnexpectedMembersDoNotLoseClick(t *testing.T) {
	t.Parallel()
	raw := strings.Replace(string(payloadFile(t, "button")), `"flags": 32768`, `"flags": "many"`, 1)
	raw = strings.Replace(raw, `"nick": null`, `"nick": {"first": "Kim"}`, 1)
	p, err := decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.interaction(ourID); err != nil || got.Person != kim || got.Message != card {
		t.Errorf("interaction = %+v, %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/payloads/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no payloads: %v", err)
	}
	for _, file := range files {
		f.Add(payloadFile(f, strings.TrimSuffix(filepath.Base(file), ".json")))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := decode(raw)
		if err != nil {
			return
		}
		i, err := p.interaction(ourID)
		if err != nil {
			return
		}
		if i.ID == "" || i.Person.ID == "" || i.Token.Request == "" || i.Order <= 0 || p.Token == "" {
			t.Errorf("incomplete: %+v", i)
		}
		if (i.Message == platform.MessageRef{}) == snowflake.MatchString(i.Message.Message) {
			t.Errorf("half a place: %+v", i.Message)
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
	})
}
