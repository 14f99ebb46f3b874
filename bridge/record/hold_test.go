package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

// forAWhile lets decisions about the request be undone for ten seconds.
func (r *Record) forAWhile() *Record {
	r.Hold = 10 * time.Second
	return r
}

// standing summarizes a request, including a held decision.
func standing(r *Record) string {
	if r.Held == nil {
		if r.Voting == nil {
			return string(r.Outcome.State) + " " + r.Text()
		}
		return summary(r)
	}
	shown := r.Clone()
	shown.Outcome = r.Held.Outcome
	if r.Voting == nil {
		return "held " + string(shown.Outcome.State) + " " + shown.Text()
	}
	shown.Outcome.Votes = countOf(r).votes()
	return "held " + summary(&shown)
}

func TestDecisionCanBeUndoneDuringHold(t *testing.T) {
	t.Parallel()
	pick := func(who string, order int64, option int) Act { return by(who, order, ask.Choose, 0, option) }
	both := func(who string, order int64, first, second int) Act {
		return by(who, order, ask.SubmitAll, -1, -1).picking(0, first).picking(1, second)
	}
	undo := func(who string, order int64) Act { return by(who, order, ask.Undo, -1, -1) }
	undoOf := func(revision int, who string, order int64) Act { return by(who, order, ask.Undo, -1, revision) }
	type step struct {
		a       Act
		at      time.Duration
		verdict Verdict
	}
	two := ask.Voting{Mode: ask.Quorum, Need: 2}
	veto := ask.Voting{Mode: ask.Quorum, Need: 2, Needs: map[string]int{"Stop": 1}}
	vetoOfTwo := ask.Voting{Mode: ask.Quorum, Need: 3, Needs: map[string]int{"Stop": 2}, Dismiss: 2}
	// deployed is three people who vote to deploy.
	deployed := func(more ...step) []step {
		return append([]step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 0), 0, Counted}, {pick("U3", 3, 0), 0, Tentative}}, more...)
	}
	const postgres, sqlite = "Which database?\nPostgres", "Which database?\nSQLite"
	over := func(after time.Duration) func(*Record) error {
		return func(r *Record) error { return catchUp(r, start.Add(after)) }
	}
	cancelled := func(after time.Duration) func(*Record) error {
		return func(r *Record) error { return r.Withdraw(ask.Cancelled, "no need", start.Add(after)) }
	}
	for _, tt := range []struct {
		name   string
		record *Record
		steps  []step
		then   func(*Record) error
		want   string
	}{
		{
			name: "a decision is no end yet", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}}, want: "held answered " + postgres,
		},
		{
			name: "it is final when its time is over", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}}, then: over(10 * time.Second), want: "answered " + postgres,
		},
		{
			name: "a sweep before that changes nothing", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}}, then: over(10*time.Second - 1), want: "held answered " + postgres,
		},
		{
			name: "the decider can undo and decide again", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}, {undo("U1", 2), 9 * time.Second, Undone}, {pick("U1", 3, 1), 10 * time.Second, Tentative}},
			then:  over(20 * time.Second), want: "answered " + sqlite,
		},
		{
			name: "no one else can undo it", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}, {undo("U2", 2), 0, Theirs}}, want: "held answered " + postgres,
		},
		{
			name: "no other decision meanwhile", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}, {pick("U2", 2, 1), 0, Decided}, {pick("U1", 3, 1), 0, Decided}}, want: "held answered " + postgres,
		},
		{
			name: "a press that came too soon does not decide when it is delivered again after an undo", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}, {pick("U2", 2, 1), 0, Decided}, {undo("U1", 3), 0, Undone}, {pick("U2", 2, 1), 0, Repeated}},
			want:  "open ",
		},
		{
			name: "the deciding press does not decide again when it is delivered after an undo", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}, {undo("U1", 2), 0, Undone}, {pick("U1", 1, 0), 0, Repeated}},
			want:  "open ",
		},
		{
			name: "an undo that is delivered again does not undo the next decision", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}, {undo("U1", 2), 0, Undone}, {pick("U1", 3, 1), 0, Tentative}, {undo("U1", 2), 0, Repeated}},
			want:  "held answered " + sqlite,
		},
		{
			name: "an undo of an earlier card does not undo the next decision", record: openRecord(singleQ()).forAWhile(),
			steps: []step{
				{pick("U1", 1, 0), 0, Tentative},
				{undoOf(2, "U1", 2), 0, Undone},
				{pick("U1", 4, 1), 0, Tentative},
				{undoOf(2, "U1", 5), 0, Stale},
				{undoOf(5, "U1", 6), 0, Stale},
			},
			want: "held answered " + sqlite,
		},
		{
			name: "an undo in the moment of the end comes too late", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}, {undo("U1", 2), 10 * time.Second, Closed}}, want: "answered " + postgres,
		},
		{
			name: "the deciding press is known after the end", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}, {pick("U2", 2, 1), time.Minute, Closed}, {pick("U1", 1, 0), time.Minute, Repeated}}, want: "answered " + postgres,
		},
		{
			name: "there is nothing to undo before anybody decides", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{undo("U1", 1), 0, Unheld}}, want: "open ",
		},
		{
			name: "nothing is held where it was not asked for", record: openRecord(singleQ()),
			steps: []step{{pick("U1", 1, 0), 0, Completed}, {undo("U1", 2), 0, Closed}}, want: "answered " + postgres,
		},
		{
			name: "undo restores earlier choices", record: openRecord(singleQ(), textQ()).forAWhile(),
			steps: []step{
				{by("U1", 1, ask.Select, 0, -1).picking(0, 1), 0, Recorded},
				{by("U1", 2, ask.SubmitAll, -1, -1).picking(0, 0).writing(1, "T-1"), 0, Tentative},
				{undo("U1", 3), 0, Undone},
				{by("U1", 4, ask.Submit, -1, -1), 0, Incomplete},
				{by("U1", 5, ask.Type, 1, -1).writing(1, "T-2"), 0, Recorded},
				{by("U1", 6, ask.Submit, -1, -1), 0, Tentative},
			},
			then: over(time.Minute), want: "answered " + sqlite + "\n\nWhich ticket?\nT-2",
		},
		{
			name: "a reply and a dismissal can be undone too", record: openRecord(singleQ()).forAWhile(),
			steps: []step{
				{by("U1", 1, ask.Reply, -1, -1).writing(-1, "why?"), 0, Tentative},
				{undo("U1", 2), 0, Undone},
				{by("U1", 3, ask.Dismiss, -1, -1), 0, Tentative},
			},
			then: over(time.Minute), want: "cancelled ",
		},
		{
			name: "the agent's word is stronger", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}}, then: cancelled(9 * time.Second), want: "cancelled ",
		},
		{
			name: "and comes too late for what is final", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Tentative}}, then: cancelled(10 * time.Second), want: "answered " + postgres,
		},
		{
			name: "the deadline does not end what was decided before it", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), time.Hour - time.Second, Tentative}}, then: over(time.Hour + time.Second), want: "held answered " + postgres,
		},
		{
			name: "it ends it once that is undone", record: openRecord(singleQ()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), time.Hour - time.Second, Tentative}, {undo("U1", 2), time.Hour + time.Second, Undone}, {pick("U1", 3, 0), time.Hour + 2*time.Second, Late}},
			want:  "expired ",
		},
		{
			name: "nothing else counts after it", record: voted(veto, deploy()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 0), time.Hour - time.Second, Tentative}, {pick("U3", 3, 2), time.Hour + time.Second, Late}},
			want:  "held answered Deploy, (U1) | U1:Deploy U2:Deploy",
		},
		{
			name: "a vote is held as it is decided, and undone as a whole", record: voted(two, deploy()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 1), 0, Counted}, {pick("U2", 3, 0), 0, Tentative}, {undo("U2", 4), 0, Undone}},
			want:  "open | U1:Deploy U2:Wait",
		},
		{
			name: "everybody can undo it on whose vote it rests", record: voted(two, deploy()).forAWhile(),
			steps: []step{{pick("U3", 1, 1), 0, Counted}, {pick("U1", 2, 0), 0, Counted}, {pick("U2", 3, 0), 0, Tentative}, {undo("U3", 4), 0, Theirs}, {undo("U1", 5), 0, Undone}},
			want:  "open | U3:Wait U1:Deploy",
		},
		{
			name: "a veto takes the place of what is held", record: voted(veto, deploy()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 0), 0, Tentative}, {pick("U3", 3, 2), 9 * time.Second, Tentative}, {pick("U4", 4, 0), 15 * time.Second, Decided}},
			then:  over(19 * time.Second), want: "answered Stop, (U3) | U1:Deploy U2:Deploy U3:Stop",
		},
		{
			name: "a veto that is undone leaves nothing decided", record: voted(veto, deploy()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 0), 0, Tentative}, {pick("U3", 3, 2), 0, Tentative}, {undo("U1", 4), 0, Theirs}, {undo("U3", 5), 0, Undone}},
			want:  "open | U1:Deploy",
		},
		{
			name: "a veto that takes two is gathered while it is held", record: voted(vetoOfTwo, deploy()).forAWhile(),
			steps: deployed(step{pick("U4", 4, 2), 0, Counted}, step{pick("U4", 4, 2), 0, Repeated}, step{pick("U5", 5, 2), 9 * time.Second, Tentative}),
			want:  "held answered Stop, (U4) | U1:Deploy U2:Deploy U3:Deploy U4:Stop U5:Stop",
		},
		{
			name: "so is a dismissal that takes two", record: voted(vetoOfTwo, deploy()).forAWhile(),
			steps: deployed(step{by("U4", 4, ask.Dismiss, -1, -1), 0, Counted}, step{by("U5", 5, ask.Dismiss, -1, -1), 0, Tentative}),
			want:  "held cancelled dismissed | U1:Deploy U2:Deploy U3:Deploy U4:dismiss U5:dismiss",
		},
		{
			name: "the deciding voter completes a veto but does not begin one", record: voted(vetoOfTwo, deploy()).forAWhile(),
			steps: deployed(step{pick("U1", 4, 2), 0, Decided}, step{pick("U4", 5, 2), 0, Counted}, step{pick("U1", 6, 2), 0, Tentative}),
			want:  "held answered Stop, (U4) | U2:Deploy U3:Deploy U4:Stop U1:Stop",
		},
		{
			name: "half a veto stops nothing and is kept with the decision", record: voted(vetoOfTwo, deploy()).forAWhile(),
			steps: deployed(step{pick("U4", 4, 2), 0, Counted}, step{undo("U4", 5), 0, Theirs}), then: over(10 * time.Second),
			want: "answered Deploy, (U1) | U1:Deploy U2:Deploy U3:Deploy U4:Stop",
		},
		{
			name: "half a veto survives an undo", record: voted(vetoOfTwo, deploy()).forAWhile(),
			steps: deployed(step{pick("U4", 4, 2), 0, Counted}, step{undo("U3", 5), 0, Undone}, step{pick("U4", 4, 2), 0, Repeated}),
			want:  "open | U1:Deploy U2:Deploy U4:Stop",
		},
		{
			name: "a veto that was gathered is undone by one of its people, who takes back the last vote", record: voted(vetoOfTwo, deploy()).forAWhile(),
			steps: deployed(step{pick("U4", 4, 2), 0, Counted}, step{pick("U5", 5, 2), 0, Tentative}, step{undo("U1", 6), 0, Theirs}, step{undo("U4", 7), 0, Undone}),
			want:  "open | U1:Deploy U2:Deploy U4:Stop",
		},
		{
			name: "a veto that changes another answer as well comes too late", record: voted(vetoOfTwo, deploy(), singleQ()).forAWhile(),
			steps: []step{
				{both("U4", 1, 2, 1), 0, Counted},
				{both("U5", 2, 1, 1), 0, Counted},
				{both("U1", 3, 0, 0), 0, Counted},
				{both("U2", 4, 0, 0), 0, Counted},
				{both("U3", 5, 0, 0), 0, Tentative},
				{both("U1", 6, 2, 1), 0, Decided},
			},
			then: over(10 * time.Second), want: "answered Deploy, (U1) Postgres, (U1) | U4:StopSQLite U5:WaitSQLite U1:DeployPostgres U2:DeployPostgres U3:DeployPostgres",
		},
		{
			name: "a vote that decides nothing else comes too late", record: voted(two, deploy()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 0), 0, Tentative}, {pick("U3", 3, 0), 0, Decided}, {by("U1", 4, ask.TakeBack, -1, -1), 0, Decided}},
			then:  over(time.Minute), want: "answered Deploy, (U1) | U1:Deploy U2:Deploy",
		},
		{
			name: "no overruling with a quorum of the same size", record: voted(two, deploy()).forAWhile(),
			steps: []step{{pick("U3", 1, 1), 0, Counted}, {pick("U1", 2, 0), 0, Counted}, {pick("U2", 3, 0), 0, Tentative}, {pick("U4", 4, 1), 0, Decided}},
			want:  "held answered Deploy, (U1) | U3:Wait U1:Deploy U2:Deploy",
		},
		{
			name: "a dismissal takes the place of what is held", record: voted(two, deploy()).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 0), 0, Tentative}, {by("U3", 3, ask.Dismiss, -1, -1), 0, Tentative}, {pick("U4", 4, 0), 0, Decided}},
			want:  "held cancelled dismissed | U1:Deploy U2:Deploy U3:dismiss",
		},
		{
			name: "a poll is held when everybody has voted", record: func() *Record {
				r := voted(ask.Voting{Mode: ask.Poll}, deploy()).forAWhile()
				r.Voting.Roster = []string{"slack:U1", "slack:U2", "slack:U3"}
				return r
			}(),
			steps: []step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 0), 0, Counted}, {pick("U3", 3, 1), 0, Tentative}, {undo("U3", 4), 0, Undone}},
			want:  "open | U1:Deploy U2:Deploy",
		},
		{
			name: "a human can undo on every platform", record: voted(two, deploy()).onBoth(map[string]string{"slack:U1": "dana", "discord:U9": "dana"}).forAWhile(),
			steps: []step{{pick("U1", 1, 0), 0, Counted}, {pick("U2", 2, 0), 0, Tentative}, {undo("U9", 3).onDiscord(), 0, Undone}},
			want:  "open | U1:Deploy",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := tt.record
			for n, s := range tt.steps {
				got, err := r.judged(s.a, DraftMode{}, start.Add(s.at))
				if got.Verdict != s.verdict || err != nil && !errors.Is(err, ErrUnchanged) {
					t.Fatalf("step %d: got %q, want %q (%v)", n+1, got.Verdict, s.verdict, err)
				}
			}
			if tt.then != nil {
				if err := tt.then(r); err != nil && !errors.Is(err, ErrUnchanged) {
					t.Fatal(err)
				}
			}
			if got := standing(r); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if want := closesAt(r); r.Open() && !r.Due.Equal(want) {
				t.Errorf("it is due at %v, want %v", r.Due, want)
			}
		})
	}
}

