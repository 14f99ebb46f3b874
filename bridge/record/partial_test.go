package record

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// optionally makes questions optional.
func optionally(q ask.Question) ask.Question { q.Optional = true; return q }

// noted lets people add a note to the answer.
func noted(q ask.Question) ask.Question { q.Notes = true; return q }

func (a Act) noting(q int, text string) Act {
	a.Action.Notes = map[int]string{q: text}
	return a
}

// ending summarizes a record in one line: choices, skipped and open questions, each with its note.
func ending(r *Record) string {
	note := func(text string, by ask.Person) string {
		if text != "" {
			text = " [" + text + "]"
		}
		return text + by.ID
	}
	line := string(r.Outcome.State)
	for _, a := range r.Outcome.Answers {
		line += fmt.Sprintf(" %d=%v%s(%s)%s", a.Index, a.Selected, a.Other, a.By.ID, note(a.Notes, a.NotesBy))
	}
	for _, u := range r.Outcome.Skipped {
		line += fmt.Sprintf(" skipped %d(%s)%s", u.Index, u.By.ID, note(u.Notes, u.NotesBy))
	}
	for _, u := range r.Outcome.Left {
		line += fmt.Sprintf(" left %d%s", u.Index, note(u.Notes, u.NotesBy))
	}
	return line
}

