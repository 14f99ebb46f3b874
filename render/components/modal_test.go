package components_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	dgo "github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

func TestModalIDIsUnique(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", render.MaxToken-len("1::W:12:-1"))
	for name, request := range map[string]string{"a request": "p01r3v7k2m9qxw", "a long id": long, "an id that leaves little room": long[5:]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := render.WriteForm(render.Subject{ID: request}, 12)
			seen := map[string]bool{}
			for _, unique := range []string{"", "1300000000000000001", "1300000000000000002"} {
				m := components.Modal(f, unique)
				if len(m.CustomID) > components.MaxID {
					t.Errorf("custom_id of %d characters", len(m.CustomID))
				}
				got, err := components.ModalToken(m.CustomID)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(f.Token, got); diff != "" {
					t.Error(diff)
				}
				seen[m.CustomID] = true
			}
			if room := components.MaxID - len(f.Token.String()); room > 1 && len(seen) != 3 {
				t.Errorf("modals share an id: %v", seen)
			}
		})
	}
}

func TestForeignModalIDsAreRejected(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", ":", "feedback", "3:p01x:W:0:-1:1", "1:p01x:W:0", "1:p01x:z:0:-1:1", strings.Repeat(":", 200)} {
		if got, err := components.ModalToken(id); !errors.Is(err, render.ErrToken) {
			t.Errorf("ModalToken(%q) = %+v, %v", id, got, err)
		}
	}
}

func FuzzModalToken(f *testing.F) {
	f.Add("1:p01x:W:0:-1:1300000000000000001")
	f.Add("1:p01x:W:0:-1")
	f.Add("1:p01x:W:0:-1:")
	f.Fuzz(func(t *testing.T, id string) {
		token, err := components.ModalToken(id)
		switch {
		case err != nil && !errors.Is(err, render.ErrToken):
			t.Errorf("error %v", err)
		case err == nil && !strings.HasPrefix(id, token.String()):
			t.Errorf("%q gave %q", id, token)
		}
	})
}

func TestModalInputHasNoOwnLabel(t *testing.T) {
	t.Parallel()
	s := render.Subject{
		ID: "p01x", Agent: "bot", Questions: []ask.Question{{Text: "Which?", Options: []ask.Option{{Label: "A"}, {Label: "B"}}}},
		Draft: ask.Draft{0: {Other: "C"}},
	}
	raw, err := json.MarshalIndent(components.Modal(render.WriteForm(s, 0), "7").Components, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `[
 {
  "content": "-# **bot** asks\nWhich?",
  "type": 10
 },
 {
  "type": 18,
  "label": "Other answer",
  "component": {
   "type": 4,
   "custom_id": "1:p01x:W:0:-1",
   "style": 2,
   "value": "C",
   "required": false,
   "min_length": 0,
   "max_length": 3000
  }
 }
]`
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Error(diff)
	}
}

func TestModalDoesNotChangeItsForm(t *testing.T) {
	t.Parallel()
	s := render.Subject{ID: "p01x", Questions: []ask.Question{{Text: strings.Repeat("long ", 1000)}}}
	f, again := render.WriteForm(s, 0), render.WriteForm(s, 0)
	components.Modal(f, "1")
	if diff := cmp.Diff(again, f); diff != "" {
		t.Errorf("the form changed:\n%s", diff)
	}
}

func TestTruncatedFormTextHasNoMentions(t *testing.T) {
	t.Parallel()
	text := []render.Span{{Text: strings.Repeat("word ", 295)}, {Style: render.Link, Text: "https://x.example/" + strings.Repeat("a", 100)}, {Text: " and more"}}
	data := components.Modal(render.Form{Sections: []render.Section{{Kind: render.Body, ID: "b", Text: text}}}, "")
	content := data.Components[0].(dgo.TextDisplay).Content
	if strings.Contains(content, "<https:") || !strings.Contains(content, "https") || strings.Contains(content, "and more") {
		t.Errorf("live, or not cut: %q", content[len(content)-100:])
	}
}
