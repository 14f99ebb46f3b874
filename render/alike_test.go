package render_test

import (
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/render/blockkit"
	"github.com/askbridge/askbridge/render/components"
)

// Commands and paths differ at their ends, which a card cuts first.
func TestLongSimilarOptionsStayDistinct(t *testing.T) {
	t.Parallel()
	path := "/srv/" + strings.Repeat("warehouse/", 80)
	q := ask.Question{Text: "Which one may go?", MultiSelect: true, Options: []ask.Option{{Label: path + "north"}, {Label: path + "south"}, {Label: "None"}}}
	s := render.Subject{ID: "p01x", Agent: "bot", Questions: []ask.Question{q}, Eligible: anyone}
	for name, tt := range map[string]struct {
		change func(s *render.Subject)
		want   []string
	}{
		"the tally of a vote": {func(s *render.Subject) {
			s.Vote = &ask.Standing{Rule: ask.Voting{Mode: ask.Poll, Show: ask.ShowLive}, Voted: 4, Tally: []ask.Count{
				{Selected: []string{q.Options[1].Label}, Votes: 2}, {Selected: []string{q.Options[0].Label, q.Options[1].Label}, Votes: 1}, {Selected: []string{"None"}, Votes: 1},
			}}
		}, []string{"\n2. /srv/", "\n1, 2. /srv/", "\nNone "}},
		"what takes more people": {func(s *render.Subject) {
			s.Vote = &ask.Standing{Rule: ask.Voting{Mode: ask.Quorum, Need: 1, Show: ask.ShowLive, Needs: map[string]int{q.Options[1].Label: 3}}}
		}, []string{"2. /srv/", "needs 3"}},
		"what was chosen": {func(s *render.Subject) {
			s.Outcome = ask.Outcome{State: ask.Answered, At: asked, By: ask.Person{Platform: "irc", Name: "Ana", ID: "a"}}
			s.Outcome.Answers = []ask.Answer{{Selected: []string{q.Options[1].Label}}}
		}, []string{"→ 2. /srv/", "Ana (Irc): 2. /srv/"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s
			tt.change(&s)
			for _, l := range []render.Limits{blockkit.Limits(), components.Limits()} {
				c := render.Layout(s, l)
				var shown strings.Builder
				for _, spans := range append([]render.Section{{Text: c.Summary}}, c.Sections...) {
					if shown.WriteString("\n"); c.State == ask.Open && spans.ID == "q0.text" {
						continue // It spells them out.
					}
					for _, span := range spans.Text {
						shown.WriteString(span.Text)
					}
				}
				for _, want := range tt.want {
					if !strings.Contains(shown.String(), want) {
						t.Errorf("%s: %q is not in\n%s", l.Platform, want, shown.String())
					}
				}
			}
		})
	}
}
