package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

func TestOfferIsWhatThePersonCanDoNow(t *testing.T) {
	t.Parallel()
	lone := ask.Question{Text: "Which?", Options: []ask.Option{{Label: "A"}, {Label: "B"}}}
	several := []ask.Question{lone, {Text: "Why?", Notes: true}}
	voting := func(r *Record) {
		r.Voting = &Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 2}, Ballots: []Ballot{{By: ask.Person{Platform: "slack", ID: "U1"}, Picks: []ask.Pick{{Selected: []int{0}}}}}}
	}
	passing := func(to ...string) func(r *Record) {
		return func(r *Record) { r.Schedule = &Schedule{PassTo: ask.PolicyOf(to...)} }
	}
	for name, tt := range map[string]struct {
		who    string
		change func(r *Record)
		want   Offer
	}{
		"a question":                         {"U1", func(*Record) {}, Offer{Dismiss: true}},
		"someone who may not answer":         {"U9", func(*Record) {}, Offer{}},
		"several questions, one with note":   {"U1", func(r *Record) { r.Questions = several }, Offer{Dismiss: true, Reply: true, Notes: []int{1}}},
		"an agent without a place for words": {"U1", func(r *Record) { r.Questions, r.Wordless = several, true }, Offer{Dismiss: true, Notes: []int{1}}},
		"an agent that can be asked":         {"U1", func(r *Record) { r.AskBack = ask.AskBackStay }, Offer{Dismiss: true, Ask: true}},
		"an agent that was asked enough": {"U1", func(r *Record) {
			r.AskBack, r.AskedBack = ask.AskBackStay, make([]AskedBack, ask.MaxAskedBack)
		}, Offer{Dismiss: true}},
		"a vote of one's own":        {"U1", voting, Offer{Dismiss: true, TakeBack: true}},
		"no vote yet":                {"U2", voting, Offer{Dismiss: true}},
		"anyone can take it":         {"U1", passing("anyone"), Offer{Dismiss: true, Pass: true}},
		"only they themselves can":   {"U1", passing("slack:U1"), Offer{Dismiss: true}},
		"only someone elsewhere can": {"U1", passing("discord:1"), Offer{Dismiss: true}},
		"a colleague can":            {"U1", passing("slack:U2"), Offer{Dismiss: true, Pass: true}},
		"a request that has ended":   {"U1", func(r *Record) { r.Outcome.State = ask.Answered }, Offer{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := claimable(reminded)
			r.Schedule, r.Questions = nil, []ask.Question{lone}
			tt.change(r)
			if diff := cmp.Diff(tt.want, OfferTo(r, by(tt.who, 1, ask.Claim, -1, -1))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
