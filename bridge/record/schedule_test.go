package record

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

var (
	opsChannel = ask.Place{Platform: "discord", Channel: "1"}
	reminded   = Step{After: 10 * time.Minute, Do: ask.Remind, Who: []string{"slack:U1"}}
	widened    = Step{
		After: 20 * time.Minute, Do: ask.Add, Policy: ask.PolicyOf("slack:U1", "slack:U2"), Added: []string{"slack:U2"},
		Places: []ask.Place{opsChannel}, Who: []string{"slack:U2", "discord:2"},
	}
)

// scheduled is an open record of Ana's with steps.
func scheduled(steps ...Step) *Record {
	r := openRecord(singleQ())
	r.Policy, r.Schedule, r.Deadline = ask.PolicyOf("slack:U1"), &Schedule{Steps: steps}, time.Time{}
	r.Begin(time.Hour, start)
	r.DeliveryDue = time.Time{}
	return r
}

func minute(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }

func TestRecordIsDueAtEarliestTime(t *testing.T) {
	t.Parallel()
	r := scheduled(reminded, widened)
	for n, want := range []time.Time{minute(10), minute(20), minute(60)} {
		if !r.Due.Equal(want) || r.Schedule.Done != n {
			t.Errorf("after %d steps it is due at %s, want %s", r.Schedule.Done, r.Due, want)
		}
		if err := r.Tick(want.Add(-time.Second)); !errors.Is(err, ErrUnchanged) {
			t.Errorf("a second before step %d: %v", n, err)
		}
		if err := r.Tick(want); err != nil || r.Copies[0].Rendered == r.Revision || r.DeliveryDue.IsZero() {
			t.Errorf("at step %d: %v, card due at %s", n, err, r.DeliveryDue)
		}
		r.Copies[0].Rendered, r.DeliveryDue = r.Revision, time.Time{}
	}
	if r.Outcome.State != ask.Expired {
		t.Errorf("at its deadline it is %s", r.Outcome.State)
	}
	r = scheduled(reminded)
	r.Deadline, r.Due = time.Time{}, time.Time{}
	r.Begin(ask.Never, start)
	if err := r.Tick(minute(10)); err != nil || !r.Due.Equal(Forever) {
		t.Errorf("without a deadline: %v, due at %s", err, r.Due)
	}
}

func TestStepCopiesSharedState(t *testing.T) {
	t.Parallel()
	r := scheduled(reminded, widened)
	before := r.Clone()
	want := before.Clone()
	for range 2 {
		if err := r.Tick(minute(20)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, before); diff != "" {
		t.Errorf("a copy of the record changed: %s", diff)
	}
}

func TestStepAddsPeopleAndPlaces(t *testing.T) {
	t.Parallel()
	r := scheduled(reminded, widened)
	sam := by("U2", 1, ask.Choose, 0, 0)
	if got, err := r.judged(sam, DraftMode{}, minute(9)); got.Verdict != Forbidden || !errors.Is(err, ErrUnchanged) {
		t.Errorf("before they are added: %s, %v", got.Verdict, err)
	}
	var verdicts []Verdict
	for range 3 {
		got, err := r.judged(sam, DraftMode{}, minute(20))
		if err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, got.Verdict)
	}
	if want := []Verdict{Early, Early, Completed}; !slices.Equal(verdicts, want) {
		t.Errorf("at the moment when they are added the verdicts are %q, want %q", verdicts, want)
	}
	if len(r.Copies) != 2 || r.Copies[1].Target != opsChannel || r.Copies[1].Step != 2 || r.Outcome.By.ID != "U2" {
		t.Errorf("the copies are %+v, decided by %s", r.Copies, r.Outcome.By.ID)
	}
	if got := Recipients(r, r.Copies[1]); !slices.Equal(got, []string{"discord:2"}) {
		t.Errorf("an added card notifies %q", got)
	}
}

func TestExistingPlaceIsNotAddedAgain(t *testing.T) {
	t.Parallel()
	again := widened
	again.Places = []ask.Place{{Platform: "slack", Channel: "C1"}}
	r := scheduled(again)
	if err := r.Tick(minute(20)); err != nil || len(r.Copies) != 1 {
		t.Errorf("%v, %d copies", err, len(r.Copies))
	}
}

