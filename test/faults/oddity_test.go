//go:build faults

package faults

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/test/redistest"
)

func oddities() []row {
	return []row{
		{
			number: 30, name: "a webhook receiver is down and the calling replica dies",
			person: "nothing", agent: "the call, later, with the same ID; polling works meanwhile",
			kept: "the answer and the pending call", do: "repair the receiver within three days",
			shown: Shown{Metrics: []string{`askbridge_webhook_calls_total{result="taken"} > 0`}}, note: "on the replica that takes over; `failed` on the one that died; `TestFailedWebhookRetriesForDays` covers the later retries",
			play: webhooks,
		},
		{
			number: 31, name: "no platform accepts a card",
			person: "nothing; other questions are unaffected", agent: "`failed` with the platform's reason",
			kept: "the failed request", do: "report the reason in the log",
			shown:  Shown{Metrics: []string{`askbridge_requests_ended_total{state="failed"} > 0`}},
			builds: []*Variant{fragile},
			play: func(t *testing.T, c *claims) {
				t.Run("one that cannot be drawn", poisoned)
				c.on(func(t *testing.T, platform string) {
					w := alone(t, platform)
					w.Start()
					word := map[string]string{Slack: "invalid_blocks", Discord: "50035"}[platform]
					w.fault(platform, posts[platform], chatsim.Refuse(word).Always())
					made := w.Submits(Question(platform, "poisoned"))
					c.agent(func() { failed(t, w.Asks(Question(platform, "poisoned")).Ends(), word) })
					w.clearFaults(platform)
					good := w.Asks(Question(platform, "good"))
					dana := w.Dana(platform)
					c.person(func() {
						dana.Awaits("for good?", "[SQLite]")
						if err := dana.Presses("SQLite"); err != nil {
							t.Error(err)
						}
						dana.AwaitsClosed()
						if strings.Contains(dana.Sees(), "poisoned") {
							t.Error("the rejected card is posted")
						}
					})
					answered(t, good.Ends(), "SQLite")
					c.kept(func() { failed(t, w.Gets(made.ID), word) })
				})
			},
		},
		{
			number: 32, name: "two versions share one Redis, or use one file in turn",
			person: "nothing unusual", agent: "the answer",
			kept: "the answer and everything the older version does not know", do: "upgrade or roll back one version at a time",
			shown: Shown{Metrics: []string{`askbridge_build_info > 0`}, Unaudited: true}, note: "one per version",
			builds: []*Variant{before, newer},
			play: func(_ *testing.T, c *claims) {
				c.on(func(t *testing.T, platform string) {
					versions(t, c, platform)
					versionsOfAFile(t, c, platform)
					versionsOfAVote(t, c, platform)
				})
			},
		},
	}
}

func webhooks(t *testing.T, c *claims) {
	t.Helper()
	var (
		mu    sync.Mutex
		down  = true
		calls []string // the ID of each call
		taken string
	)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, r.Header.Get("Webhook-Id"))
		if down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		taken = string(body)
	}))
	t.Cleanup(receiver.Close)
	s := onlyOn(Slack, redistest.Start(t))
	s.Config = "webhooks: {secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=, local: true}\n"
	w := NewWorld(t, s)
	first := w.Start()
	q := Question(Slack, "k")
	q.Webhook = receiver.URL + "/answers"
	made := w.SubmitsPosted(q)
	dana := w.Dana(Slack)
	c.person(func() {
		if err := dana.Presses("SQLite"); err != nil {
			t.Error(err)
		}
		dana.AwaitsClosed()
	})
	called := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(calls)
	}
	Await(w, "the first call", func() bool { return called() > 0 })
	Await(w, "the failed call to be noted", func() bool { r := w.Gets(made.ID); return r.Webhook != nil && r.Webhook.Attempts > 0 })
	c.kept(func() {
		r := w.Gets(made.ID)
		answered(t, r, "SQLite")
		if r.Webhook.State != client.Due {
			t.Errorf("the call is %s", r.Webhook.State)
		}
	})
	first.Kill()
	mu.Lock()
	down = false
	mu.Unlock()
	w.Start()
	c.agent(func() {
		Await(w, "the call to be taken", func() bool { return w.Gets(made.ID).Webhook.State == client.Taken })
		mu.Lock()
		defer mu.Unlock()
		if !strings.Contains(taken, `"SQLite"`) || calls[0] == "" || calls[0] != calls[len(calls)-1] {
			t.Errorf("took %s under the ids %q", taken, calls)
		}
	})
}
