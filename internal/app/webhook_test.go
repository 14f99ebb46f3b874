package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/config"
)

const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

func withHooks(c *config.Config) {
	c.Webhooks.Secret, c.Webhooks.Local = config.NewSecret(hookSecret), true
}

func TestWebhookReportsAnswer(t *testing.T) {
	t.Parallel()
	type call struct {
		header http.Header
		body   string
	}
	calls := make(chan call, 4)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- call{r.Header, string(body)}
	}))
	defer receiver.Close()
	w := start(t, "http", withHooks)
	a := w.ask(ask.Request{Questions: []ask.Question{database}, Webhook: receiver.URL})
	must(t, a.by(dana).Press(t.Context(), "SQLite"))
	got := <-calls
	wh, err := standardwebhooks.NewWebhook(hookSecret)
	if err != nil {
		t.Fatal(err)
	}
	if err := wh.Verify([]byte(got.body), got.header); err != nil {
		t.Errorf("signature: %v", err)
	}
	if !strings.Contains(got.body, `"type":"request.answered"`) || !strings.Contains(got.body, `"selected":["SQLite"]`) {
		t.Errorf("the body is %s", got.body)
	}
	w.await("the call to be written down", func() bool {
		r, err := w.agent.Get(t.Context(), a.ID)
		return err == nil && r.Webhook != nil && r.Webhook.State == client.Taken
	})
}

func TestFailedWebhookIsListedAndReplayed(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !mended.Load() {
			w.WriteHeader(http.StatusGone)
		}
	}))
	defer receiver.Close()
	w := start(t, "http", withHooks)
	a := w.ask(ask.Request{Questions: []ask.Question{database}, Webhook: receiver.URL})
	must(t, a.by(dana).Press(t.Context(), "SQLite"))
	dead := func() []client.Request {
		page, err := w.agent.List(t.Context(), client.ListQuery{Webhook: client.Dead})
		if err != nil {
			t.Fatal(err)
		}
		return page.Requests
	}
	w.await("the dead letter", func() bool { return len(dead()) == 1 })
	if letter := dead()[0]; letter.ID != a.ID || !strings.Contains(letter.Webhook.Detail, "410") {
		t.Errorf("dead letter is %+v", letter.Webhook)
	}
	mended.Store(true)
	if _, err := w.agent.Replay(t.Context(), a.ID); err != nil {
		t.Fatal(err)
	}
	w.await("the replayed call", func() bool {
		r, err := w.agent.Get(t.Context(), a.ID)
		return err == nil && r.Webhook.State == client.Taken && len(dead()) == 0
	})
}

func TestWebhooksNeedASecret(t *testing.T) {
	t.Parallel()
	w := start(t, "http", nil)
	_, err := w.agent.Submit(t.Context(), ask.Request{Questions: []ask.Question{database}, To: []ask.Place{slackPlace}, Webhook: "https://agent.example"})
	if err == nil || !strings.Contains(err.Error(), "webhook") {
		t.Errorf("Submit = %v", err)
	}
}

// TestWebhookSecretsAreSeparatePerTenant calls webhooks of two tenants, and a third without a secret.
func TestWebhookSecretsAreSeparatePerTenant(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{"deploy": hookSecret, "billing": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazwRRSoeYYM="}
	type call struct {
		header http.Header
		body   []byte
	}
	calls := make(chan call, 4)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- call{r.Header, body}
	}))
	defer receiver.Close()
	w := start(t, "http", func(c *config.Config) {
		c.Webhooks.Local, c.Webhooks.Secret = true, config.NewSecret("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
		for _, name := range []string{"deploy", "billing", "other"} {
			c.Agents = append(c.Agents, config.Agent{Name: name, Token: config.NewSecret(strings.Repeat(name, 8)), WebhookSecret: config.NewSecret(secrets[name])})
		}
		c.Agents[0].WebhookReceivers = []string{receiver.URL}
	})
	if !strings.Contains(w.log.String(), `"agents":"billing"`) {
		t.Error("no warning about an agent that may call any address")
	}
	as := func(name string) *client.Client {
		c, err := client.New(w.address, &client.Options{HTTP: w.http, Token: strings.Repeat(name, 8)})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	asks := func(name, address string) (*client.Request, error) {
		return as(name).Submit(t.Context(), ask.Request{Questions: []ask.Question{database}, To: []ask.Place{slackPlace}, Webhook: address})
	}
	for name, own := range secrets {
		r, err := asks(name, receiver.URL+"/answers")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := as(name).Cancel(t.Context(), r.ID, "enough"); err != nil {
			t.Fatal(err)
		}
		got := <-calls
		if n := len(strings.Fields(got.header.Get("webhook-signature"))); n != 1 {
			t.Errorf("%s: %d signatures", name, n)
		}
		wh, err := standardwebhooks.NewWebhook(own)
		if err != nil {
			t.Fatal(err)
		}
		if err := wh.Verify(got.body, got.header); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := asks("other", receiver.URL); err == nil || !strings.Contains(err.Error(), "no webhook secret") {
		t.Errorf("an agent without a secret was given the shared secret: %v", err)
	}
	if _, err := asks("deploy", "http://agent.example/"); err == nil || !strings.Contains(err.Error(), "not one of the receivers") {
		t.Errorf("an address that is not listed: %v", err)
	}
}
