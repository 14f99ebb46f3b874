package connect_test

import (
	"log/slog"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/hosts/connect"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// connect runs the client until the returned function is called.
func (w *fixture) connect(c *http.Client, deny bool) (stop func()) {
	w.Helper()
	o, err := connect.NewOpenCode(w.bridge(0), "http://127.0.0.1:4096", &connect.OpenCodeOptions{
		Password: "canary", Directory: "/home/dana/ledger", HTTP: c, Options: connect.Options{Wait: 2 * time.Hour, Deny: deny},
	})
	if err != nil {
		w.Fatal(err)
	}
	return w.runs(o.Run)
}

func TestOpenCodeIsAnsweredFromChat(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		host.asks("que_1") // Asked before the client connects.
		stop := w.connect(c, false)
		defer stop()
		w.sees("Which queue for que_1?")
		host.asks("que_2")
		w.sees("Which queue for que_2?")
		if err := w.dana.Press(t.Context(), "In-process", "Which queue for que_2?"); err != nil {
			t.Fatal(err)
		}
		if err := w.dana.Press(t.Context(), "Redis", "Which queue for que_1?"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if one, two := host.got("que_1"), host.got("que_2"); one != "[[Redis]]" || two != "[[In-process]]" {
			t.Errorf("OpenCode got %q and %q", one, two)
		}
	})
}

func TestAskFailureIsLogged(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		var log strings.Builder
		o, err := connect.NewOpenCode(w.bridge(0), "http://127.0.0.1:4096", &connect.OpenCodeOptions{
			Password: "canary", Directory: "/home/dana/ledger", HTTP: c,
			Options: connect.Options{To: []ask.Place{{Platform: "slack", Channel: "C0000404"}}, Logger: slog.New(slog.NewTextHandler(&log, nil))},
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := w.runs(o.Run)
		synctest.Wait()
		host.asks("que_1")
		time.Sleep(time.Minute)
		stop()
		if want := "could not be asked in chat: slack:C0000404: slack: channel_not_found"; !strings.Contains(log.String(), want) {
			t.Errorf("log %s, want %s", log.String(), want)
		}
	})
}

func TestWhatIsAnsweredInOpenCodeIsClosedInChat(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		stop := w.connect(c, false)
		defer stop()
		synctest.Wait()
		host.asks("que_1")
		w.sees("[Redis]")
		host.answeredThere("que_1")
		w.closed("it was answered in OpenCode")
		host.asks("que_2")
		w.sees("[Redis]")
		host.mu.Lock()
		host.take("que_2") // While the connection is down.
		host.mu.Unlock()
		host.hangUp(false)
		time.Sleep(time.Minute)
		if sees := w.dana.Sees(); strings.Contains(sees, "[Redis]") {
			t.Errorf("card: %s", sees)
		}
	})
}

func TestAbortedOpenCodeSessionClosesCards(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		stop := w.connect(c, false)
		defer stop()
		synctest.Wait()
		host.asks("que_1")
		w.sees("[Redis]")
		host.mu.Lock()
		host.publish("session.idle", `{"sessionID":"ses_2"}`) // Another session.
		host.mu.Unlock()
		synctest.Wait()
		w.sees("[Redis]")
		host.aborted()
		w.closed("the agent's turn has ended")
		if got := host.got("que_1"); got != "" {
			t.Errorf("OpenCode got %q", got)
		}
	})
}

func TestMissingOpenCodeErrorHasRemedy(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		var log logbuffer.Buffer
		refused := transport(func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED })
		o, err := connect.NewOpenCode(w.bridge(0), "http://127.0.0.1:4096", &connect.OpenCodeOptions{
			Options: connect.Options{Logger: log.Logger()}, HTTP: &http.Client{Transport: refused},
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := w.runs(o.Run)
		synctest.Wait()
		stop()
		if !strings.Contains(log.String(), "opencode --port 4096") {
			t.Errorf("log: %s", log.String())
		}
	})
}

// transport is a function instead of a connection.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAnswerReachesRestartedOpenCode(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		stop := w.connect(c, false)
		defer stop()
		synctest.Wait()
		host.asks("que_1")
		w.sees("[Redis]")
		host.hangUp(true)
		time.Sleep(time.Minute)
		w.presses("In-process")
		time.Sleep(10 * time.Second)
		host.mu.Lock()
		host.cut = false
		host.mu.Unlock()
		time.Sleep(2 * time.Minute)
		if got := host.got("que_1"); got != "[[In-process]]" {
			t.Errorf("OpenCode got %q", got)
		}
	})
}

func TestRestartedClientFindsAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		stop := w.connect(c, false)
		synctest.Wait()
		host.asks("que_1")
		w.sees("[Redis]")
		stop()
		time.Sleep(time.Hour)
		w.presses("Redis")
		stop = w.connect(c, false)
		defer stop()
		time.Sleep(time.Minute)
		if got := host.got("que_1"); got != "[[Redis]]" {
			t.Errorf("OpenCode got %q", got)
		}
		if n := len(w.dana.Messages("C0000001")); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestUnansweredEndSendsNoReply(t *testing.T) {
	for name, deny := range map[string]bool{"left pending": false, "rejected": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				host, c := newOpenCode(t)
				stop := w.connect(c, deny)
				defer stop()
				synctest.Wait()
				host.asks("que_1")
				w.sees("[Redis]")
				time.Sleep(3 * time.Hour)
				want := ""
				if deny {
					want = "rejected"
				}
				if got := host.got("que_1"); got != want {
					t.Errorf("expired: OpenCode got %q", got)
				}
				host.asks("que_2")
				w.sees("[Redis]")
				w.cancels()
				time.Sleep(time.Minute)
				if got := host.got("que_2"); got != "rejected" {
					t.Errorf("cancelled: OpenCode got %q", got)
				}
			})
		})
	}
}

func TestQuestionWaitsForBridge(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		stop := w.connect(c, false)
		defer stop()
		synctest.Wait()
		w.away.Store(true)
		host.asks("que_1")
		time.Sleep(10 * time.Minute)
		w.away.Store(false)
		w.presses("Redis")
		time.Sleep(time.Minute)
		if got := host.got("que_1"); got != "[[Redis]]" {
			t.Errorf("OpenCode got %q", got)
		}
	})
}

// An expired question is on OpenCode's own screen. A restarted client must not reject it.
func TestExpiredQuestionStaysInOpenCode(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		host, c := newOpenCode(t)
		stop := w.connect(c, false)
		synctest.Wait()
		host.asks("que_1")
		w.sees("[Redis]")
		w.later(2*time.Hour + time.Minute)
		w.closed("nobody answered in time, and the agent's own screen asks now")
		stop()
		defer w.connect(c, false)()
		w.later(time.Hour)
		if got := host.got("que_1"); got != "" {
			t.Errorf("OpenCode got %q", got)
		}
		if n := len(w.dana.Messages("C0000001")); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}
