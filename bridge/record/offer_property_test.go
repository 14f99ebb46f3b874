package record

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

// offerable is a random request that U1 and U2 may answer, after a few acts.
func offerable(t *rapid.T) *Record {
	yes := func(label string) bool { return rapid.Bool().Draw(t, label) }
	r := claimable(reminded)
	r.Questions = []ask.Question{singleQ(), {Text: "Why?", Notes: true}}[:rapid.IntRange(1, 2).Draw(t, "questions")]
	r.Wordless = yes("wordless")
	r.AskBack = rapid.SampledFrom([]ask.AskBack{"", ask.AskBackStay, ask.AskBackEnd}).Draw(t, "ask back")
	if r.AskBack == ask.AskBackStay && yes("asked enough") {
		r.AskedBack = make([]AskedBack, ask.MaxAskedBack)
	}
	if to := rapid.SampledFrom([]string{"", "anyone", "slack:U1", "slack:U2", "slack:U3", "discord:1"}).Draw(t, "pass to"); to != "" {
		r.Schedule.PassTo = ask.PolicyOf(to)
	}
	if yes("vote") {
		change := yes("changeable")
		r.Voting = &Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 3, Change: &change}}
	}
	if yes("held") {
		r.Hold = time.Hour
	}
	for n := range rapid.IntRange(0, 2).Draw(t, "acts") {
		who := rapid.SampledFrom([]string{"U1", "U2"}).Draw(t, "who acts")
		kind := rapid.SampledFrom([]ask.ActionKind{ask.Choose, ask.Dismiss, ask.TakeBack}).Draw(t, "act")
		a := by(who, int64(n+1), kind, -1, -1)
		if kind == ask.Choose {
			a = by(who, int64(n+1), kind, 0, 0)
		}
		_, _ = r.Judge(a, DraftMode{}, start) // Some acts do not count.
	}
	return r
}

// counts reports whether an act takes effect on a copy of a record.
func counts(r *Record, a Act) bool {
	next := r.Clone()
	got, _ := next.Judge(a, DraftMode{}, start)
	return slices.Contains([]Verdict{Completed, Counted, Recorded, Tentative, Undone, AskedAgent, Passed}, got.Verdict)
}

// More offers an action if, and only if, the action would take effect. The reply to a lone question is not offered: Other…
// on the card takes it. Nor is a reply to an agent that gets no text, nor anything but Undo while a decision is held.
func TestOfferMatchesJudgment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := offerable(t)
		who := rapid.SampledFrom([]string{"U1", "U2", "U9"}).Draw(t, "who")
		act := func(kind ask.ActionKind, question int) Act { return by(who, 100, kind, question, -1) }
		offer := OfferTo(r, act(ask.Claim, -1))
		want := Offer{
			TakeBack: counts(r, act(ask.TakeBack, -1)),
			Dismiss:  counts(r, act(ask.Dismiss, -1)),
			Ask:      r.AskBack != "" && counts(r, act(ask.AskAgent, -1).writing(-1, "Are there backups?")),
			Reply:    len(r.Questions) > 1 && !r.Wordless && counts(r, act(ask.Reply, -1).writing(-1, "after lunch")),
		}
		for _, to := range []string{"U1", "U2", "U3", "U9"} {
			want.Pass = want.Pass || counts(r, passing(who, 100, to))
		}
		for q := range r.Questions {
			if r.Questions[q].Notes && counts(r, act(ask.Annotate, q).writing(q, "since Monday")) {
				want.Notes = append(want.Notes, q)
			}
		}
		if r.Held != nil {
			want = Offer{Undo: counts(r, act(ask.Undo, -1))}
		}
		if !slices.Equal(offer.Notes, want.Notes) {
			t.Errorf("notes: offered to %v, and %v can take one", offer.Notes, want.Notes)
		}
		offer.Notes, want.Notes = nil, nil
		for name, pair := range map[string][2]bool{
			"take back": {offer.TakeBack, want.TakeBack}, "dismiss": {offer.Dismiss, want.Dismiss}, "ask": {offer.Ask, want.Ask},
			"reply": {offer.Reply, want.Reply}, "undo": {offer.Undo, want.Undo}, "pass": {offer.Pass, want.Pass},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: offered to %s: %t, takes effect: %t", name, who, pair[0], pair[1])
			}
		}
	})
}
