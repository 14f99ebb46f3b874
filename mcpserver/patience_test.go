package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
)

// Known timeouts of clients; see the links at the budgets.
const (
	typeScriptCall  = 60 * time.Second
	claudeFirstByte = 60 * time.Second
	claudeNetwork   = 5 * time.Minute
	claudeCall      = 100_000 * time.Second
	codexCall       = 300 * time.Second
	proxySilence    = 60 * time.Second
)

func TestEveryKnownClientIsKeptPatient(t *testing.T) {
	t.Parallel()
	if PlainBudget+lastLook >= min(typeScriptCall, claudeFirstByte) {
		t.Error("a client without progress gives up before the call returns")
	}
	if ProgressBudget+lastLook >= codexCall {
		t.Error("Codex gives up before the call returns")
	}
	if ClaudeBudget+lastLook >= claudeCall {
		t.Error("Claude Code gives up before the call returns")
	}
	// One notification may be lost.
	if 2*DefaultProgress >= min(typeScriptCall, proxySilence, claudeNetwork) {
		t.Error("progress comes too seldom")
	}
}

func TestCallWaitsUntilClientTimeout(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		opts Options
		meta meta
		want time.Duration
	}{
		"no progress token":                      {Options{}, nil, PlainBudget},
		"Claude Code without progress":           {Options{}, under("toolu_1"), PlainBudget},
		"a progress token":                       {Options{}, patient(nil), ProgressBudget},
		"Claude Code":                            {Options{}, patient(under("toolu_1")), ClaudeBudget},
		"a number as token counts too":           {Options{}, meta{"progressToken": 0}, ProgressBudget},
		"a budget in the options":                {Options{Budget: 2 * time.Minute}, nil, 2 * time.Minute},
		"and also shortens what would be longer": {Options{Budget: 2 * time.Minute}, patient(under("toolu_1")), 2 * time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, &test.opts, func(t *testing.T, w *fixture) {
				began := time.Now()
				args := database()
				args["expires_in"] = "never"
				got := w.pipes(july2026).call(askName, test.meta, args)
				if took := time.Since(began); got.State != pending || took != test.want {
					t.Errorf("%s after %s, want %s", got.State, took, test.want)
				}
			})
		})
	}
}

func TestProgressComesAtOnceAndThenAllTheTime(t *testing.T) {
	overEveryLine(t, nil, func(t *testing.T, w *fixture, a *agent) {
		began := time.Now()
		result := a.start(t.Context(), askName, patient(under("toolu_1")), database())
		id := w.open().ID
		first := a.progress()
		if len(first) != 2 || time.Since(began) != 0 || !strings.Contains(first[1].text, id) {
			t.Fatalf("at once: %v", first)
		}
		later(10*time.Minute + time.Second)
		w.press(id, 0, 0)
		if got := <-result; got.State != answered {
			t.Errorf("got %+v", got)
		}
		all := a.progress()
		if len(all) != 2+30 {
			t.Errorf("%d notifications in ten minutes", len(all))
		}
		for n := 1; n < len(all); n++ {
			if gap := all[n].at - all[n-1].at; gap > DefaultProgress {
				t.Errorf("silence of %s", gap)
			}
			if all[n].n <= all[n-1].n {
				t.Errorf("progress goes from %v to %v", all[n-1].n, all[n].n)
			}
		}
		if last := all[len(all)-1].text; !strings.HasSuffix(last, "(10m0s)") {
			t.Errorf("last message %q", last)
		}
		later(time.Hour)
		if n := len(a.progress()); n != len(all) {
			t.Errorf("%d more after the result", n-len(all))
		}
	})
}

func TestProgressDoesNotWaitForTheCard(t *testing.T) {
	overEveryLine(t, nil, func(t *testing.T, w *fixture, a *agent) {
		hold := make(chan struct{})
		w.slack.On("post", bridgetest.Cue{Hold: hold})
		result := a.start(t.Context(), askName, patient(nil), database())
		synctest.Wait()
		if got := a.progress(); len(got) != 1 {
			t.Errorf("got %v while the card is being posted", got)
		}
		close(hold)
		id := w.open().ID
		w.press(id, 0, 0)
		if got := <-result; got.State != answered {
			t.Errorf("got %+v", got)
		}
	})
}

func TestPendingResultNamesDelay(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		for range 50 {
			w.slack.On("post", bridgetest.Cue{Err: &platform.Error{Platform: "slack", Op: "post", Kind: platform.Transient, Code: "internal_error"}})
		}
		got := w.pipes(july2026).call(askName, nil, database())
		if got.State != pending || !strings.Contains(got.text, "could not be shown to anybody so far: ") || !strings.Contains(got.text, "internal_error") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestProgressNeedsToken(t *testing.T) {
	bubble(t, nil, func(t *testing.T, w *fixture) {
		a := w.pipes(july2026)
		a.call(askName, under("toolu_1"), database())
		if got := a.progress(); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	})
}

func TestManyCallsWaitSideBySide(t *testing.T) {
	overEveryLine(t, nil, func(t *testing.T, w *fixture, a *agent) {
		const calls = 20
		var results []<-chan toolReply
		for n := range calls {
			results = append(results, a.start(t.Context(), askName, meta{"progressToken": fmt.Sprint(n), claudeToolUse: fmt.Sprint(n)},
				meta{"question": fmt.Sprintf("Question %d?", n), "options": []any{"Yes", "No"}}))
		}
		synctest.Wait()
		open, err := w.bridge.List(t.Context(), bridge.Query{})
		if err != nil || len(open) != calls {
			t.Fatalf("%d are open, %v", len(open), err)
		}
		for _, r := range slices.Backward(open) {
			w.press(r.ID, 0, 1)
		}
		for n, result := range results {
			if got := <-result; got.text != fmt.Sprintf("Question %d?\nNo", n) {
				t.Errorf("call %d got %q", n, got.text)
			}
		}
	})
}
