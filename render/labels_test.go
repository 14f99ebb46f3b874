package render_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// checkLabels checks that no option could be taken for a button of the bridge on the same card: if one could, the
// options of its question are numbered, which no button of the bridge is.
func checkLabels(t reporter, c render.Card) {
	t.Helper()
	words := func(label string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, label)
	}
	// Skip is a button only of the questions that can be skipped.
	ours := map[string]bool{}
	skips := map[int]string{}
	for _, b := range buttons(c) {
		switch b.Token.Verb {
		case render.Choose, render.Drop, render.Follow:
			continue
		case render.Skip, render.Unskip:
			skips[b.Token.Question] = words(b.Label)
		default:
			ours[words(b.Label)] = true
		}
		if numbered(b.Label) {
			t.Errorf("the button %q is numbered", b.Label)
		}
	}
	for question, labels := range optionsByQuestion(c) {
		for _, label := range labels {
			if w := words(label); ours[w] || skips[question] == w && w != "" {
				t.Errorf("the option %q is like a button of the bridge", label)
			}
		}
	}
}

// numbered reports whether a label is a number, or begins with one.
func numbered(label string) bool {
	number, _, _ := strings.Cut(label, ". ")
	return number != "" && strings.Trim(number, "0123456789") == ""
}

// A single tap on what looks like "Submit" could choose what the agent wanted to
// be chosen.
func TestAgentCannotImitateBridgeButton(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"Submit", "submit", "SUBMIT", "✓ Submit", "✔ Submit", "✔\ufe0f Submit", "☑ Submit", "✅ Submit", "√ Submit", "v Submit", "Submit ✓", "Submit…", "Submit!", "S u b m i t",
		"Ѕubmіt", "Ｓｕｂｍｉｔ", "𝐒𝐮𝐛𝐦𝐢𝐭", "Ⓢⓤⓑⓜⓘⓣ", "Su\u200bbmit", "Subm1t", "Sub\u0301mit", "> Submit", "Dismiss", "✕ Dismiss", "x Dismiss", "× Dismiss", "✖ Dismiss…", "Ⅹ Dismiss",
		"㐅 Dismiss", "Other", "Other…", "0ther", "✍ Other", "Answer", "Next ›", "next", "< Back", "« Back", "Read in full",
		"More…", "More", "Mоre…", "⋯ More", "I'm on it", "I’m on it!", "Take back my vote", "Ask the agent", "Undo", "Details", "⇗ Docs", "➜ Docs",
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
					if !numbered(shown) {
						t.Errorf("%s, %s: the option %q is shown as %q", platform, name, label, shown)
					}
				}
				checkLabels(t, render.Layout(s, l))
			}
			form := render.AnswerForm(render.Subject{Questions: []ask.Question{{Text: "Go?", Options: options}}})
			if shown := optionLabels(render.Card{Sections: form.Sections}); !strings.HasPrefix(shown[1], "2. ") {
				t.Errorf("%s: the form shows the option %q as %q", platform, label, shown[1])
			}
		}
	}
}

func TestOptionSkipIsNumbered(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Skip", "skip", "» Skip", "Sk1p", "Skipped"} {
		for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
			q := ask.Question{Text: "Go?", Options: []ask.Option{{Label: "Go"}, {Label: label}}, Optional: true}
			card := render.Layout(render.Subject{ID: "p01x", Questions: []ask.Question{q}, Eligible: anyone}, l)
			if got := optionLabels(card); !strings.HasPrefix(got[1], "2. ") {
				t.Errorf("%s: the option %q is shown as %q", l.Platform, label, got[1])
			}
			checkLabels(t, card)
		}
	}
}

func TestOrdinaryOptionIsUnchanged(t *testing.T) {
	t.Parallel()
	for _, label := range []string{
		"Yes", "Postgres", "Submit all", "Do not submit", "Dismiss the alert", "Other regions", "Go back", "Reply to all", "The answer", "/var/log", ".env", "-f", "(none)", "$5", "+1", "\"quoted\"",
		"#general", "@team", "3 of 5", "是", "да", "Ünder", "שלום", "Cancel", "Next week", "?",
		"Skip", "Skipped", "Note", "More tests", "One more", "Ask Kim", "✅ Approve", "🚀 Ship it", "❌ Reject", "✓ Yes",
	} {
		s := render.Subject{ID: "p01x", Questions: []ask.Question{{Text: "Go?", Options: []ask.Option{{Label: label}, {Label: "No"}}}}, Eligible: anyone}
		if got := optionLabels(render.Layout(s, blockkit.Limits())); !slices.Equal(got, []string{label, "No"}) {
			t.Errorf("%q is shown as %q", label, got)
		}
	}
}

func TestBridgeButtonsAreDistinctFromOptions(t *testing.T) {
	t.Parallel()
	pieces := append([]string{
		"Submit", "Dismiss", "Reply", "Other", "Answer", "Next", "Back", "Read in full", "More", "I'm on it", "…", "✓", "✎", "⇗", "Skip", "Note", " ", "\u200b", "\u2068", "\ufe0f", "x", "1", ".", "É",
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
			checkLabels(t, render.Layout(s, l))
		}
		checkLabels(t, render.Card{Sections: render.AnswerForm(s).Sections})
	})
}

// optionLabels is what a card shows of the agent's options on its controls.
func optionLabels(c render.Card) []string {
	var all []string
	by := optionsByQuestion(c)
	for _, question := range slices.Sorted(maps.Keys(by)) {
		all = append(all, by[question]...)
	}
	return all
}

// optionsByQuestion is what a card shows of the agent's options on its controls, by question.
func optionsByQuestion(c render.Card) map[int][]string {
	all := map[int][]string{}
	for _, sec := range c.Sections {
		for _, b := range sec.Buttons {
			if b.Token.Verb == render.Choose || b.Token.Verb == render.Drop {
				all[b.Token.Question] = append(all[b.Token.Question], b.Label)
			}
		}
		if sec.List != nil {
			for _, item := range sec.List.Items {
				all[sec.List.Token.Question] = append(all[sec.List.Token.Question], item.Label)
			}
		}
	}
	return all
}
