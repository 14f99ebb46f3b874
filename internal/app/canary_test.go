package app_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	slack "github.com/askbridge/askbridge/slack/bundle"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// recorder keeps the body of every response to the agent.
type recorder struct {
	http.RoundTripper
	seen *logbuffer.Buffer
}

func (r recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	_ = resp.Header.Write(r.seen)
	_, _ = r.seen.Write(data)
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

// No secret appears in any output, even with failures and at debug level.
func TestSecretsAppearNowhere(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{
		"bot token": "xoxb-canary-bot-token", "app token": "xapp-1-A0000001-canary-app-token",
		"signing secret": "canary0signing0secret0canary0123", "agent token": "canary-agent-token-canary-agent",
		"id secret": "canary-id-secret-canary-id-secret",
	}
	sim := slacksim.Start(t, &slacksim.Options{
		BotToken: secrets["bot token"], AppToken: secrets["app token"], SigningSecret: secrets["signing secret"], Patience: time.Minute,
	})
	if _, err := sim.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	section := &slack.Section{
		Mode: "http", APIURL: sim.APIURL(), BotToken: config.NewSecret(secrets["bot token"]),
		AppToken: config.NewSecret(secrets["app token"]), SigningSecret: config.NewSecret(secrets["signing secret"]),
	}
	cfg := &config.Config{
		Store:     config.Store{Type: config.StoreMemory},
		Platforms: config.Platforms{"slack": section},
		IDSecret:  config.NewSecret(secrets["id secret"]),
		Agents:    []config.Agent{{Name: "bot", Token: config.NewSecret(secrets["agent token"])}},
	}
	out := &logbuffer.Buffer{}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	log := out.Logger()
	a, err := app.New(cfg, &app.Options{Listener: ln, Logger: log, PlatformHTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("settings", "config", cfg, "options", *section, "agents", cfg.Agents)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()

	address := "http://" + ln.Addr().String()
	calls := &http.Client{Transport: recorder{transport, out}}
	agent, err := client.New(address, &client.Options{Token: secrets["agent token"], HTTP: calls, Tries: 2})
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := client.New(address, &client.Options{Token: secrets["agent token"] + "x", HTTP: calls, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	sim.DeliverTo(address+provider.Callback("slack"), &http.Client{Transport: transport})
	place := []ask.Place{{Platform: "slack", Channel: "C0000001"}}
	note := func(_ *client.Request, err error) {
		if err != nil {
			_, _ = io.WriteString(out, err.Error()+"\n")
		}
	}

	// Successful calls.
	made, err := agent.Submit(ctx, ask.Request{Questions: []ask.Question{database, notes}, To: place})
	if err != nil {
		t.Fatal(err)
	}
	dana := sim.Seat(dana)
	must(t, dana.Pick(ctx, "Which database?", "Postgres"), form(ctx, dana, "Answer…"), dana.Fill(ctx, "", "Fine."), dana.Submit(ctx))
	must(t, dana.Press(ctx, "Submit"))
	note(agent.Wait(ctx, made.ID))

	// Failures of the agent, of calls to Slack, and of requests from Slack.
	note(stranger.Submit(ctx, ask.Request{Questions: []ask.Question{database}, To: place}))
	note(agent.Submit(ctx, ask.Request{Route: "nowhere"}))
	note(agent.Get(ctx, "nothing"))
	for _, f := range []chatsim.Fault{
		chatsim.Refuse("token_revoked"), chatsim.Refuse("missing_scope"), chatsim.Status(500), chatsim.LoseReply(), chatsim.RateLimit(time.Minute),
	} {
		sim.ClearFaults()
		sim.Fault("chat.postMessage", f)
		note(agent.Submit(ctx, ask.Request{Questions: []ask.Question{database}, To: place}))
	}
	payload := []byte("payload=%7B%22type%22%3A%22block_actions%22%7D")
	now := time.Now()
	for _, headers := range []http.Header{
		{},
		slacksim.Sign("wrong", now, payload), slacksim.Sign(secrets["signing secret"], now.Add(-time.Hour), payload),
		slacksim.Sign(secrets["signing secret"], now, payload),
	} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+provider.Callback("slack"), bytes.NewReader(payload))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = headers
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		resp, err := calls.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = body(t, resp)
	}
	cancel()
	note(nil, <-ended)

	text := out.String()
	if !strings.Contains(text, "act recorded") || !strings.Contains(text, "slack request refused") {
		t.Fatalf("log lacks expected entries:\n%s", text)
	}
	for name, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the %s is in the output", name)
		}
	}
	// The correct signature is a secret, too.
	mac := hmac.New(sha256.New, []byte(secrets["signing secret"]))
	mac.Write([]byte("v0:" + slacksim.Sign("", now, nil).Get("X-Slack-Request-Timestamp") + ":"))
	mac.Write(payload)
	if strings.Contains(text, hex.EncodeToString(mac.Sum(nil))) {
		t.Error("a correct signature is in the output")
	}
	if leak := regexp.MustCompile(`/actions/\S+|trigger_id|response_url`).FindString(text); leak != "" {
		t.Errorf("a reply address or trigger is in the output: %s", leak)
	}
	if t.Failed() {
		t.Log(text)
	}
}
