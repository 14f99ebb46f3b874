package record

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// traced summarizes the trail of a record in one line.
func traced(r *Record) string {
	var all []string
	for _, e := range r.Trail.Events {
		s := string(e.Kind)
		if e.By.ID != "" {
			s += " by " + e.By.ID
		}
		if e.Detail != "" {
			s += " " + e.Detail
		}
		for _, c := range e.Choices {
			s += " " + strings.Join(c.Selected, "+") + c.Other
		}
		if e.Text != "" {
			s += " " + e.Text
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// acting is a transition that judges an act.
func acting(a Act) Transition {
	return func(r *Record, now time.Time) error {
		_, err := r.judged(a, DraftMode{}, now)
		return err
	}
}

func TestTrailRecordsChanges(t *testing.T) {
	t.Parallel()
	pick := func(who string, order int64, option int) Transition {
		return acting(by(who, order, ask.Choose, 0, option))
	}
	undo := func(who string, order int64) Transition { return acting(by(who, order, ask.Undo, -1, -1)) }
	after := func(d time.Duration, f Transition) Transition {
		return func(r *Record, now time.Time) error { return f(r, now.Add(d)) }
	}
	posted := func(r *Record, _ time.Time) error {
		r.Copies = append(r.Copies, Copy{Target: ask.Place{Platform: "discord", Channel: "7"}, State: Posted})
		return nil
	}
	only := func(who string, r *Record) *Record {
		r.Policy = ask.PolicyOf("slack:" + who)
		return r
	}
	voting := func(show ask.Show, r *Record) *Record {
		r.Voting = &Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 2, Show: show}}
		return r
	}
	for name, tt := range map[string]struct {
		record *Record
		steps  []Transition
		want   string
	}{
		"who answered": {openRecord(singleQ()), []Transition{pick("U1", 1, 0)}, "answered by U1"},
		"who was on it, and what came when that was over": {
			claimable(reminded, widened),
			[]Transition{after(8*time.Minute, acting(onIt("U1", 1))), after(23*time.Minute, (*Record).Tick)},
			"claimed by U1, step 1 remind, step 2 add",
		},
		"a permission with a grant": {granting(openRecord(singleQ())), []Transition{pick("U1", 1, 0)}, "answered by U1, granted by U1 session 8h0m0s"},
		"which request took its place": {
			openRecord(singleQ()),
			[]Transition{func(r *Record, now time.Time) error { return r.Supersede(&Record{ID: "next"}, now) }},
			"superseded request:next",
		},
		"what was allowed this once":                {granting(openRecord(singleQ())), []Transition{pick("U1", 1, 1)}, "answered by U1"},
		"a late press comes too late for the trail": {openRecord(singleQ()), []Transition{pick("U1", 1, 0), pick("U2", 2, 1)}, "answered by U1"},
		"a refused press is recorded once": {
			only("U9", openRecord(singleQ())),
			[]Transition{pick("U1", 1, 0), pick("U1", 2, 0), pick("U2", 3, 0)},
			"refused by U1 forbidden, refused by U2 forbidden",
		},
		"choosing is no decision yet": {openRecord(singleQ(), multiQ()), []Transition{pick("U1", 1, 0)}, ""},
		"what a hold held, who undid it, and who may not": {
			openRecord(singleQ()).forAWhile(),
			[]Transition{pick("U1", 1, 0), undo("U2", 2), undo("U1", 3), pick("U2", 4, 1), after(10*time.Second, (*Record).Tick)},
			"held by U1 answered Postgres, refused by U2 theirs, undone by U1, held by U2 answered SQLite, answered by U2",
		},
		"each vote, also one that is taken back": {
			voting(ask.ShowLive, openRecord(singleQ())),
			[]Transition{pick("U1", 1, 0), pick("U2", 2, 1), acting(by("U2", 3, ask.TakeBack, -1, -1)), pick("U3", 4, 0)},
			"voted by U1 Postgres, voted by U2 SQLite, withdrawn by U2, answered by U3",
		},
		"a sealed vote is sealed here too": {
			voting(ask.ShowSealed, openRecord(singleQ())).forAWhile(),
			[]Transition{pick("U1", 1, 0), pick("U2", 2, 1), pick("U3", 3, 0)},
			"voted by U1, voted by U2, voted by U3, held by U3",
		},
		"the agent's word": {
			openRecord(singleQ()),
			[]Transition{func(r *Record, now time.Time) error { return r.Withdraw(ask.Cancelled, "no need", now) }},
			"cancelled",
		},
		"what was asked back, and the reply": {
			openRecord(singleQ()).asked(ask.AskBackStay),
			[]Transition{
				acting(asks("U1", 1, "Why?")), acting(asks("U2", 2, "When?")),
				func(r *Record, now time.Time) error { return r.Reply(2, "Now.", now) },
			},
			"asked_back by U1 1 Why?, asked_back by U2 2 When?, replied 2 Now.",
		},
		"an agent that was called":     {called(openRecord(singleQ())), []Transition{pick("U1", 1, 0), calling(CallResult{}), posted}, "answered by U1, agent_told, posted discord:7"},
		"an agent that was not called": {called(openRecord(singleQ())), []Transition{pick("U1", 1, 0), calling(CallResult{Problem: "gone", Stop: true})}, "answered by U1, agent_given_up"},
		"no answer in time":            {openRecord(singleQ()), []Transition{after(time.Hour, (*Record).Tick)}, "expired"},
		"a reply in place of an answer": {
			openRecord(singleQ()), []Transition{acting(by("U1", 1, ask.Reply, -1, -1).writing(-1, "Ask Dana"))}, "cancelled by U1",
		},
		"a posted card": {
			openRecord(singleQ()), []Transition{posted}, "posted discord:7",
		},
		"another rule of who may answer": {
			openRecord(singleQ()), []Transition{func(r *Record, _ time.Time) error {
				r.Policy = ask.PolicyOf("slack:U1")
				return nil
			}}, "policy slack:U1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tt.record
			for _, f := range tt.steps {
				next := r.Clone()
				if Audited(f, true)(&next, start) == nil {
					next.Version++
					r = &next
				}
			}
			if r.Trail == nil {
				r.Trail = &Trail{}
			}
			if got := traced(r); got != tt.want {
				t.Errorf("trail %q, want %q", got, tt.want)
			}
			for n, e := range r.Trail.Events {
				if e.Seq != int64(n+1) || e.At.Before(start) {
					t.Errorf("event %d is number %d, at %v", n, e.Seq, e.At)
				}
			}
		})
	}
}

