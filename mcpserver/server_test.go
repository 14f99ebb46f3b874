package mcpserver

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

func TestAnswerIsReturnedAsChosen(t *testing.T) {
	overEveryLine(t, nil, func(t *testing.T, w *fixture, a *agent) {
		result := a.start(t.Context(), askName, patient(under("toolu_1")), database())
		r := w.open()
		if r.ToolCallID != "toolu_1" || w.posted() != 1 {
			t.Errorf("asked as %q, %d cards", r.ToolCallID, w.posted())
		}
		later(3 * time.Minute)
		w.press(r.ID, 0, 1)
		got := <-result
		want := []ask.Answer{{Question: "Which database?", Header: "Database", Selected: []string{"SQLite"}, By: ada, At: time.Now().UTC()}}
		if got.State != answered || got.isError || got.text != "Which database?\nSQLite" || got.ID != r.ID {
			t.Errorf("got %+v", got)
		}
		if diff := cmp.Diff(want, got.Answers); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTypedTextComesBackVerbatim(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.pipes(july2026)
		result := a.start(t.Context(), askName, nil, meta{"question": "Why so late?"})
		r := w.open()
		w.act(platform.Interaction{Person: ada, Token: render.Token{Request: r.ID, Verb: render.SubmitText}, Texts: map[int]string{0: "ops said:\n  no"}})
		if got := <-result; got.text != "Why so late?\nops said:\n  no" || got.Answers[0].Other != "ops said:\n  no" || got.Answers[0].Selected == nil {
			t.Errorf("got %+v", got)
		}
	})
}

func TestPendingCallIsResumed(t *testing.T) {
	overEveryLine(t, nil, func(t *testing.T, w *fixture, a *agent) {
		began := time.Now()
		got := a.call(askName, nil, database())
		if took := time.Since(began); took != PlainBudget {
			t.Errorf("it took %s", took)
		}
		if got.State != pending || got.isError || got.Next == nil || got.Next.Tool != waitName || got.Next.Arguments["id"] != got.ID {
			t.Fatalf("got %+v", got)
		}
		for _, part := range []string{got.ID, waitName, "not an answer"} {
			if !strings.Contains(got.text, part) {
				t.Errorf("%q is not in %q", part, got.text)
			}
		}
		if again := a.call(waitName, nil, got.Next.Arguments); again.State != pending || again.ID != got.ID {
			t.Errorf("then %+v", again)
		}
		result := a.start(t.Context(), waitName, nil, got.Next.Arguments)
		synctest.Wait()
		w.press(got.ID, 0, 0)
		if last := <-result; last.State != answered || last.text != "Which database?\nPostgres" {
			t.Errorf("at last %+v", last)
		}
		if late := a.call(waitName, nil, meta{"request_id": " " + got.ID + "\n"}); late.State != answered {
			t.Errorf("asked after once more: %+v", late)
		}
		if w.posted() != 1 {
			t.Errorf("%d cards", w.posted())
		}
	})
}

func TestNothingButAnAnswerLooksLikeOne(t *testing.T) {
	ends := map[string]struct {
		end   func(w *fixture, id string)
		state state
		part  string
	}{
		"a person cancels": {func(w *fixture, id string) {
			w.act(platform.Interaction{Person: ada, Token: render.Token{Request: id, Verb: render.Dismissed}})
		}, cancelled, "Ada cancelled the questions."},
		"the agent withdraws": {func(w *fixture, id string) {
			if _, err := w.bridge.Cancel(w.t.Context(), id, "the build is gone."); err != nil {
				w.t.Error(err)
			}
		}, cancelled, "withdrawn before anyone answered: the build is gone."},
		"time runs out": {func(*fixture, string) { later(time.Hour) }, expired, "Nobody answered in time"},
		"newer questions come": {func(w *fixture, id string) {
			r := ask.Request{Session: "s1", Supersedes: id, Questions: []ask.Question{ask.YesNo("Go?")}}
			if _, err := w.bridge.Submit(w.t.Context(), r); err != nil {
				w.t.Error(err)
			}
		}, superseded, "Newer questions"},
	}
	t.Parallel()
	for name, test := range ends {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, w *fixture) {
				a := w.pipes(june2025)
				args := database()
				args["session"], args["expires_in"] = "s1", "30m"
				result := a.start(t.Context(), askName, patient(under("toolu_1")), args)
				test.end(w, w.open().ID)
				got := <-result
				if got.State != test.state || !got.isError || got.Answers != nil || !strings.Contains(got.text, test.part) || !strings.Contains(got.text, noAnswer) {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestUnpostableCardFailsImmediately(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		gone := &platform.Error{Platform: "slack", Op: "post", Kind: platform.Unreachable, Code: "is_archived"}
		for range 8 {
			w.slack.On("post", bridgetest.Cue{Err: gone})
		}
		got := w.pipes(july2026).call(askName, nil, database())
		if got.State != failed || !got.isError || !strings.Contains(got.text, "is_archived") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestRetryFindsSameRequest(t *testing.T) {
	overEveryLine(t, nil, func(t *testing.T, w *fixture, a *agent) {
		ctx, cancel := context.WithCancel(t.Context())
		first := a.start(ctx, askName, under("toolu_1"), database())
		r := w.open()
		cancel()
		<-first
		synctest.Wait()
		if now := w.open(); now.ID != r.ID {
			t.Errorf("the call was cancelled, and so was the question: %+v", now)
		}
		second := a.start(t.Context(), askName, under("toolu_1"), database())
		synctest.Wait()
		w.press(r.ID, 0, 0)
		if got := <-second; got.State != answered || got.ID != r.ID {
			t.Errorf("got %+v", got)
		}
		// An answer is final, also for a third try.
		if got := a.call(askName, under("toolu_1"), database()); got.State != answered || got.ID != r.ID || w.posted() != 1 {
			t.Errorf("then %+v, %d cards", got, w.posted())
		}
	})
}

func TestCallsWithoutIDAreSeparate(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.pipes(july2026)
		first := a.call(askName, nil, database())
		if again := a.call(askName, nil, database()); again.ID == first.ID {
			t.Error("a later question got an earlier one's answer")
		}
		key := meta{ownKey: "deploy-1"}
		mine := a.call(askName, key, database())
		if again := a.call(askName, key, database()); again.ID != mine.ID {
			t.Error("the client's own key did not attach")
		}
		args := database()
		args["request_id"] = "deploy-1"
		if again := a.call(askName, nil, args); again.ID != mine.ID || again.Ignored != nil {
			t.Errorf("the client's own request_id did not attach: %+v", again)
		}
	})
}

func TestReusedCallIDConflicts(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.pipes(july2026)
		first := a.call(askName, under("toolu_1"), database())
		got := a.call(askName, under("toolu_1"), meta{"question": "Something else?"})
		if got.State != refused || !got.isError || !strings.Contains(got.text, first.ID) || w.posted() != 1 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestErrorsAreLogged(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.pipes(june2025)
		for _, tool := range []string{askName, waitName} {
			// No one is asked, and there is no such request.
			got := a.call(tool, nil, map[string]any{"id": "b3k1"})
			if !strings.Contains(w.logs.String(), got.call) {
				t.Errorf("%s: the log lacks the call %s", tool, got.call)
			}
		}
	})
}

func TestRestartedAgentGetsAnswer(t *testing.T) {
	t.Parallel()
	for name, dial := range lines {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, w *fixture) {
				a := dial(w)
				ctx, cancel := context.WithCancel(t.Context())
				dead := a.start(ctx, askName, patient(under("toolu_1")), database())
				r := w.open()
				cancel()
				a.hangUp()
				<-dead
				synctest.Wait()
				if !strings.Contains(w.logs.String(), `"call served"`) {
					t.Error("the call still waits although its client is gone")
				}
				w.press(r.ID, 0, 1) // The person answers while no call waits.

				again := dial(w).call(askName, patient(under("toolu_1")), database())
				if again.State != answered || again.ID != r.ID || again.text != "Which database?\nSQLite" || w.posted() != 1 {
					t.Errorf("got %+v, %d cards", again, w.posted())
				}
				if late := dial(w).call(waitName, nil, meta{"id": r.ID}); late.State != answered {
					t.Errorf("waiting by id: %+v", late)
				}
			})
		})
	}
}

