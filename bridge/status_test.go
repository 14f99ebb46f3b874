package bridge_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/bridgetest"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// showing is a platform whose threads show whether their agent waits.
type showing struct {
	*bridgetest.Script

	off bool

	mu    sync.Mutex
	fails []error  // of the next calls
	shown []string // thread and status
}

func (s *showing) ShowsStatus() bool { return !s.off }

func (s *showing) ShowWaiting(_ context.Context, thread ask.Place, waiting bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fails) > 0 {
		err := s.fails[0]
		s.fails = s.fails[1:]
		return err
	}
	s.shown = append(s.shown, fmt.Sprintf("%s %v", thread.Thread, waiting))
	return nil
}

// status returns the last status of a thread; "" if it has none.
func (s *showing) status(thread string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range slices.Backward(s.shown) {
		if of, waiting, _ := strings.Cut(text, " "); of == thread {
			return map[string]string{"true": "waiting", "false": "active"}[waiting]
		}
	}
	return ""
}

// showingFixture is a bridge with a platform that shows statuses.
func showingFixture(t *testing.T) (*fixture, *showing, *bridge.Options, *logbuffer.Buffer) {
	t.Helper()
	kept, log := memory.New(), &logbuffer.Buffer{}
	chat := &showing{Script: bridgetest.NewScript("slack", render.Limits{})}
	w := &fixture{t: t, store: kept, chat: chat.Script}
	return w, chat, &bridge.Options{Threads: keyvalue.Threads{Store: kept.KeyValue()}, Logger: log.Logger()}, log
}

// inThread asks in a thread of the channel.
func inThread(id, thread string) ask.Request {
	return database(func(r *ask.Request) {
		r.ToolCallID, r.To = id, []ask.Place{{Platform: "slack", Channel: "C1", Thread: thread}}
	})
}

func TestThreadWaitsUntilLastRequestEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, chat, opts, _ := showingFixture(t)
		defer w.begin(opts, chat)()
		first, second := w.submit(inThread("a", "t1")), w.submit(inThread("b", "t1"))
		other, plain := w.submit(inThread("c", "t2")), w.submit(database())
		synctest.Wait()
		want := func(when, one, two string) {
			t.Helper()
			synctest.Wait()
			if chat.status("t1") != one || chat.status("t2") != two {
				t.Errorf("%s: %q and %q, want %q and %q", when, chat.status("t1"), chat.status("t2"), one, two)
			}
		}
		want("after three questions", "waiting", "waiting")
		w.act(choose(w.load(first.ID), "U1", 0))
		want("after the first answer", "waiting", "waiting")
		if _, err := w.Cancel(t.Context(), second.ID, "not needed"); err != nil {
			t.Fatal(err)
		}
		want("after both in the thread", "active", "waiting")
		time.Sleep(bridge.DefaultExpiry)
		want("after the deadline of the other", "active", "active")
		w.submit(inThread("d", "t1"))
		want("asked again", "waiting", "active")
		if r := w.load(other.ID); r.Outcome.State != ask.Expired || slices.ContainsFunc(chat.shown, func(s string) bool { return strings.HasPrefix(s, " ") }) {
			t.Errorf("%s; statuses %q: a card outside of a thread has none", r.Outcome.State, chat.shown)
		}
		_ = plain
	})
}

func TestFailedStatusDoesNotDisturbCard(t *testing.T) {
	t.Parallel()
	fails := func(kind platform.Kind) error {
		return &platform.Error{Platform: "slack", Op: "status", Kind: kind, Code: "no", RetryAfter: time.Minute}
	}
	for name, tt := range map[string]struct {
		fails  []error
		status string
		logged int
	}{
		"refused":              {fails: slices.Repeat([]error{fails(platform.Refused)}, 9)},
		"limited for a minute": {fails: []error{fails(platform.RateLimited)}, status: "waiting"},
		"away for long":        {fails: slices.Repeat([]error{fails(platform.Transient)}, 20), logged: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, chat, opts, log := showingFixture(t)
				chat.fails = tt.fails
				defer w.begin(opts, chat)()
				r := w.submit(inThread("a", "t1"))
				w.calls("post C1")
				time.Sleep(time.Hour)
				if got := chat.status("t1"); got != tt.status {
					t.Errorf("status %q, want %q", got, tt.status)
				}
				w.act(choose(w.load(r.ID), "U1", 0))
				if o := w.load(r.ID).Outcome; o.State != ask.Answered {
					t.Errorf("the request is %s, want answered", o.State)
				}
				if n := strings.Count(log.String(), "agent status not shown"); n != tt.logged {
					t.Errorf("logged %d times, want %d:\n%s", n, tt.logged, log)
				}
			})
		})
	}
}

// A replica stored the end of a request and died before it showed that.
func TestReconcilerShowsActiveAfterCrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, chat, opts, _ := showingFixture(t)
		stop := w.begin(opts, chat)
		r := w.submit(inThread("a", "t1"))
		synctest.Wait()
		stop()
		if _, err := w.store.Change(t.Context(), r.ID, func(r *bridge.Record, now time.Time) error { return r.Withdraw(ask.Cancelled, "gone", now) }); err != nil {
			t.Fatal(err)
		}
		if got := chat.status("t1"); got != "waiting" {
			t.Fatalf("status %q before the restart, want waiting", got)
		}
		again := &showing{Script: bridgetest.NewScript("slack", render.Limits{})}
		defer w.begin(opts, again)()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := again.status("t1"); got != "active" {
			t.Errorf("status %q after the restart, want active", got)
		}
	})
}

func TestNoStatusWhileSwitchedOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, chat, opts, _ := showingFixture(t)
		chat.off = true
		defer w.begin(opts, chat)()
		r := w.submit(inThread("a", "t1"))
		w.act(choose(w.load(r.ID), "U1", 0))
		synctest.Wait()
		if diff := cmp.Diff([]string(nil), chat.shown); diff != "" {
			t.Errorf("statuses: %s", diff)
		}
	})
}
