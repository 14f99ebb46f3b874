package render_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
	"github.com/askbridge/askbridge/test/golden"
)

// platformLimits are those of the platforms.
var platformLimits = []render.Limits{blockkit.Limits(), components.Limits()}

// choices are the verbs of controls that answer something, or lead to where it is answered.
var choices = []render.Verb{
	render.Choose, render.OpenConfirm, render.Drop, render.OpenText, render.Skip, render.Unskip, render.Answer, render.Submit, render.TurnPage, render.ShowFull, render.Undo,
}

// rank is the position of a section on an open card: what is asked (0), the controls (1), what concerns them (2), and
// who can answer (3).
func rank(s render.Section) int {
	switch s.ID {
	case "agent", "context", "links.text", "links", "files", "plain", "outline", "reason", "end.line", "where", "words":
		return 0
	case "reach", "votes", "talk", "revised", "steps", "joined":
		return 2
	case "notify", "terms", "files.due":
		return 3
	}
	if s.Kind == render.Row || s.Kind == render.Choice {
		return 1
	}
	return 0
}

// People read what they approve before they can approve it: the subject is above the options, and only what concerns the
// options is below them.
func TestCardsAreReadFromTopToBottom(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		for _, l := range platformLimits {
			s := subject(t, c, l.Platform)
			card := render.Layout(s, l)
			if card.State != ask.Open || s.Held != nil {
				continue
			}
			order := []string{}
			last := 0
			for n, sec := range card.Sections {
				order = append(order, sec.ID)
				at := rank(sec)
				if at == 0 && last == 1 && slices.ContainsFunc(card.Sections[n:], func(s render.Section) bool { return rank(s) == 1 }) {
					last = 0 // The next question.
				}
				if at < last {
					t.Errorf("%s: %q is below %q: %q", l.Platform, sec.ID, order[:n], order)
				}
				last = at
				if s.Permission && sec.Kind == render.Body {
					judgePermission(t, s, sec)
				}
			}
		}
	})
}

// judgePermission checks that what is permitted is above every option.
func judgePermission(t *testing.T, s render.Subject, sec render.Section) {
	t.Helper()
	sample := slices.IndexFunc(sec.Text, func(span render.Span) bool { return span.Style == render.Code })
	option := slices.IndexFunc(sec.Text, func(span render.Span) bool {
		return span.Style == render.Bold && slices.ContainsFunc(s.Questions[0].Options, func(o ask.Option) bool { return o.Label == span.Text })
	})
	if sample >= 0 && option >= 0 && option < sample {
		t.Errorf("what is permitted is below the option %q", sec.Text[option].Text)
	}
}

// A card has one control that is not a choice, and at most one row beyond the choices.
func TestOneControlLeadsToEverythingElse(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		for _, l := range platformLimits {
			s := subject(t, c, l.Platform)
			card := render.Layout(s, l)
			more, rows := 0, 0
			for _, sec := range card.Sections {
				if sec.Kind != render.Row || sec.ID == "links" {
					continue
				}
				options, further := 0, 0
				for _, b := range sec.Buttons {
					switch {
					case b.Token.Verb == render.OpenMore:
						more++
						further++
					case b.Token.Verb == render.Claiming && s.Claims, b.Token.Verb == render.Undo && s.Held != nil:
						further++
					case !slices.Contains(choices, b.Token.Verb):
						t.Errorf("%s: the card has %q", l.Platform, b.Label)
					default:
						options++
					}
				}
				if further > 0 {
					rows++
				}
				if full := components.MaxRow; (options+further+full-1)/full > (options+full-1)/full+1 {
					t.Errorf("%s: %d controls take more than a row beyond %d choices", l.Platform, further, options)
				}
			}
			want := 1
			if card.State != ask.Open || s.Filing != render.FilesStand {
				want = 0
			}
			if more != want || rows != want {
				t.Errorf("%s: %d times More in %d rows, want %d", l.Platform, more, rows, want)
			}
		}
	})
}

