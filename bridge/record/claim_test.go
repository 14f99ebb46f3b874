package record

import (
	"errors"
	"testing"
	"time"
	_ "time/tzdata" // For machines without time zone data.

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

// claimable is a scheduled record for Ana and Sam that can be claimed for a quarter of an hour.
func claimable(steps ...Step) *Record {
	r := scheduled(steps...)
	r.Policy, r.Schedule.ClaimFor = ask.PolicyOf("slack:U1", "slack:U2"), 15*time.Minute
	return r
}

func onIt(who string, order int64) Act { return by(who, order, ask.Claim, -1, -1) }

func TestClaimDelaysSteps(t *testing.T) {
	t.Parallel()
	later := reminded
	later.After = 40 * time.Minute
	r := claimable(reminded, widened, later)
	before := r.Clone()
	want := before.Clone()
	got, err := r.judged(onIt("U1", 1), DraftMode{}, minute(8))
	if err != nil || got.Verdict != Claimed {
		t.Fatalf("%s, %v", got.Verdict, err)
	}
	if diff := cmp.Diff(want, before); diff != "" {
		t.Errorf("a copy of the record changed: %s", diff)
	}
	if c := r.Schedule.Claim; c.By.ID != "U1" || !c.At.Equal(minute(8)) || !c.Until.Equal(minute(23)) || r.Revision != 2 {
		t.Errorf("the cards say %+v at revision %d", c, r.Revision)
	}
	if !r.Due.Equal(minute(23)) || !r.Deadline.Equal(minute(60)) {
		t.Errorf("it is due at %s, and ends at %s", r.Due, r.Deadline)
	}
	if err := r.Tick(minute(22)); !errors.Is(err, ErrUnchanged) {
		t.Errorf("before the claim lapses: %v", err)
	}
	if err := r.Tick(minute(23)); err != nil || r.Schedule.Done != 2 || !r.Due.Equal(minute(40)) {
		t.Errorf("when it lapses: %v, %d steps have happened, and it is due at %s", err, r.Schedule.Done, r.Due)
	}
	if c := r.Copies[1]; c.Step != 2 || c.Said != 2 || c.Saying != 2 {
		t.Errorf("the added card has its own step announced below it: %+v", c)
	}
}

func TestClaimCanBeTakenOver(t *testing.T) {
	t.Parallel()
	r := claimable(reminded)
	for _, tt := range []struct {
		act  Act
		at   int
		want Verdict
		who  string
	}{
		{onIt("U9", 1), 1, Forbidden, ""},
		{onIt("U1", 2), 2, Claimed, "U1"},
		{onIt("U1", 2), 3, Repeated, "U1"},
		{onIt("U2", 4), 4, Claimed, "U2"},
		{onIt("U1", 3), 5, Stale, "U2"},
		{onIt("U1", 2), 5, Repeated, "U2"},
		{by("U1", 6, ask.Choose, 0, 0), 6, Completed, "U2"},
		{onIt("U2", 7), 7, Closed, "U2"},
	} {
		got, _ := r.judged(tt.act, DraftMode{}, minute(tt.at))
		who := ""
		if c := r.Schedule.Claim; c != nil {
			who = c.By.ID
		}
		if got.Verdict != tt.want || who != tt.who {
			t.Errorf("at minute %d the act comes to %s, want %s, and %q is on it, want %q", tt.at, got.Verdict, tt.want, who, tt.who)
		}
	}
	if r.Outcome.State != ask.Answered || r.Outcome.By.ID != "U1" {
		t.Errorf("it ended as %+v", r.Outcome)
	}
}

func TestNoClaimWhereNoneIsOffered(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*Record{"without a schedule": openRecord(singleQ()), "with steps alone": scheduled(reminded)} {
		if got, err := r.judged(onIt("U1", 1), DraftMode{}, minute(1)); got.Verdict != Unknown || !errors.Is(err, ErrUnchanged) {
			t.Errorf("%s: %s, %v", name, got.Verdict, err)
		}
	}
}

func TestClaimDelaysStepPastDeadline(t *testing.T) {
	t.Parallel()
	late := reminded
	late.After = 50 * time.Minute
	r := claimable(late)
	if _, err := r.judged(onIt("U1", 1), DraftMode{}, minute(49)); err != nil || len(r.Schedule.Steps) != 0 || !r.Due.Equal(minute(60)) {
		t.Errorf("%v: %d steps are left, and it is due at %s", err, len(r.Schedule.Steps), r.Due)
	}
}

func TestDueStepsPrecedeClaim(t *testing.T) {
	t.Parallel()
	r := claimable(reminded)
	if got, err := r.judged(onIt("U1", 1), DraftMode{}, minute(10)); got.Verdict != Early || err != nil || r.Schedule.Done != 1 {
		t.Errorf("%s, %v: %d steps have happened", got.Verdict, err, r.Schedule.Done)
	}
}

func TestStepsKeepWorkingHours(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	hours := ask.Hours{Zone: "Europe/Berlin", From: "09:00", To: "18:00"}
	r := scheduled()
	r.Schedule = &Schedule{Steps: []Step{{After: time.Minute, Do: ask.Remind}, {After: 2 * time.Minute, Do: ask.Remind}, {After: 47 * time.Hour, Do: ask.Remind}}}
	night := time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC) // Daylight saving time begins that night.
	r.Begin(48*time.Hour, night)
	r.DeferSteps(hours, zone)
	opening := time.Date(2026, 3, 29, 7, 0, 0, 0, time.UTC)
	if s := r.Schedule; len(s.Steps) != 2 || !s.Steps[0].At.Equal(opening) || !s.Steps[1].At.Equal(opening) || !r.Due.Equal(opening) {
		t.Errorf("it is due at %s, and the steps are %+v", r.Due, s.Steps)
	}
	if err := r.Tick(opening); err != nil || r.Schedule.Done != 2 {
		t.Errorf("at the opening: %v, %d steps have happened", err, r.Schedule.Done)
	}
	plain := openRecord(singleQ())
	want := plain.Clone()
	if plain.DeferSteps(hours, zone); !cmp.Equal(want, *plain, cmp.AllowUnexported(ask.Policy{})) {
		t.Errorf("without a schedule the record changed")
	}
}

