package bridge_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/askbridge/askbridge/bridge/bridgetest"
)

// Requests and outcomes are copied: what a Go program does to its own values reaches no one else.

func TestOutcomeIsCallersOwn(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		open, got := w.asked(2)
		w.act(choose(open, "U1", 1))
		one, other := <-got, <-got
		one.Answers[0].Selected[0], one.Answers[0].Other = "Oracle", "on a mainframe"
		if a := other.Answers[0]; !slices.Equal(a.Selected, []string{"SQLite"}) || a.Other != "" {
			t.Errorf("another caller of the same call reads %q and %q", a.Selected, a.Other)
		}
	})
}

func TestSubmittedQuestionsAreCopied(t *testing.T) {
	inFixture(t, nil, func(t *testing.T, w *fixture) {
		held := make(chan struct{})
		w.chat.On("post", bridgetest.Cue{Hold: held})
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		req := database()
		s, err := w.Submit(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		req.Questions[0].Text, req.Questions[0].Options[1].Label = "Whose turn?", "Nobody's"
		close(held)
		if q := s.Record.Questions[0]; q.Text != "Which database?" || q.Options[1].Label != "SQLite" {
			t.Errorf("the bridge has %q with %q", q.Text, q.Options[1].Label)
		}
	})
}
