package app_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
)

var (
	database = ask.Question{Text: "Which database?", Header: "Database", Options: []ask.Option{
		{Label: "Postgres", Description: "Managed"}, {Label: "SQLite", Description: "Embedded"},
	}}
	checks = ask.Question{Text: "Which checks?", Header: "Checks", MultiSelect: true, Options: []ask.Option{
		{Label: "Smoke"}, {Label: "Load"}, {Label: "Restore"},
	}}
	notes = ask.Question{Text: "What should the notes say?", Header: "Notes"}
)

// bothModes runs a test over both transports of Slack.
func bothModes(t *testing.T, f func(t *testing.T, w *fixture)) {
	t.Helper()
	for _, mode := range []string{"http", "socket"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f(t, start(t, mode, nil))
		})
	}
}

// chosen is the part of an answer that a person chose.
type chosen struct {
	Selected []string
	Other    string
}

// answered checks that a request ended with exactly these answers of one person.
func answered(t *testing.T, a *asking, person string, want ...chosen) {
	t.Helper()
	r := a.end()
	if r.State != ask.Answered || r.By.Key() != "slack:"+person {
		t.Fatalf("ended as %s by %s: %s", r.State, r.By.Key(), r.Reason)
	}
	var got []chosen
	for n, answer := range r.Answers {
		if answer.Index != n || answer.By.Key() != "slack:"+person || answer.At.IsZero() {
			t.Errorf("answer %d: %+v", n, answer)
		}
		got = append(got, chosen{answer.Selected, answer.Other})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers differ (-want +got):\n%s", diff)
	}
	if want := ask.Format(a.Questions, r.Answers); r.Text != want {
		t.Errorf("text is %q, want %q", r.Text, want)
	}
}

func TestButtonAnswersWithOneTap(t *testing.T) {
	t.Parallel()
	bothModes(t, func(t *testing.T, w *fixture) {
		a := w.ask(ask.Request{Agent: "deploy-bot", Questions: []ask.Question{database}})
		seat := a.by(dana)
		must(t, seat.Press(t.Context(), "SQLite"))
		answered(t, a, dana, chosen{[]string{"SQLite"}, ""})
		must(t, seat.Await(t.Context(), func(sees string) bool {
			return strings.Contains(sees, "SQLite") && strings.Contains(sees, "@Dana") && !strings.Contains(sees, "[SQLite]")
		}))
	})
}

func TestOtherAnswerIsTypedIntoForm(t *testing.T) {
	t.Parallel()
	bothModes(t, func(t *testing.T, w *fixture) {
		a := w.ask(ask.Request{Questions: []ask.Question{database}})
		seat := a.by(sam)
		must(t, form(t.Context(), seat, "Other…"), seat.Fill(t.Context(), "", "  the one we have <!channel> "), seat.Submit(t.Context()))
		answered(t, a, sam, chosen{[]string{}, "the one we have <!channel>"})
	})
}

func TestRadioButtonsCheckboxesAndTextAreSentTogether(t *testing.T) {
	t.Parallel()
	bothModes(t, func(t *testing.T, w *fixture) {
		ctx := t.Context()
		a := w.ask(ask.Request{Questions: []ask.Question{database, checks, notes}})
		seat := a.by(dana)
		must(t, seat.Pick(ctx, "Which database?", "SQLite"), seat.Pick(ctx, "Which database?", "Postgres"),
			seat.Pick(ctx, "Which checks?", "Restore"), seat.Pick(ctx, "Which checks?", "Smoke"))

		// The hint about the missing answer is ephemeral, and nothing is submitted.
		must(t, seat.Press(ctx, "Submit"), seat.AwaitText(ctx, "Still missing: Notes"))

		must(t, form(ctx, seat, "Other…", "Which checks?"), seat.Fill(ctx, "", "a look at the logs"), seat.Submit(ctx))
		must(t, form(ctx, seat, "Answer…"), seat.Fill(ctx, "", "It is faster.\nMuch."), seat.Submit(ctx))
		must(t, seat.Press(ctx, "Submit"))
		answered(t, a, dana, chosen{[]string{"Postgres"}, ""}, chosen{[]string{"Smoke", "Restore"}, "a look at the logs"},
			chosen{[]string{}, "It is faster.\nMuch."})
	})
}

func TestSixQuestionsAreAnsweredInAForm(t *testing.T) {
	t.Parallel()
	bothModes(t, func(t *testing.T, w *fixture) {
		ctx := t.Context()
		var questions []ask.Question
		for _, text := range []string{"One?", "Two?", "Three?", "Four?"} {
			q := database
			q.Text, q.Header = text, ""
			questions = append(questions, q)
		}
		a := w.ask(ask.Request{Questions: append(questions, checks, notes)})
		seat := a.by(dana)
		must(t, form(ctx, seat, "Answer…"))
		must(t, seat.Pick(ctx, "One?", "Postgres"), seat.Pick(ctx, "Two?", "SQLite"), seat.Pick(ctx, "Three?", "Postgres"),
			seat.Fill(ctx, "q3.other", "neither"), seat.Pick(ctx, "Which checks?", "Load"))

		// An incomplete form stays open and names the missing answer.
		if err := seat.Submit(ctx); !strings.Contains(errorText(err), chatsim.ErrFormRejected.Error()) {
			t.Fatalf("Submit = %v, want a rejected form", err)
		}
		must(t, seat.Fill(ctx, "q5", "Nothing."), seat.Submit(ctx))
		answered(t, a, dana, chosen{[]string{"Postgres"}, ""}, chosen{[]string{"SQLite"}, ""}, chosen{[]string{"Postgres"}, ""},
			chosen{[]string{}, "neither"}, chosen{[]string{"Load"}, ""}, chosen{[]string{}, "Nothing."})
	})
}

func TestPersonDismissesQuestion(t *testing.T) {
	t.Parallel()
	bothModes(t, func(t *testing.T, w *fixture) {
		a := w.ask(ask.Request{Questions: []ask.Question{database}})
		seat := a.by(sam)
		must(t, chatsim.Hand{Seat: seat}.Decline(t.Context(), ""))
		r := a.end()
		if r.State != ask.Cancelled || r.By.Key() != "slack:"+sam || len(r.Answers) != 0 || r.Text != "" {
			t.Errorf("ended as %+v", r)
		}
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
