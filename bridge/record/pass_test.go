package record

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

// passable is a scheduled record of Ana's that can be passed on to any member except the requester, U8.
func passable(steps ...Step) *Record {
	r := scheduled(steps...)
	r.Requesters, r.Schedule.PassTo = []string{"slack:U8"}, ask.PolicyOf(ask.Anyone, ask.NotRequester)
	return r
}

// passing hands the request to a member.
func passing(who string, order int64, to string) Act {
	a := by(who, order, ask.Pass, -1, -1)
	a.Action.To = ask.Responder{Person: ask.Person{Platform: "slack", ID: to, Name: to}, Membership: ask.Member}
	return a
}

// elsewhere is an act without a card.
func elsewhere(a Act) Act {
	a.Message = MessageRef{}
	return a
}

func TestSuccessorAnswersInstead(t *testing.T) {
	t.Parallel()
	r := passable()
	before := r.Clone()
	want := before.Clone()
	for _, tt := range []struct {
		act  Act
		want Verdict
	}{
		{passing("U9", 1, "U3"), Forbidden},
		{by("U3", 2, ask.Choose, 0, 0), Forbidden},
		{passing("U1", 3, "U3"), Passed},
		{passing("U1", 3, "U3"), Repeated},
		{by("U1", 4, ask.Choose, 0, 0), Forbidden},
		{passing("U1", 5, "U4"), Forbidden},
		{by("U3", 6, ask.Choose, 0, 0), Completed},
	} {
		if got, _ := r.judged(tt.act, DraftMode{}, minute(1)); got.Verdict != tt.want {
			t.Errorf("%s comes to %s, want %s", tt.act.ID, got.Verdict, tt.want)
		}
	}
	if diff := cmp.Diff(want, before); diff != "" {
		t.Errorf("a copy of the record changed: %s", diff)
	}
	if c := r.Copies[1]; c.Target.User != "U3" || c.Step != 1 || !slices.Equal(Recipients(r, c), []string{"slack:U3"}) {
		t.Errorf("the new person gets %+v, which notifies %v", c, Recipients(r, c))
	}
	if asked := AskedPolicy(r).Strings(); slices.Contains(asked, "slack:U1") || !slices.Contains(asked, "slack:U3") {
		t.Errorf("the cards say that %v can answer", asked)
	}
	s := r.Schedule.Steps[0]
	if s.Do != ask.HandOver || s.Pass.By.ID != "U1" || s.Pass.To.ID != "U3" || !s.At.Equal(minute(1)) || r.Schedule.Done != 1 {
		t.Errorf("the cards say %+v, and %d steps have happened", s, r.Schedule.Done)
	}
}

