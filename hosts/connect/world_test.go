package connect_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a bridge, a Slack double, and a network between client and bridge that can be cut.
type fixture struct {
	*askbridgetest.World
	testing.TB

	dana *slacksim.Seat
	away atomic.Bool
	// origin is what the last question named as its origin.
	origin atomic.Value
}

func (w *fixture) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.away.Load() {
		return nil, errors.New("connection refused")
	}
	if strings.Contains(r.URL.Path, "/ask/") {
		w.origin.Store(r.URL.Query().Get("origin"))
	}
	return w.HTTP.Transport.RoundTrip(r)
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

// bridge returns the client that a host's client asks with.
func (w *fixture) bridge(away time.Duration) *client.Client {
	w.Helper()
	c, err := client.New(w.URL, &client.Options{HTTP: &http.Client{Transport: w}, Away: away})
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// runs runs a client until the returned function is called.
func (w *fixture) runs(run func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	return sync.OnceFunc(func() {
		cancel()
		<-done
	})
}

func (w *fixture) sees(text string) {
	w.Helper()
	if err := w.dana.AwaitText(w.Context(), text); err != nil {
		w.Fatal(err)
	}
}

// presses presses a control, once it is posted, on the card that contains the text.
func (w *fixture) presses(label string, card ...string) {
	w.Helper()
	w.sees(label + "]")
	if err := w.dana.Press(w.Context(), label, card...); err != nil {
		w.Fatal(err)
	}
}

// closed waits until the cards show the text and nothing has controls, private messages included: those are replaced
// after the card.
func (w *fixture) closed(because string) {
	w.Helper()
	ended := func(sees string) bool { return strings.Contains(sees, because) && !strings.Contains(sees, "[") }
	if err := w.dana.Await(w.Context(), ended); err != nil {
		w.Fatal(err)
	}
}

// dismisses dismisses the question.
func (w *fixture) dismisses() {
	w.Helper()
	if err := (chatsim.Hand{Seat: w.dana}).Decline(w.Context(), ""); err != nil {
		w.Fatal(err)
	}
	w.closed("Dismissed")
}

// cancels closes the one open request as the operator of the agent.
func (w *fixture) cancels() {
	w.Helper()
	page, err := w.Client.List(w.Context(), client.ListQuery{State: ask.Open})
	if err != nil || len(page.Requests) != 1 {
		w.Fatalf("open are %v, %v", page, err)
	}
	if _, err := w.Client.Cancel(w.Context(), page.Requests[0].ID, "no need"); err != nil {
		w.Fatal(err)
	}
}

// later lets time pass with all its effects.
func (w *fixture) later(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// types fills the form that a control of the card opens.
func (w *fixture) types(control, words string, under ...string) {
	w.Helper()
	w.sees(control + "]")
	open := func(string) bool { return w.dana.Form() != nil }
	if err := errors.Join(w.dana.Press(w.Context(), control, under...), w.dana.Await(w.Context(), open)); err != nil {
		w.Fatal(err)
	}
	if err := errors.Join(w.dana.Fill(w.Context(), "", words), w.dana.Submit(w.Context())); err != nil {
		w.Fatal(err)
	}
}

// picks chooses options of a question.
func (w *fixture) picks(question string, options ...string) {
	w.Helper()
	for _, o := range options {
		if err := w.dana.Pick(w.Context(), question, o); err != nil {
			w.Fatal(err)
		}
	}
}