func TestCancelledCallWithdrawsIfConfigured(t *testing.T) {
	bubble(t, &Options{CancelWithdraws: true}, func(t *testing.T, w *fixture) {
		a := w.pipes(july2026)
		ctx, cancel := context.WithCancel(t.Context())
		dead := a.start(ctx, askName, under("toolu_1"), database())
		cancelledOne := w.open().ID
		cancel()
		<-dead
		synctest.Wait()
		if r, err := w.bridge.Load(t.Context(), cancelledOne); err != nil || r.Outcome.State != ask.Cancelled {
			t.Errorf("cancelled: %v, %v", r.Outcome, err)
		}
		// A broken connection is no cancellation: the agent may return.
		a.start(t.Context(), askName, under("toolu_2"), database())
		r := w.open()
		a.hangUp()
		synctest.Wait()
		if now := w.open(); now.ID != r.ID {
			t.Errorf("the line broke, and the question went with it")
		}
	})
}

func TestParkedCallsAreSentAwayWhenTheServerCloses(t *testing.T) {
	overEveryLine(t, nil, func(t *testing.T, w *fixture, a *agent) {
		result := a.start(t.Context(), askName, patient(under("toolu_1")), database())
		id := w.open().ID
		w.server.Drain()
		if got := <-result; got.State != pending || got.ID != id {
			t.Errorf("got %+v", got)
		}
	})
}

func TestStoppingBridgeReturnsPending(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.pipes(july2026)
		result := a.start(t.Context(), askName, under("toolu_1"), database())
		id := w.open().ID
		w.endBridge()
		if got := <-result; got.State != pending || got.ID != id {
			t.Errorf("got %+v", got)
		}
		if got := a.call(askName, under("toolu_2"), database()); got.State != unavailable || !got.isError || !strings.Contains(got.text, "it is restarting") {
			t.Errorf("then %+v", got)
		}
		if log := w.logs.String(); strings.Count(log, "call failed") != 2 || !strings.Contains(log, id) {
			t.Errorf("log:\n%s", log)
		}
	})
}