// called is a record with a webhook for its end.
func called(r *Record) *Record {
	r.Webhook = &Webhook{Address: "https://agent.example", State: Due}
	return r
}

// calling is a transition that stores the result of a webhook call.
func calling(result CallResult) Transition {
	return func(r *Record, now time.Time) error {
		_, err := r.ApplyReport(Report{Call: &result}, now)
		return err
	}
}

// granting offers a grant of eight hours with the first option.
func granting(r *Record) *Record {
	r.Permit = &ask.Permit{Key: "k", Allow: r.Questions[0].Options[1].Label, Offers: []ask.Offer{
		{Label: r.Questions[0].Options[0].Label, Grants: ask.Grants{Scope: ask.SameSession, For: 8 * time.Hour}},
	}}
	return r
}

// A request that a grant covers ends as it begins.
func TestTrailNamesGrant(t *testing.T) {
	t.Parallel()
	r := granting(openRecord(singleQ()))
	r.Version, r.Fingerprint = 0, "f1"
	r.Outcome = ask.Outcome{State: ask.Answered, By: ask.Person{Platform: "slack", ID: "U1"}, Via: "grant:8fk2", Answers: []ask.Answer{{Selected: []string{r.Permit.Allow}}}}
	if err := Audited(func(*Record, time.Time) error { return nil }, true)(r, start); err != nil || traced(r) != "asked f1 anyone, answered by U1 grant:8fk2" {
		t.Errorf("trail %q, %v", traced(r), err)
	}
}

func TestTrailBeginsWithQuestion(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Version, r.Fingerprint = 0, "f1"
	if err := Audited(func(*Record, time.Time) error { return nil }, true)(r, start); err != nil || traced(r) != "asked f1 anyone" {
		t.Errorf("trail %q, %v", traced(r), err)
	}
}

func TestNoAuditNoTrail(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Policy = ask.PolicyOf("slack:U9")
	if err := Audited(acting(by("U1", 1, ask.Choose, 0, 0)), false)(r, start); err == nil || r.Trail != nil {
		t.Errorf("a refused press is written: %+v, %v", r.Trail, err)
	}
	// A replica without audit continues a trail that another one began.
	r.Trail = &Trail{Seq: 7}
	if err := Audited(acting(by("U9", 2, ask.Choose, 0, 0)), false)(r, start); err != nil || r.Trail.Seq != 8 {
		t.Errorf("the trail is %+v, %v", r.Trail, err)
	}
}

func TestTrailIsBounded(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Policy = ask.PolicyOf("slack:U9")
	for n := range 3 * maxRefused {
		_ = Audited(acting(by(fmt.Sprint("S", n), int64(n), ask.Choose, 0, 0)), true)(r, start)
	}
	if r.Trail.Seq != maxRefused || len(r.Trail.Events) != maxTrail {
		t.Errorf("strangers had %d events written, %d are kept", r.Trail.Seq, len(r.Trail.Events))
	}
	addEvent(r, Event{Text: strings.Repeat("a", maxTrailText+1)}, start)
	if len(r.Trail.Events) != 1 || r.Trail.Seq != maxRefused+1 {
		t.Errorf("%d events kept with a long text, want only the last", len(r.Trail.Events))
	}
}

func TestErasedDraftTextLeavesTrail(t *testing.T) {
	t.Parallel()
	r := openRecord(textQ(), textQ())
	r.Trail, r.Hold = &Trail{}, 10*time.Second
	shared := func(a Act) Transition {
		return Audited(func(r *Record, now time.Time) error {
			_, err := r.judged(a, DraftMode{Shared: true}, now)
			return err
		}, true)
	}
	for _, f := range []Transition{
		shared(by("U1", 1, ask.Type, 0, -1).writing(0, "of Dana")),
		shared(by("U2", 2, ask.Type, 1, -1).writing(1, "of Remy")),
	} {
		if err := f(r, start); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := traced(r), "held by U2 answered  of Remy"; got != want {
		t.Errorf("the trail is %q, want %q", got, want)
	}
	if err := Audited((*Record).Tick, true)(r, start.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := r.Erase("slack:U1"); err != nil {
		t.Fatal(err)
	}
	if trail := fmt.Sprintf("%+v", *r.Trail); r.Outcome.Answers[0].Other != Erased || strings.Contains(trail, "of Dana") || !strings.Contains(trail, "of Remy") {
		t.Errorf("answers %+v, trail %s", r.Outcome.Answers, trail)
	}
}