func TestEndTimeDoesNotDependOnSweep(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ()).forAWhile()
	_, _ = r.judged(by("U1", 1, ask.Choose, 0, 0), DraftMode{}, start)
	late := r.Clone()
	if err := errors.Join(catchUp(r, start.Add(10*time.Second)), catchUp(&late, start.Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Outcome, late.Outcome); diff != "" {
		t.Errorf("a sweep that was late gives another outcome: %s", diff)
	}
}

// TestHeldDecisionUpdatesCards checks which people get an updated card.
func TestHeldDecisionUpdatesCards(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ()).forAWhile()
	for n, a := range []Act{by("U1", 1, ask.Choose, 0, 0), by("U1", 2, ask.Undo, -1, -1)} {
		before := r.Revision
		_, _ = r.judged(a, DraftMode{}, start)
		if r.Revision != before+1 || !Behind(r) {
			t.Errorf("step %d leaves the card as it was", n+1)
		}
		r.Copies[0].Rendered, r.DeliveryDue = r.Revision, time.Time{}
		_, _ = r.judged(by("U2", int64(10+n), ask.Undo, -1, -1), DraftMode{}, start)
		if Behind(r) {
			t.Errorf("step %d: an undo that does not count draws the card", n+1)
		}
	}
}

// U4 types a vote for a veto of two before anything is decided, and edits the message while a decision is held.
func TestEditedVoteCompletesNoVeto(t *testing.T) {
	t.Parallel()
	r := voted(ask.Voting{Mode: ask.Quorum, Need: 3, Needs: map[string]int{"Stop": 2}}, deploy()).forAWhile()
	typed, changed := by("U4", 1, ask.Choose, 0, 2), by("U4", 5, ask.Choose, 0, 0)
	typed.Said = MessageRef{Platform: "slack", Channel: "C1", Message: "typed"}
	changed.Said = typed.Said
	for n, tt := range []struct {
		act  Act
		want Verdict
	}{
		{typed, Counted},
		{by("U1", 2, ask.Choose, 0, 0), Counted},
		{by("U2", 3, ask.Choose, 0, 0), Counted},
		{by("U3", 4, ask.Choose, 0, 0), Tentative},
		{changed, Decided},
		{by("U5", 6, ask.Choose, 0, 2), Counted},
	} {
		if got, _ := r.Judge(tt.act, DraftMode{}, start); got.Verdict != tt.want {
			t.Errorf("act %d comes to %s, want %s", n+1, got.Verdict, tt.want)
		}
	}
	if got, want := standing(r), "held answered Deploy, (U1) | U1:Deploy U2:Deploy U3:Deploy U5:Stop"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// More people press during the hold than a record remembers outside one.
func TestRedeliveredPressFromHoldDecidesNothing(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ()).forAWhile()
	acts := []Act{by("U1", 1, ask.Choose, 0, 0)}
	for n := range 2 * maxRecent {
		acts = append(acts, by(fmt.Sprint("U", n+2), int64(n+2), ask.Choose, 0, 1))
	}
	for _, a := range acts {
		_, _ = r.judged(a, DraftMode{}, start)
	}
	if got, _ := r.judged(by("U1", 1000, ask.Undo, -1, -1), DraftMode{}, start); got.Verdict != Undone {
		t.Fatalf("the undo is %q", got.Verdict)
	}
	for n, a := range acts {
		again := r.Clone()
		if got, _ := again.judged(a, DraftMode{}, start.Add(time.Minute)); got.Verdict != Repeated {
			t.Errorf("press %d of %d, delivered again after the undo, is %q", n+1, len(acts), got.Verdict)
		}
	}
}

// A typed message is edited twice, and the first edit arrives last.
func TestLateEditOfTypedVoteIsIgnored(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*Record{
		"where one decides": openRecord(deploy()).forAWhile(),
		"in a vote":         voted(ask.Voting{Mode: ask.Quorum, Need: 1}, deploy()).forAWhile(),
	} {
		typed := func(order int64, option int) Act {
			a := by("U1", order, ask.Choose, 0, option)
			a.Said = MessageRef{Platform: "slack", Channel: "C1", Message: "typed"}
			return a
		}
		judge := func(a Act) Verdict {
			got, _ := r.Judge(a, DraftMode{}, start)
			return got.Verdict
		}
		first, early, last := judge(typed(1, 0)), judge(typed(3, 1)), judge(typed(3, 1))
		late := judge(typed(2, 2))
		retracted, _ := r.RetractTyped(typed(2, 0).Said, "unreadable", 2, start)
		if got := []Verdict{first, early, last, late, retracted.Verdict}; !slices.Equal(got, []Verdict{Tentative, Early, Tentative, Stale, Stale}) {
			t.Errorf("%s the acts come to %q", name, got)
		}
		if got := standing(r); !strings.HasPrefix(got, "held answered") || !strings.Contains(got, "Wait") {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
