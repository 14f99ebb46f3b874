package ask_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
)

var (
	single = ask.Question{Text: "Which database?", Header: "Database", Options: pair("Postgres", "SQLite", "MySQL")}
	multi  = ask.Question{Text: "Which checks?", Header: "Checks", MultiSelect: true, Options: pair("Unit", "Lint", "Race")}
	dana   = ask.Person{Platform: "slack", ID: "U0000001", Name: "Dana"}
)

func TestDraftMoves(t *testing.T) {
	t.Parallel()
	questions := []ask.Question{single, multi}
	for _, tt := range []struct {
		name  string
		moves func(d ask.Draft) ask.Draft
		want  []ask.Answer
	}{
		{"an empty draft has no answers", func(d ask.Draft) ask.Draft { return d }, nil},
		{
			"the last pick of a single-select question wins",
			func(d ask.Draft) ask.Draft { return d.Select(0, single, []int{0}, 1).Select(0, single, []int{2}, 2) },
			[]ask.Answer{{Index: 0, Selected: []string{"MySQL"}}},
		},
		{
			"labels come in option order",
			func(d ask.Draft) ask.Draft { return d.Select(1, multi, []int{2, 0, 2}, 1) },
			[]ask.Answer{{Index: 1, Selected: []string{"Unit", "Race"}}},
		},
		{
			"typed text replaces a single pick",
			func(d ask.Draft) ask.Draft { return d.Select(0, single, []int{0}, 1).Write(0, single, " Oracle ", 2) },
			[]ask.Answer{{Index: 0, Selected: []string{}, Other: "Oracle"}},
		},
		{
			"a later pick replaces typed text",
			func(d ask.Draft) ask.Draft { return d.Write(0, single, "Oracle", 1).Select(0, single, []int{1}, 2) },
			[]ask.Answer{{Index: 0, Selected: []string{"SQLite"}}},
		},
		{
			"typed text accompanies picks of a multi-select question",
			func(d ask.Draft) ask.Draft { return d.Write(1, multi, "Bench", 1).Select(1, multi, []int{1}, 2) },
			[]ask.Answer{{Index: 1, Selected: []string{"Lint"}, Other: "Bench"}},
		},
		{
			"blank text takes typed text away",
			func(d ask.Draft) ask.Draft { return d.Write(1, multi, "Bench", 1).Write(1, multi, " \n", 2) }, nil,
		},
		{
			"an older act changes nothing",
			func(d ask.Draft) ask.Draft {
				return d.Select(0, single, []int{2}, 9).Select(0, single, []int{0}, 3).Write(0, single, "late", 4)
			},
			[]ask.Answer{{Index: 0, Selected: []string{"MySQL"}}},
		},
		{
			"switches of a multi-select question leave each other alone",
			func(d ask.Draft) ask.Draft {
				return d.Turn(1, multi, 2, true, 7).Turn(1, multi, 0, true, 5).Turn(1, multi, 9, true, 8)
			},
			[]ask.Answer{{Index: 1, Selected: []string{"Unit", "Race"}}},
		},
		{
			"a redelivered toggle changes nothing",
			func(d ask.Draft) ask.Draft {
				return d.Turn(1, multi, 0, true, 5).Turn(1, multi, 0, false, 6).Turn(1, multi, 0, true, 5).Turn(1, multi, 1, true, 6)
			},
			[]ask.Answer{{Index: 1, Selected: []string{"Lint"}}},
		},
		{
			"a switch that could not be stored is tried again", // Another had changed the record, so the draft is the one that was.
			func(d ask.Draft) ask.Draft {
				d = d.Turn(1, multi, 0, true, 5)
				_ = d.Turn(1, multi, 1, true, 6)
				return d.Turn(1, multi, 1, true, 6)
			},
			[]ask.Answer{{Index: 1, Selected: []string{"Unit", "Lint"}}},
		},
		{
			"typed text keeps the switches",
			func(d ask.Draft) ask.Draft { return d.Turn(1, multi, 1, true, 5).Write(1, multi, "Bench", 6) },
			[]ask.Answer{{Index: 1, Selected: []string{"Lint"}, Other: "Bench"}},
		},
		{
			"options that do not exist are dropped",
			func(d ask.Draft) ask.Draft { return d.Select(1, multi, []int{-1, 1, 9}, 1) },
			[]ask.Answer{{Index: 1, Selected: []string{"Lint"}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			at := time.Unix(1000, 0)
			got := tt.moves(nil).Answers(questions, dana, at)
			for i := range tt.want {
				q := questions[tt.want[i].Index]
				tt.want[i].Question, tt.want[i].Header, tt.want[i].By, tt.want[i].At = q.Text, q.Header, dana, at
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMovesAreAbsoluteAndCopyDraft(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom([]ask.Question{single, multi}).Draw(t, "question")
		d := ask.Draft{}.Select(0, q, rapid.SliceOfN(rapid.IntRange(-1, 3), 0, 4).Draw(t, "first"), 1)
		before := d[0]
		picks, order := rapid.SliceOfN(rapid.IntRange(-1, 3), 0, 4).Draw(t, "picks"), rapid.Int64Range(0, 3).Draw(t, "order")
		once := d.Select(0, q, picks, order)
		if diff := cmp.Diff(once, once.Select(0, q, picks, order)); diff != "" {
			t.Fatalf("repeating a move changed the draft: %s", diff)
		}
		if diff := cmp.Diff(before, d[0]); diff != "" {
			t.Fatalf("a move modified its receiver: %s", diff)
		}
		if !q.MultiSelect && len(once[0].Selected) > 1 {
			t.Fatalf("single-select question has selection %v", once[0].Selected)
		}
	})
}

func TestFormat(t *testing.T) {
	t.Parallel()
	name := ask.Question{Text: "Name?"}
	for _, tt := range []struct {
		name      string
		questions []ask.Question
		answers   []ask.Answer
		want      string
	}{
		{
			"the canonical text of a mixed set",
			[]ask.Question{single, multi, name},
			[]ask.Answer{
				{Index: 0, Selected: []string{"Postgres"}},
				{Index: 1, Selected: []string{"Unit", "Race"}},
				{Index: 2, Other: "Vincent Adultman"},
			},
			"Which database?\nPostgres\n\nWhich checks?\n- Unit\n- Race\n\nName?\nVincent Adultman",
		},
		{"one label of a multi-select question still has its dash", []ask.Question{multi}, []ask.Answer{{Index: 0, Selected: []string{"Lint"}}}, "Which checks?\n- Lint"},
		{"typed text is verbatim", []ask.Question{single}, []ask.Answer{{Index: 0, Other: "a\n- b, c"}}, "Which database?\na\n- b, c"},
		{"typed text replaces the label of a single-select question", []ask.Question{single}, []ask.Answer{{Index: 0, Selected: []string{"Postgres"}, Other: "Oracle"}}, "Which database?\nOracle"},
		{"typed text and labels are both kept", []ask.Question{multi}, []ask.Answer{{Index: 0, Selected: []string{"Lint"}, Other: "Bench"}}, "Which checks?\n- Lint\nBench"},
		{"answers pair by index", []ask.Question{single, multi}, []ask.Answer{{Index: 1, Selected: []string{"Unit"}}, {Index: 0, Selected: []string{"SQLite"}}}, "Which database?\nSQLite\n\nWhich checks?\n- Unit"},
		{"a missing answer is left out", []ask.Question{single, multi}, []ask.Answer{{Index: 1, Selected: []string{"Unit"}}}, "Which checks?\n- Unit"},
		{"answers outside the set are ignored", []ask.Question{single}, []ask.Answer{{Index: 7, Other: "x"}}, ""},
		{"nothing answered is empty", []ask.Question{single}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := ask.Format(tt.questions, tt.answers); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
