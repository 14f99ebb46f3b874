package claude_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/hosts/claude"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a bridge, a mock Slack, and the way there, which can be cut.
type fixture struct {
	*askbridgetest.World
	testing.TB

	dana *slacksim.Seat
	away atomic.Bool
}

func (w *fixture) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.away.Load() {
		return nil, errors.New("connection refused")
	}
	return w.HTTP.Transport.RoundTrip(r)
}

// hook returns the hook with these settings.
func (w *fixture) hook(o claude.Options) *claude.Claude {
	w.Helper()
	c, err := api.NewClient(w.URL, &api.ClientOptions{HTTP: &http.Client{Transport: w}, Away: claude.DefaultAway})
	if err != nil {
		w.Fatal(err)
	}
	return claude.NewClaude(c, &o)
}

func bubble(t *testing.T, f func(t *testing.T, w *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{World: askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}}), TB: t}
		w.dana = w.Slack.Seat("U0000001")
		f(t, w)
	})
}

// recorded is what a host wrote on a hook's standard input.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// result is what came of a hook.
type result struct {
	out string
	err error
}

func (w *fixture) run(ctx context.Context, o claude.Options, input []byte) <-chan result {
	done := make(chan result, 1)
	h := w.hook(o)
	go func() {
		out, err := h.Run(ctx, input)
		done <- result{string(out), err}
	}()
	return done
}

func (w *fixture) presses(after time.Duration, label string) {
	w.Helper()
	time.Sleep(after)
	if err := w.dana.Press(w.Context(), label); err != nil {
		w.Fatal(err)
	}
}

const updated = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"questions":[` +
	`{"question":"Which  \u003cqueue\u003e?", "header":"Queue","multiSelect":false,"options":[{"label":"Redis Streams (Recommended)","description":"Already deployed"},{"label":"In-process","description":"No new parts"}]}],` +
	`"answers":{"Which  \u003cqueue\u003e?":"In-process"}},"additionalContext":"Answered by Dana on Slack."}}`

// named is what a hook says once her profile has been read: her first act may
// come before, and then she goes by her user name.
func named(out string) string {
	return strings.NewReplacer("by dana on", "by Dana on", `"dana `, `"Dana `).Replace(out)
}

func TestAQuestionIsAnsweredHoursLaterThroughAnOutage(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		done := w.run(t.Context(), claude.Options{}, recorded(t, "question"))
		time.Sleep(2 * time.Hour)
		w.away.Store(true)
		time.Sleep(time.Minute)
		w.away.Store(false)
		w.presses(time.Hour, "In-process")
		if r := <-done; r.err != nil || named(r.out) != updated {
			t.Errorf("got %s, %v", r.out, r.err)
		}
		// The host was restarted and asks again: nobody else is.
		if r := <-w.run(t.Context(), claude.Options{}, recorded(t, "question")); r.err != nil || named(r.out) != updated {
			t.Errorf("again: %s, %v", r.out, r.err)
		}
		if n := len(w.dana.Messages("C0000001")); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestWhenNobodyAnswersTheHostAsksOnItsOwnScreen(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		began := time.Now()
		r := <-w.run(t.Context(), claude.Options{Wait: time.Hour}, recorded(t, "question"))
		if r.out != "" || !errors.Is(r.err, claude.ErrTime) || time.Since(began) > time.Hour+time.Minute {
			t.Errorf("after %s: %q, %v", time.Since(began), r.out, r.err)
		}
		synctest.Wait()
		if sees := w.dana.Sees(); strings.Contains(sees, "[In-process]") || !strings.Contains(sees, "nobody answered in time, and the agent's own screen asks now") {
			t.Errorf("the card says %s", sees)
		}
	})
}

func TestTheAgentMayBeToldThatNobodyAnswered(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		const told = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Nobody answered in time, and the questions are closed. Do not assume an answer."}}`
		r := <-w.run(t.Context(), claude.Options{Wait: time.Hour, Deny: true}, recorded(t, "question"))
		if r.out != told || r.err != nil {
			t.Errorf("got %s, %v", r.out, r.err)
		}
	})
}