func TestHandoverRefusals(t *testing.T) {
	t.Parallel()
	often := passable()
	for n, who := range []string{"U1", "U2", "U3", "U4", "U5"} {
		if got, err := often.judged(elsewhere(passing(who, int64(n), "U"+string(rune('2'+n)))), DraftMode{}, minute(1)); err != nil || got.Verdict != Passed {
			t.Fatalf("pass %d comes to %+v, %v", n, got, err)
		}
	}
	once := passable()
	_, _ = once.judged(passing("U1", 1, "U2"), DraftMode{}, minute(1))
	voted := voting(nil, ask.Voting{Mode: ask.Quorum, Need: 2})
	voted.Schedule = &Schedule{PassTo: ask.PolicyOf(ask.Anyone)}
	_, _ = voted.judged(by("U1", 1, ask.Choose, 0, 0), DraftMode{}, minute(1))
	open := voting(nil, ask.Voting{Mode: ask.Quorum, Need: 2})
	open.Schedule = &Schedule{PassTo: ask.PolicyOf(ask.Anyone)}
	_, _ = open.judged(by("U2", 1, ask.Choose, 0, 0), DraftMode{}, minute(1))
	closed := voting([]string{"slack:U1", "slack:U2"}, ask.Voting{Mode: ask.Quorum, Need: 2})
	closed.Schedule = &Schedule{PassTo: ask.PolicyOf(ask.Anyone)}
	apart := onBothPlatforms("dana", "eve", "fay")
	if got, _ := apart.Judge(elsewhere(passing("U2", 1, "U7")), DraftMode{}, minute(1)); got.Verdict != Passed {
		t.Fatalf("the first of two passes comes to %+v", got)
	}
	toDiscord := elsewhere(passing("U1", 9, "9"))
	toDiscord.Action.To.Platform = "discord"
	bot, guest, other := passing("U1", 9, "U3"), passing("U1", 9, "U3"), passing("U1", 9, "U3")
	bot.Action.To.Bot, guest.Action.To.Membership, other.Action.To.Platform = true, ask.Guest, "discord"
	direct := passable()
	direct.Copies = append(direct.Copies, Copy{Target: ask.Place{Platform: "slack", User: "U3"}})
	outsider := elsewhere(guest)
	outsider.By.Groups, direct.Policy = nil, ask.PolicyOf("slack:U1")
	for name, tt := range map[string]struct {
		r    *Record
		act  Act
		want WhyNot
	}{
		"to no one":                            {passable(), passing("U1", 9, ""), ToNobody},
		"to themselves":                        {passable(), passing("U1", 9, "U1"), ToThemselves},
		"to a bot":                             {passable(), bot, ToBarred},
		"to a guest":                           {passable(), guest, ToBarred},
		"to a guest who was sent a card of it": {direct, outsider, ToBarred},
		"to the requester":                     {passable(), passing("U1", 9, "U8"), ToBarred},
		"to where it is not asked":             {passable(), other, ToBarred},
		"back to who passed it on":             {once, elsewhere(passing("U2", 9, "U1")), ToPasser},
		"for the sixth time":                   {often, elsewhere(passing("U6", 9, "U7")), TooOften},
		"with a vote":                          {voted, passing("U1", 9, "U3"), HasVoted},
		"with too few distinguishable voters":  {apart, toDiscord, ToApart},
		"to another voter of a closed list":    {closed, passing("U1", 9, "U2"), ToVoter},
		"to a person who has voted":            {open, passing("U1", 9, "U2"), ToVoter},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := tt.r.Revision
			got, err := tt.r.judged(tt.act, DraftMode{}, minute(2))
			if got.Verdict != NotPassed || got.Why != tt.want || !errors.Is(err, ErrUnchanged) || tt.r.Revision != before {
				t.Errorf("it comes to %+v, %v; want %s", got, err, tt.want)
			}
		})
	}
	if got, _ := claimable().judged(passing("U1", 1, "U2"), DraftMode{}, minute(1)); got.Verdict != Unknown {
		t.Errorf("a request that cannot be passed on: %s", got.Verdict)
	}
}

func TestSuccessorNeedsPermission(t *testing.T) {
	t.Parallel()
	r := passable()
	r.Schedule.PassTo = ask.PolicyOf("slack-group:S1")
	a := passing("U1", 1, "U3")
	a.Action.To.Groups = []string{"slack-group:S1"}
	if got, _ := r.judged(a, DraftMode{}, minute(1)); got.Verdict != Passed {
		t.Fatalf("it comes to %+v", got)
	}
	left, stays := by("U3", 2, ask.Choose, 0, 0), by("U3", 3, ask.Choose, 0, 0)
	stays.By.Groups = []string{"slack-group:S1"}
	if got, _ := r.judged(left, DraftMode{}, minute(2)); got.Verdict != Forbidden {
		t.Errorf("who has left the group comes to %s, want forbidden", got.Verdict)
	}
	if got, _ := r.judged(stays, DraftMode{}, minute(2)); got.Verdict != Completed {
		t.Errorf("who is in the group comes to %s", got.Verdict)
	}
}

func voting(roster []string, rule ask.Voting) *Record {
	r := openRecord(singleQ())
	r.Voting = &Voting{Rule: rule, Roster: roster}
	return r
}

// onBothPlatforms is a vote of three on Slack and Discord that needs all of U1, U2 and U3, each of whom can pass it
// on.
func onBothPlatforms(humans ...string) *Record {
	r := voting(humans, ask.Voting{Mode: ask.Quorum, Need: 3})
	links := map[string]string{}
	for n, human := range humans {
		links[fmt.Sprint("slack:U", n+1)], links[fmt.Sprint("discord:", n+1)] = human, human
	}
	r.onBoth(links).Schedule = &Schedule{PassTo: ask.PolicyOf(ask.Anyone)}
	return r
}

