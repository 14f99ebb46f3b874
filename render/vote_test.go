package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

// standings are votes on questions, now and then none.
func standings(questions []ask.Question) *rapid.Generator[*ask.Standing] {
	return rapid.Custom(func(t *rapid.T) *ask.Standing {
		if rapid.IntRange(0, 2).Draw(t, "decided by the first") > 0 {
			return nil
		}
		s := &ask.Standing{Rule: ask.Voting{
			Mode: rapid.SampledFrom([]ask.Mode{ask.Quorum, ask.Poll}).Draw(t, "mode"), Need: 2, Needs: map[string]int{},
			Dismiss: rapid.IntRange(0, 2).Draw(t, "dismiss"), Show: rapid.SampledFrom([]ask.Show{ask.ShowLive, ask.ShowCount, ask.ShowSealed}).Draw(t, "show"),
		}}
		for _, q := range questions {
			for _, o := range q.Options {
				if rapid.IntRange(0, 4).Draw(t, "veto") == 0 {
					s.Rule.Needs[o.Label] = rapid.IntRange(1, 3).Draw(t, "needs")
				}
			}
		}
		if s.Voted = rapid.IntRange(0, 12).Draw(t, "voted"); s.Rule.Show != ask.ShowLive {
			return s
		}
		for range s.Voted {
			by := rapid.SampledFrom([]ask.Person{{Platform: "slack", ID: "U0000001"}, {Platform: "discord", ID: "1"}}).Draw(t, "by")
			by.Name = words(200).Draw(t, "name")
			v := ask.Vote{By: by, Dismissed: rapid.IntRange(0, 4).Draw(t, "dismissed") == 0}
			for _, a := range drafts(questions).Draw(t, "vote").Answers(questions, by, asked) {
				v.Choices = append(v.Choices, ask.Choice{Index: a.Index, Selected: a.Selected, Other: a.Other})
				s.Tally = append(s.Tally, ask.Count{Index: a.Index, Selected: a.Selected, Other: a.Other, Votes: 1})
			}
			s.Votes = append(s.Votes, v)
		}
		return s
	})
}

func TestWhoVotesOverTheAPIIsNamedWithIt(t *testing.T) {
	t.Parallel()
	s := asking(single)
	label := s.Questions[0].Options[0].Label
	s.Vote = &ask.Standing{
		Rule: ask.Voting{Mode: ask.Quorum, Need: 2, Show: ask.ShowLive}, Voted: 1,
		Votes: []ask.Vote{{By: ask.Person{Platform: ask.API, ID: "dana-shell", Name: "dana-shell"}, Choices: []ask.Choice{{Selected: []string{label}}}}},
		Tally: []ask.Count{{Selected: []string{label}, Votes: 1}},
	}
	data, err := json.Marshal(drawSlack(s))
	if err != nil || !strings.Contains(string(data), "dana-shell (API)") {
		t.Errorf("%v: %s", err, data)
	}
}