func TestSkippedQuestionsAndNotes(t *testing.T) {
	t.Parallel()
	type step struct {
		a       Act
		verdict Verdict
	}
	submit := func(who string, order int64) Act { return by(who, order, ask.Submit, -1, -1) }
	skip := func(who string, order int64, q int) Act { return by(who, order, ask.Skip, q, -1) }
	note := func(who string, order int64, q int, text string) Act {
		return by(who, order, ask.Annotate, q, -1).noting(q, text)
	}
	set := func() *Record { return openRecord(singleQ(), optionally(multiQ()), optionally(textQ())) }
	for _, tt := range []struct {
		name   string
		r      *Record
		shared bool
		steps  []step
		ending string
	}{
		{
			name: "an optional question may be left and is not filled in", r: set(),
			steps:  []step{{submit("U1", 1).picking(0, 1).picking(1), Completed}},
			ending: "answered 0=[SQLite](U1) left 1 left 2",
		},
		{
			name: "one that is not optional has to be answered all the same", r: set(),
			steps:  []step{{submit("U1", 1).picking(1, 0), Incomplete}},
			ending: "open",
		},
		{
			name: "the entry behind the options of a list skips", r: set(),
			steps:  []step{{submit("U1", 1).picking(0, 1).picking(1, 3).picking(2, 0), Completed}},
			ending: "answered 0=[SQLite](U1) skipped 1(U1) skipped 2(U1)",
		},
		{
			name: "that entry adds nothing to a choice", r: set(),
			steps:  []step{{submit("U1", 1).picking(0, 1).picking(1, 0, 3), Completed}},
			ending: "answered 0=[SQLite](U1) 1=[Unit](U1) left 2",
		},
		{
			name: "that entry of a question that is not optional is nothing", r: openRecord(singleQ(), multiQ()),
			steps:  []step{{submit("U1", 1).picking(0, 2).picking(1, 0), Incomplete}},
			ending: "open",
		},
		{
			name: "what was typed after a skip is an answer", r: set(),
			steps: []step{
				{by("U1", 1, ask.Select, 2, -1).picking(2, 0), Recorded},
				{by("U1", 2, ask.Type, 2, -1).writing(2, "OPS-1"), Recorded},
				{submit("U1", 3).picking(0, 0).picking(2, 0), Completed},
			},
			ending: "answered 0=[Postgres](U1) 2=[]OPS-1(U1) left 1",
		},
		{
			name: "a skip takes away what was typed", r: set(),
			steps: []step{
				{by("U1", 1, ask.Type, 2, -1).writing(2, "OPS-1"), Recorded},
				{by("U1", 2, ask.Select, 2, -1).picking(2, 0), Recorded},
				{submit("U1", 3).picking(0, 0).picking(2, 0), Completed},
			},
			ending: "answered 0=[Postgres](U1) skipped 2(U1) left 1",
		},
		{
			name: "a set of optional questions is not sent empty", r: openRecord(optionally(singleQ()), optionally(multiQ())),
			steps:  []step{{submit("U1", 1).picking(0).picking(1), Incomplete}},
			ending: "open",
		},
		{
			name: "a set of optional questions is sent empty by who skips one", r: openRecord(optionally(singleQ()), optionally(multiQ())),
			steps:  []step{{submit("U1", 1).picking(0, 2).picking(1), Completed}},
			ending: "answered skipped 0(U1) left 1",
		},
		{
			name: "one tap skips a lone question", r: openRecord(optionally(singleQ())),
			steps:  []step{{skip("U1", 1, 0), Completed}},
			ending: "answered skipped 0(U1)",
		},
		{
			name: "a required question cannot be skipped", r: openRecord(singleQ()),
			steps:  []step{{skip("U1", 1, 0), Unknown}},
			ending: "open",
		},
		{
			name: "a skip can be taken back until it is submitted", r: set(), shared: true,
			steps: []step{
				{by("U1", 1, ask.Choose, 0, 0), Recorded},
				{skip("U1", 2, 1), Recorded},
				{by("U1", 3, ask.Unskip, 1, -1), Recorded},
				{skip("U2", 4, 2), Recorded},
				{submit("U1", 5), Completed},
			},
			ending: "answered 0=[Postgres](U1) skipped 2(U2) left 1",
		},
		{
			name: "a choice takes the place of a skip, and a skip that of a choice", r: set(), shared: true,
			steps: []step{
				{skip("U1", 1, 1), Recorded},
				{by("U1", 2, ask.Choose, 1, 2), Recorded},
				{by("U1", 3, ask.Choose, 0, 0), Recorded},
				{by("U1", 4, ask.Type, 2, -1).writing(2, "OPS-1"), Recorded},
				{skip("U1", 5, 2), Recorded},
				{submit("U1", 6), Completed},
			},
			ending: "answered 0=[Postgres](U1) 1=[Race](U1) skipped 2(U1)",
		},
		{
			name: "a skip that comes late undoes no newer choice", r: set(), shared: true,
			steps: []step{
				{by("U1", 3, ask.Choose, 1, 2), Recorded},
				{skip("U2", 2, 1), Stale},
				{by("U1", 4, ask.Choose, 0, 0), Recorded},
				{submit("U1", 5), Completed},
			},
			ending: "answered 0=[Postgres](U1) 1=[Race](U1) left 2",
		},
		{
			name: "the last answer of a set with an optional question does not send it", r: openRecord(singleQ(), optionally(singleQ())), shared: true,
			steps: []step{
				{by("U1", 1, ask.Choose, 1, 0), Recorded},
				{by("U1", 2, ask.Choose, 0, 0), Recorded},
				{submit("U1", 3), Completed},
			},
			ending: "answered 0=[Postgres](U1) 1=[Postgres](U1)",
		},
		{
			name: "a note is kept with the answer", r: openRecord(noted(singleQ())),
			steps: []step{
				{note("U1", 1, 0, " only for the beta "), Recorded},
				{by("U1", 2, ask.Select, 0, -1).picking(0, 0), Recorded},
				{submit("U1", 3).picking(0, 0), Completed},
			},
			ending: "answered 0=[Postgres](U1) [only for the beta]",
		},
		{
			name: "a note alone is no answer", r: openRecord(noted(singleQ())),
			steps: []step{
				{note("U1", 1, 0, "only for the beta"), Recorded},
				{submit("U1", 2).picking(0), Incomplete},
			},
			ending: "open",
		},
		{
			name: "a note is refused unless requested", r: openRecord(singleQ()),
			steps:  []step{{note("U1", 1, 0, "x"), Unknown}},
			ending: "open",
		},
		{
			name: "another person's note names its author", r: openRecord(noted(singleQ()), noted(optionally(multiQ()))), shared: true,
			steps: []step{
				{by("U1", 1, ask.Choose, 0, 0), Recorded},
				{note("U2", 2, 0, "not on Friday"), Recorded},
				{note("U2", 3, 1, "later"), Recorded},
				{submit("U1", 4), Completed},
			},
			ending: "answered 0=[Postgres](U1) [not on Friday]U2 left 1 [later]U2",
		},
		{
			name: "a choice takes no note away, and blank text does", r: openRecord(noted(singleQ()), noted(multiQ())), shared: true,
			steps: []step{
				{note("U1", 1, 0, "kept"), Recorded},
				{note("U1", 2, 1, "gone"), Recorded},
				{by("U1", 3, ask.Choose, 0, 0), Recorded},
				{by("U1", 4, ask.Choose, 0, 1), Recorded},
				{by("U1", 5, ask.Choose, 1, 1), Recorded},
				{note("U1", 6, 1, ""), Recorded},
				{submit("U1", 7), Completed},
			},
			ending: "answered 0=[SQLite](U1) [kept] 1=[Lint](U1)",
		},
		{
			name: "an older note that comes late undoes no newer one", r: openRecord(noted(singleQ())),
			steps: []step{
				{note("U1", 2, 0, "newer"), Recorded},
				{note("U1", 1, 0, "older"), Stale},
				{submit("U1", 3).picking(0, 0), Completed},
			},
			ending: "answered 0=[Postgres](U1) [newer]",
		},
		{
			name: "a note that is newer than a choice leaves it what it is", r: openRecord(noted(singleQ())), shared: true,
			steps: []step{
				{note("U1", 2, 0, "newer"), Recorded},
				{by("U1", 1, ask.Choose, 0, 1), Recorded},
				{submit("U1", 3), Completed},
			},
			ending: "answered 0=[SQLite](U1) [newer]",
		},
		{
			name: "a form brings choices, skips and notes at once", r: openRecord(noted(singleQ()), optionally(multiQ())),
			steps: []step{{by("U1", 1, ask.SubmitAll, -1, -1).picking(0, 1).picking(1, 3).noting(0, "for now"), Completed}},

			ending: "answered 0=[SQLite](U1) [for now] skipped 1(U1)",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for n, s := range tt.steps {
				got, err := tt.r.judged(s.a, DraftMode{Shared: tt.shared, Redraws: tt.shared}, start.Add(time.Minute))
				if got.Verdict != s.verdict || err != nil && !errors.Is(err, ErrUnchanged) {
					t.Fatalf("step %d: %+v, %v, want %s", n, got, err, s.verdict)
				}
			}
			if got := ending(tt.r); got != tt.ending {
				t.Errorf("got\n%s, want\n%s", got, tt.ending)
			}
		})
	}
}

