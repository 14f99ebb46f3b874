package slack

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/platform"
)

const setStatus = "agents.sessions.setStatus"

func TestThreadShowsWhetherAgentWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t, ModeHTTP, &slacksim.Options{AgentView: true})
		w.listen()
		thread := ask.Place{Platform: Name, Channel: inChannel.Channel, Thread: w.post(inChannel, one()).Message}
		for _, waiting := range []bool{true, false, true} {
			w.must(w.c.ShowWaiting(t.Context(), thread, waiting))
			want := map[bool]string{true: "suspended", false: "active"}[waiting]
			if got := w.sim.AgentStatus(thread.Channel, thread.Thread); got != want {
				t.Errorf("waiting %v: the status is %q, want %q", waiting, got, want)
			}
		}
	})
}

func TestStatusRefusedForAppRestsAnHour(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		agent  bool
		scopes []string
		code   string
	}{
		"no agent":     {code: "feature_disabled"},
		"lacks scopes": {agent: true, scopes: []string{"users:read"}, code: "missing_scope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeHTTP, &slacksim.Options{AgentView: tt.agent})
				w.listen()
				thread := ask.Place{Platform: Name, Channel: inChannel.Channel, Thread: w.post(inChannel, one()).Message}
				if tt.scopes != nil {
					w.sim.Grant(canaryBot, tt.scopes...)
				}
				for range 3 {
					w.must(w.c.ShowWaiting(t.Context(), thread, true))
				}
				if calls := w.sim.Calls(setStatus); len(calls) != 1 || calls[0].Error != tt.code {
					t.Errorf("calls %+v, want one that fails with %s", calls, tt.code)
				}
				if n := strings.Count(w.log.String(), "agent status off for an hour"); n != 1 || !strings.Contains(w.log.String(), "manifest --agent") {
					t.Errorf("logged %d times, want once with the flag:\n%s", n, w.log)
				}
				time.Sleep(statusRest)
				w.must(w.c.ShowWaiting(t.Context(), thread, true))
				if calls := w.sim.Calls(setStatus); len(calls) != 2 {
					t.Errorf("%d calls after an hour, want 2", len(calls))
				}
			})
		})
	}
}

func TestStatusErrorsOfThreadsAreReturned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault chatsim.Fault
		kind  platform.Kind
	}{
		"rate limit":   {chatsim.RateLimit(5 * time.Second), platform.RateLimited},
		"broken Slack": {chatsim.Status(500), platform.Transient},
		"no thread":    {chatsim.Refuse("thread_not_found"), platform.Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t, ModeHTTP, &slacksim.Options{AgentView: true})
				w.listen()
				thread := ask.Place{Platform: Name, Channel: inChannel.Channel, Thread: w.post(inChannel, one()).Message}
				w.sim.Fault(setStatus, tt.fault)
				err := w.c.ShowWaiting(t.Context(), thread, true)
				if e, ok := errors.AsType[*platform.Error](err); !ok || e.Kind != tt.kind {
					t.Errorf("%v, want a %s error", err, tt.kind)
				}
			})
		})
	}
}

func TestStatusIsOffByDefault(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		c, err := New(Config{BotToken: canaryBot, SigningSecret: canarySecret, AgentStatus: on})
		if err != nil || c.ShowsStatus() != on {
			t.Errorf("with %v: %v, %v", on, c.ShowsStatus(), err)
		}
	}
}

func TestMissingAgentScopeIsLogged(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c, log := offline(t, replying(200, whoami, "X-OAuth-Scopes", "chat:write"))
			c.only.self.agent = on
			if err := c.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if logged := strings.Contains(log.String(), "agent status (assistant:write)"); logged != on {
				t.Errorf("setting %v, logged %v:\n%s", on, logged, log)
			}
		})
	}
}