func TestClosedListSlotIsPassedOn(t *testing.T) {
	t.Parallel()
	r := voting([]string{"dana", "slack:U2"}, ask.Voting{Mode: ask.Quorum, Need: 2})
	r.Voting.Links = map[string]string{"slack:U1": "dana", "discord:1": "dana"}
	r.Schedule = &Schedule{PassTo: ask.PolicyOf(ask.Anyone)}
	before := r.Clone()
	if got, _ := r.judged(passing("U1", 1, "U3"), DraftMode{}, minute(1)); got.Verdict != Passed {
		t.Fatalf("it comes to %+v", got)
	}
	if !slices.Equal(r.Voting.Roster, []string{"slack:U3", "slack:U2"}) || before.Voting.Roster[0] != "dana" {
		t.Errorf("those vote now: %v, and did: %v", r.Voting.Roster, before.Voting.Roster)
	}
	linked := by("1", 2, ask.Choose, 0, 0)
	linked.By.Platform, linked.Message = "discord", MessageRef{}
	if got, _ := r.judged(linked, DraftMode{}, minute(2)); got.Verdict != Forbidden {
		t.Errorf("by another account of theirs the passer comes to %s", got.Verdict)
	}
	later := linked.By
	later.ID, later.Groups = "2", []string{"slack:U1"}
	if to := Successor(r, later); to.ID != "U3" {
		t.Errorf("through an account linked later, the passer sees successor %q", to.ID)
	}
}

// After two handovers, the first passer was shown the second one as the current responder.
func TestPasserLearnsCurrentSuccessor(t *testing.T) {
	t.Parallel()
	r := passable()
	for _, a := range []Act{passing("U1", 1, "U3"), elsewhere(passing("U3", 2, "U4"))} {
		if got, _ := r.judged(a, DraftMode{}, minute(1)); got.Verdict != Passed {
			t.Fatalf("it comes to %+v", got)
		}
	}
	for _, who := range []string{"U1", "U3"} {
		if to := Successor(r, ask.Responder{Person: ask.Person{Platform: "slack", ID: who}}); to.ID != "U4" {
			t.Errorf("%s sees successor %q, want U4", who, to.ID)
		}
	}
}

func TestStepsNotifySuccessor(t *testing.T) {
	t.Parallel()
	r := passable(reminded)
	r.Schedule.ClaimFor = time.Minute
	for _, a := range []Act{onIt("U1", 1), passing("U1", 2, "U3"), elsewhere(passing("U3", 3, "U4"))} {
		if _, err := r.judged(a, DraftMode{}, minute(1)); err != nil {
			t.Fatal(err)
		}
	}
	if r.Schedule.Claim != nil || r.Schedule.Done != 2 || !slices.Equal(r.Schedule.Steps[2].Who, []string{"slack:U4"}) {
		t.Errorf("claim %+v, reminder to %v", r.Schedule.Claim, r.Schedule.Steps[2].Who)
	}
}

func TestHandoverKeepsClaimOfOthers(t *testing.T) {
	t.Parallel()
	r := claimable(reminded)
	r.Schedule.PassTo = ask.PolicyOf(ask.Anyone)
	for _, a := range []Act{onIt("U1", 1), passing("U2", 2, "U3")} {
		if _, err := r.judged(a, DraftMode{}, minute(1)); err != nil {
			t.Fatal(err)
		}
	}
	if c := r.Schedule.Claim; c == nil || c.By.ID != "U1" {
		t.Errorf("on it is %+v", c)
	}
}

func TestRotaStepNotifiesSuccessor(t *testing.T) {
	t.Parallel()
	rota := reminded
	rota.Who = []string{"oncall:payments"}
	r := passable(rota)
	if _, err := r.judged(passing("U1", 1, "U3"), DraftMode{}, minute(1)); err != nil {
		t.Fatal(err)
	}
	r.ResolveOnCall(func(string, time.Time) []string { return []string{"slack:U1"} }, minute(10))
	if who := r.Schedule.Steps[1].Who; !slices.Equal(who, []string{"slack:U3"}) {
		t.Errorf("the reminder goes to %v, including a person who passed it on", who)
	}
}

func TestHandoverStaysInWorkspace(t *testing.T) {
	t.Parallel()
	r := passable()
	there := r.Copies[0]
	there.Target.Installation, there.Ref.Message = "T2", "m2"
	r.Copies[0].Target.Installation = "T1"
	r.Copies = append(r.Copies, there)
	a := passing("U1", 1, "U3")
	a.Message = there.Ref
	if _, err := r.judged(a, DraftMode{}, minute(1)); err != nil {
		t.Fatal(err)
	}
	if got := r.Schedule.Steps[0].Places[0].Installation; got != "T2" {
		t.Errorf("their card is sent in %q", got)
	}
}

