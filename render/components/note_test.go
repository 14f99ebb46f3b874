package components_test

import (
	"strings"
	"testing"

	dgo "github.com/bwmarrin/discordgo"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/components"
)

// note is a note's messages as text.
func note(t *testing.T, text string, who ...string) []string {
	t.Helper()
	var out []string
	for _, message := range components.Note(text, eligible("discord", who...), "") {
		if len(message) != 1 {
			t.Fatalf("%d components in a message", len(message))
		}
		display, ok := message[0].(dgo.TextDisplay)
		if !ok {
			t.Fatalf("a note in a %T", message[0])
		}
		if n := render.Units(display.Content); n == 0 || n > components.MaxText || len(display.Content)+components.TextOverhead > components.MaxBytes {
			t.Errorf("%d characters, %d bytes", n, len(display.Content))
		}
		out = append(out, display.Content)
	}
	return out
}

func TestNoteMentionsPeopleAndRoles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		who  []string
		want string
	}{
		"nobody":                     {"Too late.", nil, "Too late."},
		"a person":                   {"It is for:", []string{"discord:1"}, "It is for: <@1>"},
		"a role":                     {"It is for:", []string{"discord-role:2"}, "It is for: <@&2>"},
		"people of both platforms":   {"It is for:", []string{"discord:1", "slack:U0000001"}, "It is for: <@1> or 1 more person on Slack"},
		"a user group":               {"It is for:", []string{"slack-group:S0000001"}, "It is for: 1 group on Slack"},
		"many":                       {"It is for:", []string{"discord:1", "discord:2", "discord:3", "discord:4", "discord:5", "discord:6", "discord:7"}, "It is for: <@1>, <@2>, <@3>, <@4>, <@5>, <@6> or 1 other"},
		"an id that is none":         {"It is for:", []string{"discord:@everyone"}, `It is for: \@everyone`},
		"a mention inside the text":  {"<@1> said @here", nil, `\<\@1\> said \@here`},
		"names alone":                {"", []string{"discord:1"}, "<@1>"},
		"invisible and blank things": {"a\u202e\n\n\n\nb", nil, "a\n\nb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := note(t, tt.text, tt.who...); len(got) != 1 || got[0] != tt.want {
				t.Errorf("note %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLongNoteIsSplitBetweenWords(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("word ", 50)
	tests := map[string]struct {
		text string
		want int
	}{
		"nothing":               {"", 0},
		"lines":                 {strings.Repeat(line+"\n", 40), 3},
		"words":                 {strings.Repeat("word ", 2000), 3},
		"one word":              {strings.Repeat("x", 9000), 3},
		"characters of 3 bytes": {strings.Repeat("漢", 9000), 3},
		"escapes":               {strings.Repeat("*", 6000), 3},
		"one endless character": {strings.Repeat("👩\u200d", 4000) + "👩", 4},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := note(t, tt.text)
			if len(got) != tt.want {
				t.Errorf("%d messages, want %d", len(got), tt.want)
			}
			whole := strings.NewReplacer(" ", "", "\n", "", `\`, "")
			if whole.Replace(strings.Join(got, "")) != whole.Replace(render.Clean(tt.text)) {
				t.Errorf("text was lost")
			}
			for _, part := range got[:max(0, len(got)-1)] {
				if strings.Contains(tt.text, "\n") && !strings.HasSuffix(part, "word") {
					t.Errorf("parted inside a line: …%q", part[len(part)-20:])
				}
			}
		})
	}
}

func TestNamesThatDoNotFitGetAnotherMessage(t *testing.T) {
	t.Parallel()
	got := note(t, strings.Repeat("x", components.MaxText), "discord:1")
	if len(got) != 2 || got[1] != "<@1>" {
		t.Errorf("%d messages, the last %q", len(got), got[len(got)-1])
	}
}

// eligible are people and groups that can answer on a platform; those of others are counted.
func eligible(platform string, who ...string) (e ask.Eligible) {
	for _, one := range who {
		entry, _ := ask.ParseEntry(one)
		p := ask.Person{Platform: entry.Prefix(), ID: entry.ID}
		switch {
		case entry.Platform == platform:
			e.Who = append(e.Who, ask.Answerer{Person: p})
		case len(e.Elsewhere) == 0:
			e.Elsewhere = []ask.Elsewhere{{Platform: entry.Platform}}
			fallthrough
		default:
			if there := &e.Elsewhere[0]; entry.Kind == "" {
				there.People = append(there.People, p)
			} else {
				there.Groups++
			}
		}
	}
	return e
}