func TestRotaIsResolvedAtStepTime(t *testing.T) {
	t.Parallel()
	rota := Step{
		After: 10 * time.Minute, Do: ask.Add, Policy: ask.PolicyOf("slack:U1", "oncall:payments"), Added: []string{"oncall:payments"},
		Who: []string{"oncall:payments", "oncall:night"},
	}
	on := func(name string, at time.Time) []string {
		switch {
		case name != "payments":
			return nil
		case at.Before(minute(20)):
			return []string{"slack:U8"}
		}
		return []string{"slack:U9"}
	}
	r := claimable(rota)
	if r.ResolveOnCall(on, minute(9)); r.Schedule.Steps[0].Added[0] != "oncall:payments" {
		t.Errorf("before its moment the step names %q", r.Schedule.Steps[0].Added)
	}
	if _, err := r.judged(onIt("U1", 1), DraftMode{}, minute(9)); err != nil {
		t.Fatal(err)
	}
	shared := r.Clone()
	r.ResolveOnCall(on, minute(24))
	if err := r.Tick(minute(24)); err != nil || r.Policy.String() != "slack:U1,slack:U9" {
		t.Errorf("%v: %s may answer", err, r.Policy)
	}
	want := Step{
		After: rota.After, At: minute(24), Do: ask.Add, Policy: ask.PolicyOf("slack:U1", "slack:U9"), Added: []string{"slack:U9"},
		Who: []string{"slack:U9", "oncall:night"},
	}
	if diff := cmp.Diff(want, r.Schedule.Steps[0]); diff != "" {
		t.Errorf("the step that happened (-want +got):\n%s", diff)
	}
	if shared.Schedule.Steps[0].Added[0] != "oncall:payments" {
		t.Error("a copy of the record changed")
	}
}
