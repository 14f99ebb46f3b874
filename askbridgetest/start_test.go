package askbridgetest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var database = []ask.Question{{Text: "Which database?", Options: []ask.Option{{Label: "Postgres"}, {Label: "SQLite"}}}}

func TestHoursPassInBubble(t *testing.T) {
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

func TestAnswerInBubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		pressed := make(chan struct{})
		go func() {
			defer close(pressed)
			time.Sleep(3 * time.Hour) // A long lunch.
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

func TestAnswerOutsideBubble(t *testing.T) {
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
	w := askbridgetest.Start(t, &askbridgetest.Options{Agents: []access.Agent{{Name: "bot", Token: "secret"}}})
	var p *client.Problem
	if _, err := w.Client.List(t.Context(), client.ListQuery{}); !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
		t.Errorf("List = %v", err)
	}
	bot, err := client.New(w.URL, &client.Options{HTTP: w.HTTP, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bot.List(t.Context(), client.ListQuery{}); err != nil {
		t.Error(err)
	}
}

func TestInvalidOptionsAreReported(t *testing.T) {
	t.Parallel()
	_, err := askbridgetest.New(&askbridgetest.Options{Bridge: &bridge.Options{DefaultRoute: "nowhere", Responders: []string{}}})
	if !errors.Is(err, ask.ErrResponders) {
		t.Errorf("New = %v", err)
	}
	for want, platforms := range map[string][]string{
		`unknown platform "irc", expected slack or discord`: {"slack", "irc"},
		"duplicate platform discord":                        {"discord", "slack", "discord"},
	} {
		if _, err := askbridgetest.New(&askbridgetest.Options{Platforms: platforms}); err == nil || err.Error() != want {
			t.Errorf("New with %q = %v, want %s", platforms, err, want)
		}
	}
}

func TestPlatformOutageIsReported(t *testing.T) {
	t.Parallel()
	for platform, breaks := range map[string]func(w *askbridgetest.World){
		askbridgetest.Slack:   func(w *askbridgetest.World) { w.Slack.Fault("chat.postMessage", chatsim.Refuse("is_archived")) },
		askbridgetest.Discord: func(w *askbridgetest.World) { w.Discord.Fault("create message", chatsim.Refuse("50013")) },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{platform}})
			breaks(w)
			r, err := w.Client.Ask(t.Context(), ask.Request{Questions: database})
			if err != nil || r.State != ask.Failed {
				t.Errorf("%s: Ask = %+v, %v", platform, r, err)
			}
		})
	}
}

func TestOutageOfOnePlatformLeavesOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		w.Slack.Fault("chat.postMessage", chatsim.Refuse("is_archived"))
		r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database})
		if err != nil {
			t.Fatal(err)
		}
		kim := w.Discord.Seat("300000000000000003")
		if err := errors.Join(kim.AwaitText(t.Context(), "[Postgres]"), kim.Press(t.Context(), "Postgres")); err != nil {
			t.Fatal(err)
		}
		if r, err = w.Client.Wait(t.Context(), r.ID); err != nil || r.State != ask.Answered || r.By.Key() != "discord:300000000000000003" {
			t.Errorf("Wait = %+v, %v", r, err)
		}
	})
}

func TestAnswerClosesCardOnOtherPlatform(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, nil)
		onSlack, onDiscord := w.Slack.Seat("U0000001"), w.Discord.Seat("300000000000000001")
		for _, tt := range []struct {
			acts, looks interface {
				chatsim.Seat
				AwaitText(ctx context.Context, texts ...string) error
			}
		}{{onSlack, onDiscord}, {onDiscord, onSlack}} {
			if _, err := w.Client.Submit(t.Context(), ask.Request{Questions: database}); err != nil {
				t.Fatal(err)
			}
			err := errors.Join(
				tt.looks.AwaitText(t.Context(), "[SQLite]"), tt.acts.AwaitText(t.Context(), "[SQLite]"), tt.acts.Press(t.Context(), "SQLite"),
				tt.looks.Await(t.Context(), func(sees string) bool { return !strings.Contains(sees, "[SQLite]") }),
				tt.looks.AwaitText(t.Context(), "Answered by", "SQLite"),
			)
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestUnselectedPlatformIsNil(t *testing.T) {
	t.Parallel()
	w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Discord}})
	if w.Slack != nil || w.Discord == nil {
		t.Fatalf("Slack %v, Discord %v", w.Slack, w.Discord)
	}
	r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database})
	if err != nil || len(r.Delivery) != 1 || r.Delivery[0].Platform != askbridgetest.Discord {
		t.Errorf("Submit = %+v, %v", r, err)
	}
}
