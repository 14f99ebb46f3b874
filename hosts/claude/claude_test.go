package claude_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/hosts/claude"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a bridge, a Slack double, and a network between hook and bridge that can be cut.
type fixture struct {
	*askbridgetest.World
	testing.TB

	dana *slacksim.Seat
	away atomic.Bool
	// over, if set, answers instead of the bridge.
	over func(r *http.Request) (*http.Response, error)
}

// token is the agent's token.
const token = "canary"

func (w *fixture) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case w.away.Load():
		return nil, errors.New("connection refused")
	case w.over != nil:
		return w.over(r)
	}
	return w.HTTP.Transport.RoundTrip(r)
}

// client returns a client of the bridge.
func (w *fixture) client(o client.Options) *client.Client {
	w.Helper()
	o.HTTP, o.Away = &http.Client{Transport: w}, claude.DefaultAway
	c, err := client.New(w.URL, &o)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// hook returns the hook with these settings.
func (w *fixture) hook(o claude.Options) *claude.Claude {
	w.Helper()
	return claude.NewClaude(w.client(client.Options{Token: token, Sealed: true}), &o)
}

func bubble(t *testing.T, f func(t *testing.T, w *fixture)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fixture{World: askbridgetest.Start(t, &askbridgetest.Options{
			Platforms: []string{askbridgetest.Slack}, Agents: []access.Agent{{Name: "claude-code", Token: token}},
		}), TB: t}
		w.dana = w.Slack.Seat("U0000001")
		f(t, w)
	})
}

// recorded is a host's input of a hook.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// result is the result of a hook.
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

// named is the hook's output once Dana's profile is loaded: before that, her user name is used.
func named(out string) string {
	return strings.NewReplacer("by dana on", "by Dana on", `"dana `, `"Dana `).Replace(out)
}

func TestAnswerHoursLaterDespiteOutage(t *testing.T) {
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
		// The restarted host asks again, without a second card.
		if r := <-w.run(t.Context(), claude.Options{}, recorded(t, "question")); r.err != nil || named(r.out) != updated {
			t.Errorf("again: %s, %v", r.out, r.err)
		}
		if n := len(w.dana.Messages("C0000001")); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

// Windows shells write a byte order mark before the input of a hook, or all of it as UTF-16.
func TestHookAcceptsByteOrderMark(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		event := string(recorded(t, "question"))
		for n, input := range []string{"\ufeff" + event, "\xff\xfe" + strings.Join(strings.Split(event, ""), "\x00") + "\x00"} {
			done := w.run(t.Context(), claude.Options{}, []byte(strings.ReplaceAll(input, "toolu_", fmt.Sprintf("tool%d_", n))))
			w.presses(time.Minute, "In-process")
			if r := <-done; r.err != nil || named(r.out) != updated {
				t.Errorf("got %s, %v", r.out, r.err)
			}
		}
	})
}

func TestHookReportsAdvice(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		var advice []client.Remark
		o := claude.Options{Advise: func(all []client.Remark) { advice = all }}
		done := w.run(t.Context(), o, bytes.Replace(recorded(t, "question"), []byte(`"multiSelect":false`), []byte(`"multiple":false`), 1))
		w.presses(time.Minute, "In-process")
		if r := <-done; r.err != nil {
			t.Error(r.err)
		}
		if want := []client.Remark{{Path: "questions[0].multiple", Detail: "was read as multiSelect"}}; !slices.Equal(advice, want) {
			t.Errorf("advice %+v, want %+v", advice, want)
		}
	})
}

func TestTimeoutFallsBackToHost(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		began := time.Now()
		r := <-w.run(t.Context(), claude.Options{Wait: time.Hour}, recorded(t, "question"))
		if r.out != "" || !errors.Is(r.err, claude.ErrTime) || time.Since(began) > time.Hour+time.Minute {
			t.Errorf("after %s: %q, %v", time.Since(began), r.out, r.err)
		}
		synctest.Wait()
		if sees := w.dana.Sees(); strings.Contains(sees, "[In-process]") || !strings.Contains(sees, "nobody answered in time, and the agent's own screen asks now") {
			t.Errorf("card: %s", sees)
		}
	})
}

func TestTimeoutCanBeReportedToAgent(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		const closed = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Nobody answered in time, and the questions are closed. Do not assume an answer."}}`
		r := <-w.run(t.Context(), claude.Options{Wait: time.Hour, Deny: true}, recorded(t, "question"))
		if r.out != closed || r.err != nil {
			t.Errorf("got %s, %v", r.out, r.err)
		}
	})
}

func TestMissingBridgeDoesNotBlockHost(t *testing.T) {
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
		time.Sleep(claude.DefaultWait + 2*time.Minute) // The card expires.
		if sees := w.dana.Sees(); strings.Contains(sees, "[In-process]") {
			t.Errorf("card: %s", sees)
		}
	})
}

// A proxy in maintenance sent Retry-After: 3600, and for that long no one was asked, neither in chat nor on the
// host's own screen.
func TestLongOutageDoesNotBlockHost(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		until := ""
		w.over = func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {until}}, Body: http.NoBody, Request: r}, nil
		}
		for header, o := range map[string]claude.Options{"3600": {}, "7200": {Defer: true}, "Fri, 31 Dec 9999 23:59:59 GMT": {}} {
			until = header
			began := time.Now()
			out, err := claude.NewClaude(w.client(client.Options{}), &o).Run(t.Context(), recorded(t, "question"))
			if deferred := strings.Contains(string(out), `"defer"`); deferred != o.Defer || (err == nil) != o.Defer || time.Since(began) > claude.DefaultAway {
				t.Errorf("after %s: %q, %v", time.Since(began), out, err)
			}
		}
	})
}

func TestHostTimeoutClosesCard(t *testing.T) {
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
				t.Errorf("stopped after %s: card: %s", after, sees)
			}
		}
	})
}

func TestHeadlessRunIsDeferredAndResumed(t *testing.T) {
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

func TestCancelReasonReachesAgent(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		done := w.run(t.Context(), claude.Options{}, recorded(t, "question"))
		if err := w.dana.AwaitText(t.Context(), "[In-process]"); err != nil {
			t.Fatal(err)
		}
		page, err := w.client(client.Options{Token: token}).List(t.Context(), client.ListQuery{State: ask.Open})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.client(client.Options{Token: token}).Cancel(t.Context(), page.Requests[0].ID, "known by now"); err != nil {
			t.Fatal(err)
		}
		if r := <-done; !strings.Contains(r.out, `"permissionDecision":"deny","permissionDecisionReason":"The questions were withdrawn`) || r.err != nil {
			t.Errorf("got %s, %v", r.out, r.err)
		}
	})
}
