package askbridgetest_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/door/httpapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var database = []ask.Question{{Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}}

func TestHoursPassAtOnceInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		began := time.Now()
		r, err := w.Client.Ask(t.Context(), ask.Request{Questions: database, ExpiresIn: 2 * time.Hour})
		if err != nil || r.State != ask.Expired {
			t.Fatalf("Ask = %+v, %v", r, err)
		}
		if took := time.Since(began); took < 2*time.Hour || took > 2*time.Hour+time.Minute {
			t.Errorf("it expired after %s", took)
		}
	})
}

func TestAPersonAnswersInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		pressed := make(chan struct{})
		go func() {
			defer close(pressed)
			time.Sleep(3 * time.Hour) // Lunch was long.
			if err := w.Slack.Seat("U0000001").Press(t.Context(), "SQLite"); err != nil {
				t.Error(err)
			}
		}()
		r, err := w.Client.Ask(t.Context(), ask.Request{Questions: database})
		if err != nil || r.Text != "Which database?\nSQLite" {
			t.Errorf("Ask = %+v, %v", r, err)
		}
		<-pressed
	})
}

func TestOutsideABubbleItWorksTheSame(t *testing.T) {
	t.Parallel()
	w := askbridgetest.Start(t, nil)
	got := make(chan ask.Outcome, 1)
	go func() {
		o, err := w.Bridge.Ask(t.Context(), ask.Request{Questions: database})
		if err != nil {
			t.Error(err)
		}
		got <- o
	}()
	sam := w.Slack.Seat("U0000002")
	if err := errors.Join(sam.AwaitText(t.Context(), "[Postgres]"), sam.Press(t.Context(), "Postgres")); err != nil {
		t.Fatal(err)
	}
	if o := <-got; o.State != ask.Answered || o.By.ID != "U0000002" {
		t.Errorf("outcome %+v", o)
	}
}

func TestAgentsWithTokensNeedThem(t *testing.T) {
	t.Parallel()
	w := askbridgetest.Start(t, &askbridgetest.Options{Agents: []httpapi.Agent{{Name: "bot", Token: "secret"}}})
	var p *httpapi.Problem
	if _, err := w.Client.List(t.Context(), httpapi.ListQuery{}); !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
		t.Errorf("List = %v", err)
	}
	bot, err := httpapi.NewClient(w.URL, &httpapi.ClientOptions{HTTP: w.HTTP, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bot.List(t.Context(), httpapi.ListQuery{}); err != nil {
		t.Error(err)
	}
}

func TestBadOptionsAreNamed(t *testing.T) {
	t.Parallel()
	_, err := askbridgetest.New(&askbridgetest.Options{Bridge: &bridge.Options{DefaultRoute: "nowhere", Responders: []string{}}})
	if !errors.Is(err, ask.ErrResponders) {
		t.Errorf("New = %v", err)
	}
}

func TestAPlatformThatIsDownIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		w.Slack.Fault("chat.postMessage", chatsim.Refuse("is_archived"))
		r, err := w.Client.Ask(t.Context(), ask.Request{Questions: database})
		if err != nil || r.State != ask.Failed {
			t.Errorf("Ask = %+v, %v", r, err)
		}
	})
}