func TestEndedRequestTakesNoSteps(t *testing.T) {
	t.Parallel()
	r := scheduled(reminded, widened)
	if err := r.Tick(minute(61)); err != nil || r.Schedule.Done != 0 || r.Outcome.State != ask.Expired {
		t.Errorf("%v: %d steps happened to a request that is %s", err, r.Schedule.Done, r.Outcome.State)
	}
	if err := r.Tick(minute(62)); !errors.Is(err, ErrUnchanged) {
		t.Errorf("after the end: %v", err)
	}
	r = scheduled(reminded)
	if err := r.Tick(minute(10)); err != nil {
		t.Fatal(err)
	}
	if err := r.Withdraw(ask.Cancelled, "enough", minute(10)); err != nil || Announcing.Wants(r, r.Copies[0], true) {
		t.Errorf("%v: an ended request notifies people", err)
	}
}

func TestPersonAddedByStepMayVote(t *testing.T) {
	t.Parallel()
	r := scheduled(widened)
	r.Voting = &Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 2}, Roster: []string{"slack:U1"}}
	before := r.Clone()
	if err := r.Tick(minute(20)); err != nil || r.Standing().Roster != 2 || before.Standing().Roster != 1 {
		t.Errorf("%v: %d vote, and before %d", err, r.Standing().Roster, before.Standing().Roster)
	}
}

// The card shows how many votes are needed, and of how many people.
func TestVoteCardCountsAddedVoters(t *testing.T) {
	t.Parallel()
	list := []string{"slack:U1", "slack:U2"}
	for name, tt := range map[string]struct {
		added, policy []string
		want          int
	}{
		"one person more":                       {[]string{"slack:U4"}, append(list, "slack:U4"), 3},
		"one who is there already":              {[]string{"slack:U2"}, list, 2},
		"a group of unknown size":               {[]string{"slack-group:S1"}, append(list, "slack-group:S1"), 0},
		"the requester, who may not":            {[]string{"slack:U8"}, append(list, "slack:U8", ask.NotRequester), 2},
		"a person the route refuses":            {[]string{"slack:U9"}, list, 2},
		"an empty rota":                         {[]string{"oncall:payments"}, append(list, "oncall:payments"), 2},
		"a group and a person who votes by now": {[]string{"slack:U2", "slack-group:S1"}, append(list, "slack-group:S1"), 0},
	} {
		r := scheduled(Step{At: minute(20), Do: ask.Add, Policy: ask.PolicyOf(tt.policy...), Added: tt.added})
		r.Requesters = []string{"slack:U8"}
		r.Voting = &Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 2}, Roster: list}
		if err := r.Tick(minute(20)); err != nil || r.Standing().Roster != tt.want {
			t.Errorf("%s: %v, 2 of %d, want of %d", name, err, r.Standing().Roster, tt.want)
		}
	}
}

func TestStepIsAnnouncedByOneReplica(t *testing.T) {
	t.Parallel()
	r := scheduled(reminded, widened)
	wantNotified := func(want ...string) {
		t.Helper()
		if got := BelowRecipients(r, r.Copies[0]); !slices.Equal(got, want) {
			t.Errorf("notified %q, want %q", got, want)
		}
	}
	if err := errors.Join(r.Tick(minute(10)), begin(Announcing, r, minute(10))); err != nil {
		t.Fatal(err)
	}
	wantNotified("slack:U1")
	if err := r.Tick(minute(20)); err != nil {
		t.Fatal(err)
	}
	if err := begin(Announcing, r, minute(20)); !errors.Is(err, ErrUnchanged) || Behind(r) && Announcing.Wants(r, r.Copies[0], false) {
		t.Errorf("announced by another replica at the same time: %v", err)
	}
	if !Announcing.Wants(r, r.Copies[0], true) {
		t.Error("the started announcement is not due")
	}
	wantNotified("slack:U1")
	Announced{Steps: 1}.write(r, &r.Copies[0], minute(21))
	if err := begin(Announcing, r, minute(21)); err != nil {
		t.Errorf("the next step is not announced: %v", err)
	}
	wantNotified("slack:U2")
	NotAnnounced{Steps: 2, Failure: Failure{Posted: true, Wait: time.Second}}.write(r, &r.Copies[0], minute(21))
	if !Announcing.Wants(r, r.Copies[0], false) {
		t.Error("the failed announcement is not retried")
	}
}

