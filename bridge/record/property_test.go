package record

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

// TestRecordInvariants runs random histories of acts, withdrawals and sweeps against one record and checks its
// invariants.
func TestRecordInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		questions := []ask.Question{singleQ(), multiQ(), textQ()}[:rapid.IntRange(1, 3).Draw(t, "questions")]
		shared := rapid.Bool().Draw(t, "shared")
		r := openRecord(questions...)
		if rapid.Bool().Draw(t, "for people") {
			r.Policy = ask.PolicyOf("slack:U1")
		}
		now, winners := start, 0
		var ended *Record
		var history []Act
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * time.Minute)
			before := r.Clone()
			var err error
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				err = catchUp(r, now)
				if err == nil && now.Before(r.Deadline) {
					t.Fatal("expired early")
				}
			case 1:
				if rapid.IntRange(0, 9).Draw(t, "withdraw") == 0 {
					err = r.Withdraw(ask.Cancelled, "enough", now)
				} else {
					err = ErrUnchanged
				}
			default:
				i := drawAct(t, history, len(questions))
				history = append(history, i)
				var result Decision
				result, err = r.Judge(i, DraftMode{Shared: shared}, now)
				again := r.Clone()
				second, _ := again.Judge(i, DraftMode{Shared: shared}, now)
				if diff := cmp.Diff(r.Outcome, again.Outcome); diff != "" {
					t.Fatalf("a second delivery changed the outcome: %s", diff)
				}
				if result.Verdict == Completed {
					winners++
					if second.Verdict != Repeated {
						t.Fatalf("a second delivery of the winner is %q", second.Verdict)
					}
				}
				if result.Verdict == Completed && !now.Before(before.Deadline) {
					t.Fatal("an act after the deadline counted")
				}
				if result.Verdict == Completed && !r.MayAnswer(i) {
					t.Fatal("decided by a person who may not")
				}
			}
			if err != nil {
				r.Drafts = before.Drafts
				if diff := cmp.Diff(before, *r); diff != "" {
					t.Fatalf("reported no change, but: %s", diff)
				}
			}
			checkRecord(t, r, winners)
			if ended != nil {
				if diff := cmp.Diff(ended.Outcome, r.Outcome); diff != "" {
					t.Fatalf("an end state changed: %s", diff)
				}
			}
			if !r.Open() && ended == nil {
				c := r.Clone()
				ended = &c
			}
		}
	})
}

func drawAct(t *rapid.T, history []Act, questions int) Act {
	if len(history) > 0 && rapid.IntRange(0, 3).Draw(t, "again") == 0 {
		return rapid.SampledFrom(history).Draw(t, "redelivered")
	}
	kinds := []ask.ActionKind{ask.Choose, ask.Select, ask.Type, ask.Submit, ask.SubmitAll, ask.Fill, ask.Reply, ask.Dismiss}
	i := by(rapid.SampledFrom([]string{"U1", "U2"}).Draw(t, "who"), int64(len(history)+1),
		rapid.SampledFrom(kinds).Draw(t, "kind"),
		rapid.IntRange(-1, questions).Draw(t, "question"), rapid.IntRange(-1, 3).Draw(t, "option"))
	for q := range questions {
		i = i.picking(q, rapid.SliceOfN(rapid.IntRange(-1, 3), 0, 3).Draw(t, "picks")...)
		i = i.writing(q, rapid.SampledFrom([]string{"", " ", "text"}).Draw(t, "text"))
	}
	if rapid.Bool().Draw(t, "orphan") {
		i.Message.Message = "m0"
	}
	return i
}

func checkRecord(t *rapid.T, r *Record, winners int) {
	if winners > 1 {
		t.Fatalf("%d acts decided one request", winners)
	}
	if r.Open() != !r.Due.IsZero() || r.Open() != r.EndedAt.IsZero() {
		t.Fatalf("state %s with due %v and ended %v: the due index is not the open set", r.Outcome.State, r.Due, r.EndedAt)
	}
	if r.Open() != r.Outcome.At.IsZero() {
		t.Fatalf("state %s with end time %v", r.Outcome.State, r.Outcome.At)
	}
	if (r.Outcome.State == ask.Answered) != (len(r.Outcome.Answers) > 0) {
		t.Fatalf("state %s with %d answers", r.Outcome.State, len(r.Outcome.Answers))
	}
	if r.Outcome.State == ask.Answered && len(r.Outcome.Answers) != len(r.Questions) {
		t.Fatalf("answered with %d of %d answers", len(r.Outcome.Answers), len(r.Questions))
	}
	for _, a := range r.Outcome.Answers {
		if len(a.Selected) == 0 && a.Other == "" || a.By.ID == "" {
			t.Fatalf("phantom answer %+v", a)
		}
	}
	for _, c := range r.Copies {
		if NeedsCall(r, c) && r.DeliveryDue.IsZero() {
			t.Fatalf("copy %+v is outdated and not due", c)
		}
	}
}