// No label is truncated: one that does not fit is a number, and the text has the whole label, or a button to read it.
func TestNoLabelIsCut(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		for _, l := range platformLimits {
			s := subject(t, c, l.Platform)
			card := render.Layout(s, l)
			text := recordText(card.Sections)
			full := slices.ContainsFunc(buttons(card), func(b render.Button) bool { return b.Token.Verb == render.ShowFull })
			for _, label := range optionLabels(card) {
				whole := slices.ContainsFunc(s.Questions, func(q ask.Question) bool {
					return slices.ContainsFunc(q.Options, func(o ask.Option) bool {
						return strings.HasSuffix(strings.Trim(label, "\u2068\u2069"), render.Line(o.Label))
					})
				})
				number := strings.Trim(label, "0123456789") == ""
				if !whole && !number && !strings.HasPrefix(label, "Option ") && label != "Skip" {
					t.Errorf("%s: the label %q is truncated", l.Platform, label)
				}
				if number && !full && !spellsOut(s, label, text) {
					t.Errorf("%s: the text lacks the label of option %s:\n%s", l.Platform, label, text)
				}
			}
			for _, b := range buttons(card) {
				if b.URL == "" && render.Units(b.Label) > l.ButtonText {
					t.Errorf("%s: the button %q is longer than a phone shows", l.Platform, b.Label)
				}
			}
		}
	})
}

// spellsOut reports whether a text has the whole label of an option with this number.
func spellsOut(s render.Subject, number, text string) bool {
	return slices.ContainsFunc(s.Questions, func(q ask.Question) bool {
		n, err := strconv.Atoi(number)
		return err == nil && n <= len(q.Options) && strings.Contains(render.Line(text), render.Line(render.Clean(q.Options[n-1].Label)))
	})
}

// The worst that a team can switch on: a vote, a schedule, passing on, asking back and notes.
func TestVoteWithEverythingHasFiveControls(t *testing.T) {
	t.Parallel()
	s := asking(ask.Question{Text: "Shall 4.2 go to production?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Wait"}}})
	s.Vote = &ask.Standing{Rule: ask.Voting{Mode: ask.Quorum, Need: 2, Show: ask.ShowLive}, Roster: 3}
	s.Claims, s.Passes, s.AskBack = true, true, true
	s.Steps = []render.Step{{Do: ask.Remind, At: asked}}
	for _, l := range platformLimits {
		var labels []string
		for _, b := range buttons(render.Layout(s, l)) {
			labels = append(labels, b.Label)
		}
		if want := []string{"Deploy", "Wait", "Other…", "I'm on it", "More…"}; !slices.Equal(labels, want) {
			t.Errorf("%s: %q, want %q", l.Platform, labels, want)
		}
	}
}

// More offers only what a person can do now.
func TestMoreOffersWhatPersonCanDo(t *testing.T) {
	t.Parallel()
	labels := func(s render.Subject, o render.Offer) (all []string) {
		for _, b := range buttons(render.More(s, o)) {
			if b.Danger != (b.Token.Verb == render.Dismiss) {
				t.Errorf("the style of %q", b.Label)
			}
			all = append(all, b.Label)
		}
		return all
	}
	s := asking(single, multi)
	for want, o := range map[string]render.Offer{
		"Details": {},
		"Answer with my own text…, Ask the agent…, Add a note…, Pass to…, Take back my vote, Dismiss…, Details": {Reply: true, Ask: true, Notes: []int{0}, Pass: true, TakeBack: true, Dismiss: true},
		"Add a note to 1…, Add a note to 2…, Details":                                                           {Notes: []int{0, 1}, Undo: true}, // Nothing is decided.
	} {
		if got := strings.Join(labels(s, o), ", "); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
	s.Held = &render.Held{Number: 3}
	if got := labels(s, render.Offer{Undo: true}); !slices.Equal(got, []string{"Undo", "Details"}) {
		t.Errorf("while it can be undone: %q", got)
	}
}
