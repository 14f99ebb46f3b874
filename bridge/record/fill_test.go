package record

import (
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func (a Act) since(order int64) Act {
	a.Action.Since = order
	return a
}

// filling is a form with some of the questions, as a person submits it.
func filling(id string, order int64) Act { return by(id, order, ask.Fill, -1, -1) }

func TestPartialFormMergesIntoDraft(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		questions []ask.Question
		acts      []Act
		verdict   Verdict // verdict of the last act
		missing   int     // questions it left out
		text      string  // once completed; empty otherwise
	}{
		"what it leaves out stays open": {
			[]ask.Question{singleQ(), textQ()},
			[]Act{filling("U1", 1).picking(0, 0).writing(1, "")},
			Recorded, 1, "",
		},
		"two forms complete a set": {
			[]ask.Question{singleQ(), textQ()},
			[]Act{filling("U1", 1).picking(0, 0), filling("U2", 2).writing(1, "OPS-7")},
			Completed, 0, "Which database?\nPostgres\n\nWhich ticket?\nOPS-7",
		},
		"a question left out keeps a choice made meanwhile": {
			[]ask.Question{singleQ(), textQ()},
			[]Act{filling("U2", 5).picking(0, 1).writing(1, ""), filling("U1", 6).since(4).picking(0).writing(1, "OPS-7")},
			Completed, 0, "Which database?\nSQLite\n\nWhich ticket?\nOPS-7",
		},
		"who takes away what the form showed empties it": {
			[]ask.Question{multiQ(), textQ()},
			[]Act{filling("U2", 5).picking(0, 1), filling("U1", 7).since(6).picking(0).writing(1, "OPS-7")},
			Recorded, 1, "",
		},
		"a new choice takes the place of words that stood there before": {
			[]ask.Question{singleQ(), textQ()},
			[]Act{filling("U1", 1).writing(0, "Oracle"), filling("U1", 3).since(2).picking(0, 1).writing(0, "Oracle").writing(1, "OPS-7")},
			Completed, 0, "Which database?\nSQLite\n\nWhich ticket?\nOPS-7",
		},
		"new words take the place of a choice": {
			[]ask.Question{singleQ(), textQ()},
			[]Act{filling("U1", 1).picking(0, 1), filling("U1", 3).since(2).picking(0, 1).writing(0, "Oracle").writing(1, "OPS-7")},
			Completed, 0, "Which database?\nOracle\n\nWhich ticket?\nOPS-7",
		},
		"a form without a field for words leaves them": {
			[]ask.Question{singleQ(), textQ()},
			[]Act{filling("U1", 1).writing(0, "Oracle"), filling("U1", 3).since(2).picking(0).writing(1, "OPS-7")},
			Completed, 0, "Which database?\nOracle\n\nWhich ticket?\nOPS-7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openRecord(tt.questions...)
			var last Decision
			for _, a := range tt.acts {
				last, _ = r.judged(a, DraftMode{Shared: true}, start)
			}
			if last.Verdict != tt.verdict || len(last.Missing) != tt.missing || r.Text() != tt.text {
				t.Errorf("the form is %s, leaves out %v, the answer is %q; want %s, %d, %q",
					last.Verdict, last.Missing, r.Text(), tt.verdict, tt.missing, tt.text)
			}
		})
	}
}

func TestFormSignsOnlyChangedAnswers(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ(), textQ())
	shared := DraftMode{Shared: true}
	for _, a := range []Act{filling("U2", 1).picking(0, 1), filling("U1", 3).since(2).picking(0, 1).writing(1, "OPS-7")} {
		if _, err := r.judged(a, shared, start); err != nil {
			t.Fatal(err)
		}
	}
	if a := r.Outcome.Answers; len(a) != 2 || a[0].By.ID != "U2" || a[1].By.ID != "U1" {
		t.Errorf("answered by %+v", a)
	}
}

func TestVoterFormChangesOwnVoteOnly(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ(), textQ())
	r.Voting = &Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 2}}
	for n, want := range []struct {
		act     Act
		verdict Verdict
	}{
		{filling("U1", 1).picking(0, 0).writing(1, ""), Recorded},
		{filling("U1", 2).since(1).writing(1, "OPS-7"), Counted},
		{filling("U2", 3).picking(0, 0).writing(1, ""), Recorded}, // The text of U1 is not theirs.
		{filling("U1", 5).since(4).picking(0, 1), Counted},        // The rest of their vote stays.
		{filling("U2", 6).since(5).picking(0, 1).writing(1, "OPS-7"), Completed},
	} {
		if got, _ := r.judged(want.act, DraftMode{}, start); got.Verdict != want.verdict {
			t.Fatalf("act %d is %s, want %s", n, got.Verdict, want.verdict)
		}
	}
}