func TestABridgeThatIsAwayNeverHoldsTheHost(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.away.Store(true)
		began := time.Now()
		if r := <-w.run(t.Context(), claude.Options{}, recorded(t, "question")); r.out != "" || r.err == nil || time.Since(began) > 20*time.Second {
			t.Errorf("from the start, after %s: %q, %v", time.Since(began), r.out, r.err)
		}
		w.away.Store(false)
		done := w.run(t.Context(), claude.Options{}, recorded(t, "question"))
		time.Sleep(time.Minute)
		w.away.Store(true)
		cut := time.Now()
		if r := <-done; r.out != "" || r.err == nil || time.Since(cut) > 5*time.Minute {
			t.Errorf("on the way, after %s: %q, %v", time.Since(cut), r.out, r.err)
		}
		w.away.Store(false)
		time.Sleep(claude.DefaultWait + 2*time.Minute) // The card closes by itself.
		if sees := w.dana.Sees(); strings.Contains(sees, "[In-process]") {
			t.Errorf("the card says %s", sees)
		}
	})
}

func TestAHostThatStopsWaitingClosesTheCard(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for _, after := range []time.Duration{0, time.Millisecond, time.Minute} {
			ctx, cancel := context.WithCancel(t.Context())
			began := time.Now()
			done := w.run(ctx, claude.Options{}, []byte(strings.Replace(string(recorded(t, "question")), "toolu_01", "toolu_"+after.String(), 1)))
			time.Sleep(after)
			cancel()
			if r := <-done; r.out != "" || time.Since(began) > after+10*time.Second {
				t.Errorf("stopped after %s: %q, %v after %s", after, r.out, r.err, time.Since(began))
			}
			time.Sleep(time.Minute)
			if sees := w.dana.Sees(); strings.Contains(sees, "[In-process]") {
				t.Errorf("stopped after %s: the card says %s", after, sees)
			}
		}
	})
}

func TestAHeadlessRunIsPutOffAndResumed(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		const deferred = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`
		for range 2 {
			began := time.Now()
			if r := <-w.run(t.Context(), claude.Options{Defer: true}, recorded(t, "question")); r.out != deferred || r.err != nil || time.Since(began) > time.Minute {
				t.Fatalf("got %s, %v after %s", r.out, r.err, time.Since(began))
			}
			time.Sleep(5 * time.Hour)
		}
		w.presses(0, "In-process")
		if r := <-w.run(t.Context(), claude.Options{Defer: true}, recorded(t, "question")); named(r.out) != updated || r.err != nil {
			t.Errorf("resumed: %s, %v", r.out, r.err)
		}
	})
}

func TestPermissionsArePutToPeople(t *testing.T) {
	for name, c := range map[string]struct {
		input, press string
		words        string
		want         string
	}{
		"a command is allowed": {"permission", "Allow", "", `{"hookSpecificOutput":{"decision":{"behavior":"allow"},"hookEventName":"PermissionRequest"}}`},
		"a command is denied":  {"permission", "Deny", "", `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"Dana said no."},"hookEventName":"PermissionRequest"}}`},
		"own words deny":       {"permission", "Other…", "use trash <instead>", `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"Dana said no, and: use trash <instead>"},"hookEventName":"PermissionRequest"}}`},
		"a plan is approved":   {"plan", "Allow", "", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"plan":"1. Move the <ledger>.\n2. Check it."}}}`},
		"a plan is refused":    {"plan", "Deny", "", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Dana said no."}}`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				done := w.run(t.Context(), claude.Options{}, recorded(t, c.input))
				if err := w.dana.AwaitText(t.Context(), "[Allow]"); err != nil {
					t.Fatal(err)
				}
				for _, part := range map[string][]string{"permission": {"rm -rf build", "May the agent use Bash?", "In ledger."}, "plan": {"Move the <ledger>", "this plan?"}}[c.input] {
					if sees := w.dana.Sees(); !strings.Contains(sees, part) {
						t.Errorf("no %q on the card: %s", part, sees)
					}
				}
				w.presses(time.Hour, c.press)
				if c.words != "" {
					open := func(string) bool { return w.dana.Form() != nil }
					if err := errors.Join(w.dana.Await(t.Context(), open), w.dana.Fill(t.Context(), "", c.words), w.dana.Submit(t.Context())); err != nil {
						t.Fatal(err)
					}
				}
				if r := <-done; named(r.out) != c.want || r.err != nil {
					t.Errorf("got %s, %v", r.out, r.err)
				}
			})
		})
	}
}