func TestSuccessorWithCardIsNotifiedBelowIt(t *testing.T) {
	t.Parallel()
	ref := func(message string) MessageRef { return MessageRef{Platform: "slack", Channel: "C1", Message: message} }
	card := func(message string, to ask.Place) Copy {
		return Copy{Target: to, State: Posted, Rendered: 1, Ref: ref(message)}
	}
	channel, second := card("m1", ask.Place{Platform: "slack", Channel: "C1"}), card("m2", ask.Place{Platform: "slack", Channel: "C2"})
	own := card("m3", ask.Place{Platform: "slack", User: "U3"})
	for name, tt := range map[string]struct {
		copies []Copy
		fails  bool
		want   []string // the cards it is announced below
		posts  int
	}{
		"no card yet":                          {[]Copy{channel, second}, false, nil, 1},
		"their own card":                       {[]Copy{channel, own}, false, []string{"m3"}, 0},
		"the platform sends them none":         {[]Copy{channel, second}, true, []string{"m1"}, 1},
		"nor can others see where it is asked": {[]Copy{card("m4", ask.Place{Platform: "slack", User: "U1"})}, true, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := passable()
			r.Copies = slices.Clone(tt.copies)
			if got, err := r.judged(elsewhere(passing("U1", 1, "U3")), DraftMode{}, minute(1)); err != nil || got.Verdict != Passed {
				t.Fatalf("it comes to %+v, %v", got, err)
			}
			if posts := len(r.Copies) - len(tt.copies); posts != tt.posts {
				t.Errorf("%d cards are posted, want %d", posts, tt.posts)
			}
			if tt.fails {
				results := make([]Result, len(r.Copies))
				results[len(results)-1] = GivenUp{Why: "no direct messages"}
				if _, err := r.ApplyReport(Report{Copies: results}, minute(1)); err != nil {
					t.Fatal(err)
				}
			}
			_ = begin(Announcing, r, minute(1))
			var below []string
			for _, c := range r.Copies {
				if c.Saying > c.Said {
					below = append(below, c.Ref.Message)
					if who := BelowRecipients(r, c); !slices.Equal(who, []string{"slack:U3"}) {
						t.Errorf("below %s are rung %v", c.Ref.Message, who)
					}
				}
			}
			if !slices.Equal(below, tt.want) {
				t.Errorf("announced below %v, want %v", below, tt.want)
			}
		})
	}
}

// TestPasserNeverAnswers runs random acts: a person who passed the request on never answers, at most five handovers
// happen, each to a new person, and a redelivered act changes nothing.
func TestPasserNeverAnswers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := passable(reminded, widened)
		out := map[string]bool{}
		person := rapid.SampledFrom([]string{"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8"})
		var done []Act
		for n := range rapid.IntRange(1, 25).Draw(t, "acts") {
			a := elsewhere(passing(person.Draw(t, "who"), int64(n), person.Draw(t, "to")))
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				a = elsewhere(by(a.By.ID, int64(n), ask.Choose, 0, 0))
			}
			if len(done) > 0 && rapid.Bool().Draw(t, "again") {
				a = rapid.SampledFrom(done).Draw(t, "act")
			}
			at := minute(n)
			for r.Tick(at) == nil {
			}
			before, steps := r.Clone(), len(r.Schedule.passes())
			got, err := r.judged(a, DraftMode{}, at)
			if got.Verdict == Passed || got.Verdict == Completed {
				if out[a.By.ID] || a.By.ID == "U8" {
					t.Fatalf("%s acts, who may not any more: %s", a.By.ID, got.Verdict)
				}
				done = append(done, a)
			}
			switch {
			case got.Verdict == Passed:
				if out[a.Action.To.ID] || len(r.Schedule.passes()) != steps+1 || len(r.Schedule.passes()) > ask.MaxPasses || a.Action.To.ID == "U8" {
					t.Fatalf("passed on to %s, the %dth time", a.Action.To.ID, len(r.Schedule.passes()))
				}
				out[a.By.ID] = true
			case errors.Is(err, ErrUnchanged):
				if diff := cmp.Diff(before, *r); diff != "" {
					t.Fatalf("%s changes: %s", got.Verdict, diff)
				}
			}
		}
	})
}
