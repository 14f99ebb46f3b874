package askbridgetest_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
)

// ready returns the status of /readyz, which load balancers use.
func ready(t *testing.T, w *askbridgetest.World) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/readyz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.HTTP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func TestRestoredTokenIsNoticedWithoutRequests(t *testing.T) {
	t.Parallel()
	for _, spoil := range map[string]func(*slacksim.Server){
		"revoked": func(s *slacksim.Server) { s.Revoke("xoxb-sim") }, "expired": func(s *slacksim.Server) { s.Expire("xoxb-sim") },
		"disabled": func(s *slacksim.Server) { s.Disable("xoxb-sim") },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
			if got := ready(t, w); got != http.StatusOK {
				t.Fatalf("before: status of /readyz = %d", got)
			}
			spoil(w.Slack)
			if r, err := w.Client.Ask(t.Context(), ask.Request{Questions: database}); err != nil || r.State != ask.Failed {
				t.Errorf("Ask = %+v, %v", r, err)
			}
			time.Sleep(5 * time.Minute)
			if got := ready(t, w); got != http.StatusServiceUnavailable {
				t.Errorf("with an invalid token: status of /readyz = %d", got)
			}
			if n := len(w.Slack.Calls("auth.test")); n > 60 {
				t.Errorf("it was asked %d times in five minutes", n)
			}
			w.Slack.Restore("xoxb-sim")
			time.Sleep(15 * time.Second)
			if got := ready(t, w); got != http.StatusOK {
				t.Errorf("15 seconds after the token was restored: status of /readyz = %d", got)
			}
			if r, err := w.Client.Submit(t.Context(), ask.Request{Questions: database}); err != nil || r.State != ask.Open {
				t.Errorf("Submit = %+v, %v", r, err)
			}
		})
	}
}

func TestBurstOf500QuestionsCausesNoRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var channels []slacksim.Channel
		for n := range 20 {
			channels = append(channels, slacksim.Channel{ID: fmt.Sprintf("C00001%02d", n), Name: fmt.Sprint("c", n)})
		}
		channels = append(channels, slacksim.Channel{ID: "C0000001", Name: "deploys"})
		w := askbridgetest.Start(t, &askbridgetest.Options{
			Platforms: []string{askbridgetest.Slack}, Slack: &slacksim.Options{PostPerSecond: 1, Channels: channels},
		})
		for n := range 500 { // With any latency.
			w.Slack.Fault("chat.postMessage", chatsim.Delay(time.Duration(n*37%400)*time.Millisecond))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var all sync.WaitGroup
		for n := range 500 {
			all.Go(func() {
				to := []ask.Place{{Platform: "slack", Channel: channels[n%20].ID}}
				if _, err := w.Bridge.Submit(ctx, ask.Request{Questions: database, To: to, ToolCallID: fmt.Sprint(n)}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		posted := func() int { return len(w.Slack.Timeline().Events(chatsim.Posted)) }
		if err := w.Slack.Await(ctx, func() bool { return posted() == 500 }); err != nil {
			t.Errorf("%d of 500 cards stand", posted())
		}
		for _, call := range w.Slack.Calls("chat.postMessage") {
			if call.Error != "" {
				t.Errorf("a card was refused: %s", call.Error)
			}
		}
	})
}

// Slack's internal_error about an edit has no meaning for the card.
// https://docs.slack.dev/reference/methods/chat.update
func TestFailedSlackUpdateIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
		if _, err := w.Client.Submit(t.Context(), ask.Request{Questions: database}); err != nil {
			t.Fatal(err)
		}
		dana := w.Slack.Seat("U0000001")
		w.Slack.Fault("chat.update", chatsim.Refuse("update_failed").Times(2))
		if err := dana.Press(t.Context(), "Postgres"); err != nil {
			t.Fatal(err)
		}
		if err := dana.AwaitText(t.Context(), "Answered by"); err != nil {
			t.Error(err)
		}
		if err := dana.Press(t.Context(), "SQLite"); err == nil {
			t.Error("the card that was answered has its buttons still")
		}
	})
}

func TestFailedSlackFileShareIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := askbridgetest.Start(t, &askbridgetest.Options{Platforms: []string{askbridgetest.Slack}})
		w.Slack.Fault("files.completeUploadExternal", chatsim.Refuse("file_update_failed"))
		submitFiles(t, w, "anyone")
		dana := w.Slack.Seat("U0000001")
		if err := dana.AwaitText(t.Context(), change.Name, "Postgres"); err != nil {
			t.Error(err)
		}
		if err := dana.Press(t.Context(), "Postgres"); err != nil {
			t.Error(err)
		}
	})
}
