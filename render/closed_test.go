package render_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/test/golden"
)

// recordText is the text of a card's sections as a person reads it, a paragraph each. Names of accounts and times appear as
// their ID and in RFC 3339.
func recordText(sections []render.Section) string {
	var b strings.Builder
	for _, sec := range sections {
		for _, span := range sec.Text {
			switch span.Style {
			case render.Mention:
				b.WriteString("@" + span.Person.ID)
			case render.Moment:
				b.WriteString(span.Time.UTC().Format("2006-01-02T15:04:05Z07:00"))
			default:
				b.WriteString(span.Text)
			}
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// begins is the beginning of agent text, which a closed card shows even where it truncates the text. Marks of Markdown
// and characters that could change the text around them are not part of it.
func begins(text string) string {
	const least = 8 // A question of ten has so many characters on a closed card.
	runes := []rune(render.Line(render.Clean(text)))
	return strings.TrimSpace(string(runes[:min(len(runes), least)]))
}

// A closed card is a record: what was asked, what was chosen and what was not, by which person and when, and whether the
// agent has the answer. It has no controls, except Undo and More while the decision is held.
func TestClosedCardsAreARecord(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		for _, l := range platformLimits {
			s := subject(t, c, l.Platform)
			card := render.Layout(s, l)
			if !s.Outcome.State.Ended() && s.Held == nil {
				continue
			}
			text := recordText(card.Sections)
			if first := card.Sections[0].ID; first != "end" && first != "plain" {
				t.Errorf("%s: the card begins with %s", l.Platform, first)
			}
			if answered := s.Outcome.State == ask.Answered; strings.HasPrefix(text, "✓ ") != answered {
				t.Errorf("%s: answered: %t, and the card begins with %q", l.Platform, answered, text[:min(len(text), 20)])
			}
			for _, missing := range missingFromRecord(s, text) {
				t.Errorf("%s: the closed card does not show %s:\n%s", l.Platform, missing, text)
			}
			var controls []render.Verb
			for _, b := range buttons(card) {
				controls = append(controls, b.Token.Verb)
			}
			var want []render.Verb
			if s.Held != nil {
				want = []render.Verb{render.Undo, render.OpenMore}
			}
			if !slices.Equal(controls, want) {
				t.Errorf("%s: the closed card has the controls %q, want %q", l.Platform, controls, want)
			}
		}
	})
}

// missingFromRecord lists what a closed card does not show.
func missingFromRecord(s render.Subject, text string) []string {
	var missing []string
	shows := func(what, part string) {
		if !strings.Contains(text, part) {
			missing = append(missing, fmt.Sprintf("%s (%q)", what, part))
		}
	}
	sealed := s.Held != nil && s.Vote != nil && s.Vote.Rule.Show != ask.ShowLive
	for i, q := range s.Questions {
		shows("what was asked", begins(q.Text))
		var selected []string
		for _, a := range s.Outcome.Answers {
			if a.Index != i || sealed {
				continue
			}
			selected = a.Selected
			if a.Other != "" {
				shows("the typed answer", begins(a.Other))
			}
		}
		options := 0
		for _, o := range q.Options {
			if strings.Contains(text, begins(o.Label)) {
				options++
			} else if slices.Contains(selected, o.Label) && len(selected) == 1 {
				missing = append(missing, fmt.Sprintf("the choice %q", o.Label))
			}
		}
		if options < len(q.Options) && !strings.Contains(text, " more") {
			missing = append(missing, fmt.Sprintf("%d of the options of question %d", len(q.Options)-options, i+1))
		}
	}
	if by := s.Outcome.By; by.ID != "" && s.Vote == nil && !strings.Contains(text, "@"+by.ID) {
		shows("which person decided", begins(by.Name))
	}
	if s.Vote != nil && !sealed && len(s.Vote.Votes) > 0 {
		if by := s.Vote.Votes[0].By; !strings.Contains(text, "@"+by.ID) {
			shows("the votes", begins(by.Name))
		}
	}
	if !s.Outcome.At.IsZero() && s.Held == nil {
		shows("when it ended", s.Outcome.At.UTC().Format("2006-01-02T15:04:05Z07:00"))
	}
	if receipt := map[render.Receipt]string{
		render.ReceiptTaken: "has the answer", render.ReceiptWaits: "does not have the answer yet", render.ReceiptMissing: "No sign of", render.ReceiptInstead: s.Instead,
	}[s.Receipt]; receipt != "" {
		shows("whether the agent has the answer", begins(receipt))
	}
	return missing
}

// ownSections are the sections in which the bridge writes around names, labels and times.
var ownSections = regexp.MustCompile(`^(agent|end|terms|steps|joined|receipt|revised|notify|votes|talk|files\.due)$`)

// someone matches a group, or a number of people or groups, in a list of people.
var someone = regexp.MustCompile(`\w+ group \S+|\d+ (more )?(person|people|groups?) on \w+`)

// The bridge's own text has at most twelve words in a line. Parts of a line between dots count as lines. A name, a label,
// a time, an entry of a list of people and text of the agent count as one word.
func TestLinesOfTheBridgeAreShort(t *testing.T) {
	t.Parallel()
	const most = 12
	golden.Each(t, "testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		for _, l := range platformLimits {
			s := subject(t, c, l.Platform)
			card := render.Layout(s, l)
			for _, sec := range append(card.Sections, render.Details(s, l).Sections...) {
				if sec.Kind != render.Frame && !ownSections.MatchString(sec.ID) {
					continue
				}
				var line strings.Builder
				for _, span := range sec.Text {
					if span.Style == render.Plain || span.Style == render.Aside {
						line.WriteString(span.Text)
					} else {
						line.WriteString("…")
					}
				}
				text := someone.ReplaceAllString(line.String(), "…")
				if s.Instead != "" {
					text = strings.ReplaceAll(text, s.Instead, "…")
				}
				for _, part := range regexp.MustCompile(`\n| · `).Split(text, -1) {
					if n := len(strings.Fields(part)); n > most {
						t.Errorf("%s: %s has a line of %d words, at most %d: %q", l.Platform, sec.ID, n, most, part)
					}
				}
			}
		}
	})
}