// Replicas sweep, accept acts and announce steps, and die in between. The result must match a list of times,
// whichever replica ran when, and no step may be announced twice.
func TestStepsHappenAndAreAnnouncedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var steps []Step
		after := time.Duration(0)
		for n := range rapid.IntRange(1, 5).Draw(t, "steps") {
			after += time.Duration(rapid.IntRange(1, 15).Draw(t, "after")) * time.Minute
			s := Step{After: after, Do: ask.Remind, Who: []string{"slack:U1"}}
			if rapid.Bool().Draw(t, "adds") {
				s.Do, s.Policy = ask.Add, ask.PolicyOf("slack:U1", "slack:U2")
				s.Added = []string{"slack:U2"}
			}
			steps = append(steps, s)
			_ = n
		}
		r := scheduled(steps...)
		adds := time.Time{}
		for _, s := range steps {
			if s.Do == ask.Add && adds.IsZero() {
				adds = start.Add(s.After)
			}
		}
		now, ended := start, ""
		sent := map[int]int{} // announcements of each step
		announced := 0        // steps announced below the card
		alive := true         // the last announcer has reported its result
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8).Draw(t, "minutes")) * time.Minute)
			late := !now.Before(r.Deadline)
			if late && ended == "" {
				ended = "expired"
			}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				_ = r.Tick(now)
			case 1:
				a := by("U2", now.Unix(), ask.Choose, 0, 0)
				for {
					if got, _ := r.judged(a, DraftMode{}, now); got.Verdict != Early {
						break
					}
				}
				if ended == "" && !adds.IsZero() && !now.Before(adds) {
					ended = "answered"
				}
			default:
				claimed := !alive && rapid.Bool().Draw(t, "taken over")
				first, doubted := r.Copies[0].Said, claimed && Announcing.Wants(r, r.Copies[0], true) && !Announcing.Wants(r, r.Copies[0], false)
				if !doubted && begin(Announcing, r, now) != nil {
					continue
				}
				done := r.Copies[0].Saying
				if doubted && announced >= done {
					// The announcement is found.
				} else if rapid.IntRange(0, 4).Draw(t, "dies before") == 0 {
					alive = false
					continue
				} else {
					for n := first; n < done; n++ {
						sent[n]++
					}
					announced = done
				}
				if alive = rapid.IntRange(0, 4).Draw(t, "dies after") > 0; alive {
					Announced{Steps: done}.write(r, &r.Copies[0], now)
				}
			}
			if r.Open() {
				want := 0
				for _, s := range steps {
					if !now.Before(start.Add(s.After)) {
						want++
					}
				}
				if r.Schedule.Done > want {
					t.Fatalf("%d steps have happened, %d are due", r.Schedule.Done, want)
				}
			}
		}
		for r.Tick(now) == nil {
			continue
		}
		if got := string(r.Outcome.State); ended != "" && got != ended || ended == "" && !r.Open() {
			t.Fatalf("it is %s, want %q", got, ended)
		}
		for r.Open() && r.Copies[0].Said < r.Schedule.Done { // A replica takes over in the end.
			c := &r.Copies[0]
			if doubted := !Announcing.Wants(r, *c, false); !doubted && begin(Announcing, r, now) != nil || doubted && !Announcing.Wants(r, *c, true) {
				t.Fatalf("not announced: %+v", c)
			} else if !doubted || announced < c.Saying {
				for n := c.Said; n < c.Saying; n++ {
					sent[n]++
				}
			}
			Announced{Steps: c.Saying}.write(r, c, now)
		}
		if r.Open() && len(sent) != r.Schedule.Done {
			t.Fatalf("%d of %d steps were announced", len(sent), r.Schedule.Done)
		}
		for n, times := range sent {
			if times > 1 {
				t.Fatalf("step %d was announced %d times", n+1, times)
			}
		}
	})
}
