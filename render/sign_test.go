package render_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// ofBridge are the verbs of the bridge's own buttons.
var ofBridge = []render.Verb{render.OpenText, render.Answer, render.Submit, render.Dismiss, render.TurnPage, render.ShowFull, render.Skip, render.Unskip, render.OpenNote}

// signed checks that every button which begins with a sign is the bridge's, and
// every other control is an option.
func signed(t reporter, c render.Card) {
	t.Helper()
	begins := func(label string) bool {
		first, _ := utf8.DecodeRuneInString(label)
		return strings.ContainsRune(render.Signs, first)
	}
	for _, sec := range c.Sections {
		for _, b := range sec.Buttons {
			if ours := slices.Contains(ofBridge, b.Token.Verb); ours != begins(b.Label) {
				t.Errorf("the button %q of verb %q begins with a sign: %t", b.Label, b.Token.Verb, !ours)
			}
		}
		if sec.List == nil {
			continue
		}
		for n, item := range sec.List.Items {
			if skips := n == len(sec.List.Items)-1 && item.Description == "Leave this question unanswered"; begins(item.Label) && !skips {
				t.Errorf("the entry %q begins with a sign", item.Label)
			}
		}
	}
}

// A single tap on what looks like "Submit" could choose what the agent wanted to
// be chosen.
func TestAnAgentCannotLabelAnOptionAsAButtonOfTheBridge(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"Submit", "submit", "SUBMIT", "✓ Submit", "✔ Submit", "✔\ufe0f Submit", "☑ Submit", "✅ Submit", "√ Submit", "v Submit", "Submit ✓", "Submit…", "Submit!", "S u b m i t",
		"Ѕubmіt", "Ｓｕｂｍｉｔ", "𝐒𝐮𝐛𝐦𝐢𝐭", "Ⓢⓤⓑⓜⓘⓣ", "Su\u200bbmit", "Subm1t", "Sub\u0301mit", "> Submit", "Dismiss", "✕ Dismiss", "x Dismiss", "× Dismiss", "✖ Dismiss…", "Ⅹ Dismiss",
		"㐅 Dismiss", "Reply…", "Reply...", "✎ Reply", "✏\ufe0f Reply…", "Other", "Other…", "0ther", "✍ Other", "Answer", "Next ›", "next", "< Back", "« Back", "Read in full", "¶ Yes",
	} {
		for platform, l := range map[string]render.Limits{"Slack": blockkit.Limits(), "Discord": components.Limits()} {
			options := []ask.Option{{Label: "Go"}, {Label: label}}
			for name, s := range map[string]render.Subject{
				"alone":             {Questions: []ask.Question{{Text: "Go?", Options: options}}},
				"among several":     {Questions: []ask.Question{{Text: "Go?", Options: options}, {Text: "Why?"}}},
				"where several may": {Questions: []ask.Question{{Text: "Go?", MultiSelect: true, Options: options}}},
			} {
				s.ID, s.Eligible = "p01x", anyone
				for _, shown := range optionLabels(render.Layout(s, l)) {
					if !strings.HasPrefix(shown, "1. ") && !strings.HasPrefix(shown, "2. ") {
						t.Errorf("%s, %s: the option %q is shown as %q", platform, name, label, shown)
					}
				}
				signed(t, render.Layout(s, l))
			}
			form := render.AnswerForm(render.Subject{Questions: []ask.Question{{Text: "Go?", Options: options}}})
			if shown := optionLabels(render.Card{Sections: form.Sections}); !strings.HasPrefix(shown[1], "2. ") {
				t.Errorf("%s: the form shows the option %q as %q", platform, label, shown[1])
			}
		}
	}
}

func TestAnOptionCalledSkipIsNumberedWhereTheBridgeHasOne(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Skip", "skip", "» Skip", "Sk1p", "Skipped", "Note…"} {
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			q := ask.Question{Text: "Go?", Options: []ask.Option{{Label: "Go"}, {Label: label}}, Optional: true}
			card := render.Layout(render.Subject{ID: "p01x", Questions: []ask.Question{q}, Eligible: anyone}, l)
			if got := optionLabels(card); !strings.HasPrefix(got[1], "2. ") {
				t.Errorf("%s: the option %q is shown as %q", l.Platform, label, got[1])
			}
			signed(t, card)
		}
	}
}

func TestAnOptionThatIsLikeNoButtonStandsAsItIs(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"Yes", "Postgres", "Submit all", "Do not submit", "Dismiss the alert", "Other regions", "Go back", "Reply to all", "The answer", "/var/log", ".env", "-f", "(none)", "$5", "+1", "\"quoted\"",
		"#general", "@team", "3 of 5", "是", "да", "Ünder", "שלום", "Cancel", "Next week", "?",
		"Skip", "Skipped", "Note",
	} {
		s := render.Subject{ID: "p01x", Questions: []ask.Question{{Text: "Go?", Options: []ask.Option{{Label: label}, {Label: "No"}}}}, Eligible: anyone}
		if got := optionLabels(render.Layout(s, blockkit.Limits())); !slices.Equal(got, []string{label, "No"}) {
			t.Errorf("%q is shown as %q", label, got)
		}
	}
}

func TestWhateverTheLabelsTheBridgesButtonsAreToldApart(t *testing.T) {
	t.Parallel()
	pieces := append([]string{
		"Submit", "Dismiss", "Reply", "Other", "Answer", "Next", "Back", "Read in full", "…", "✓", "✎", "✕", "‹", "›", "¶", "»", "Skip", "Note", " ", "\u200b", "\u2068", "\ufe0f", "x", "1", ".", "É",
	}, nasty...)
	label := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 4).Draw(t, "pieces"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		s := render.Subject{ID: "p01x", Eligible: anyone, Plain: rapid.Bool().Draw(t, "plain")}
		for range rapid.IntRange(1, 7).Draw(t, "questions") {
			q := ask.Question{Text: "Go?", MultiSelect: rapid.Bool().Draw(t, "multi"), Optional: rapid.Bool().Draw(t, "optional")}
			for range rapid.IntRange(0, 3).Draw(t, "options") {
				q.Options = append(q.Options, ask.Option{Label: label.Draw(t, "label")})
			}
			s.Questions = append(s.Questions, q)
		}
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			signed(t, render.Layout(s, l))
		}
		signed(t, render.Card{Sections: render.AnswerForm(s).Sections})
	})
}

// No sign may turn into a picture on a phone, or be no sign at all.
func TestTheSignsAreDrawnAsText(t *testing.T) {
	t.Parallel()
	for _, r := range render.Signs {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r > 0x2fff || slices.Contains([]rune("✔✖✏↩"), r) {
			t.Errorf("%q is no sign", r)
		}
	}
}

// optionLabels is what a card shows of the agent's options on its controls.
func optionLabels(c render.Card) []string {
	var all []string
	for _, sec := range c.Sections {
		for _, b := range sec.Buttons {
			if b.Token.Verb == render.Choose || b.Token.Verb == render.Drop {
				all = append(all, b.Label)
			}
		}
		if sec.List != nil {
			for _, item := range sec.List.Items {
				all = append(all, item.Label)
			}
		}
	}
	return all
}