func TestTheSamePermissionIsAskedEveryTime(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for range 2 {
			done := w.run(t.Context(), claude.Options{}, recorded(t, "permission"))
			if err := w.dana.AwaitText(t.Context(), "[Allow]"); err != nil {
				t.Fatal(err)
			}
			w.presses(0, "Allow")
			if r := <-done; !strings.Contains(r.out, `"allow"`) {
				t.Errorf("got %s, %v", r.out, r.err)
			}
			time.Sleep(time.Minute)
		}
		if n := len(w.dana.Messages("C0000001")); n != 2 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestWhatDoesNotFitOnTheCardIsNotApprovedThere(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		long := strings.Replace(string(recorded(t, "permission")), "rm -rf build", strings.Repeat("true && ", 400)+"rm -rf /", 1)
		if r := <-w.run(t.Context(), claude.Options{}, []byte(long)); r.out != "" || r.err == nil {
			t.Errorf("got %s, %v", r.out, r.err)
		}
		if n := len(w.dana.Messages("C0000001")); n != 0 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestAnotherServersFormIsFilledIn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		done := w.run(t.Context(), claude.Options{}, recorded(t, "elicitation"))
		if err := w.dana.AwaitText(t.Context(), "[eu-west]", "Asked by the MCP server tickets."); err != nil {
			t.Fatal(err)
		}
		w.presses(0, "us-east")
		const want = `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"region":"us"}}}`
		if r := <-done; r.out != want || r.err != nil {
			t.Errorf("got %s, %v", r.out, r.err)
		}
	})
}

func TestWhatIsNotForUsIsLeftToTheHost(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for _, input := range []string{
			`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`,
			`{"hook_event_name":"Notification","message":"waiting"}`, `{"hook_event_name":"Stop"}`, `{}`,
		} {
			if r := <-w.run(t.Context(), claude.Options{}, []byte(input)); r.out != "" || r.err != nil {
				t.Errorf("%s: %s, %v", input, r.out, r.err)
			}
		}
		for _, input := range []string{
			"", "[]", `{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_input":{"questions":[]}}`,
			`{"hook_event_name":"Elicitation","mode":"url","url":"https://x.example","message":"Sign in"}`,
		} {
			if r := <-w.run(t.Context(), claude.Options{}, []byte(input)); r.out != "" || r.err == nil {
				t.Errorf("%s: %s, %v", input, r.out, r.err)
			}
		}
	})
}

func TestACancelledQuestionTellsTheAgentWhy(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		done := w.run(t.Context(), claude.Options{}, recorded(t, "question"))
		if err := w.dana.AwaitText(t.Context(), "[In-process]"); err != nil {
			t.Fatal(err)
		}
		page, err := w.Client.List(t.Context(), api.ListQuery{State: ask.Open})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Client.Cancel(t.Context(), page.Requests[0].ID, "known by now"); err != nil {
			t.Fatal(err)
		}
		if r := <-done; !strings.Contains(r.out, `"permissionDecision":"deny","permissionDecisionReason":"The questions were withdrawn`) || r.err != nil {
			t.Errorf("got %s, %v", r.out, r.err)
		}
	})
}