func TestBallotMaySkip(t *testing.T) {
	t.Parallel()
	submit := func(who string, order int64) Act { return by(who, order, ask.Submit, -1, -1).picking(0, 0) }
	two := ask.Voting{Mode: ask.Quorum, Need: 2}
	for _, tt := range []struct {
		name   string
		rule   ask.Voting
		acts   []Act
		ending string
	}{
		{"to skip is a choice, and so is to leave", two, []Act{submit("U1", 1).picking(1, 3), submit("U2", 2).picking(1)}, "answered 0=[Postgres](U1) skipped 1(U1)"},
		{"a skip and an option are no agreement", two, []Act{submit("U1", 1).picking(1, 3), submit("U2", 2).picking(1, 0)}, "open"},
		{"enough who chose outvote one who skipped", two, []Act{submit("U1", 1).picking(1, 3), submit("U2", 2).picking(1, 0), submit("U3", 3).picking(1, 0)}, "answered 0=[Postgres](U1) 1=[Unit](U2)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := voted(tt.rule, noted(singleQ()), optionally(multiQ()))
			for _, a := range tt.acts {
				if got, err := r.judged(a, DraftMode{}, start.Add(time.Minute)); err != nil {
					t.Fatalf("%+v, %v", got, err)
				}
			}
			if got := ending(r); got != tt.ending {
				t.Errorf("got\n%s, want\n%s", got, tt.ending)
			}
		})
	}
}

func TestBallotNoteStaysInVote(t *testing.T) {
	t.Parallel()
	r := voted(ask.Voting{Mode: ask.Quorum, Need: 2}, noted(singleQ()))
	for n, a := range []Act{
		by("U1", 1, ask.Annotate, 0, -1).noting(0, "with care"),
		by("U1", 2, ask.Submit, -1, -1).picking(0, 0),
		by("U2", 3, ask.Submit, -1, -1).picking(0, 0),
	} {
		if got, err := r.judged(a, DraftMode{}, start.Add(time.Minute)); err != nil {
			t.Fatalf("act %d: %+v, %v", n, got, err)
		}
	}
	o := r.Outcome
	if len(o.Answers) != 1 || o.Answers[0].Notes != "" || len(o.Votes) != 2 || o.Votes[0].Choices[0].Notes != "with care" || len(o.Tally) != 1 || o.Tally[0].Votes != 2 {
		t.Errorf("it ended as %+v", o)
	}
}

func TestSkippedQuestionText(t *testing.T) {
	t.Parallel()
	r := openRecord(noted(singleQ()), optionally(multiQ()), optionally(textQ()))
	form := by("U1", 1, ask.SubmitAll, -1, -1).picking(0, 1).picking(1, 3).noting(0, "for now")
	if got, err := r.judged(form, DraftMode{}, start); err != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, want := r.Text(), "Which database?\nSQLite\nNote: for now\n\nWhich checks?\n(skipped)\n\nWhich ticket?\n(not answered)"; got != want {
		t.Errorf("the text is\n%s, want\n%s", got, want)
	}
}
