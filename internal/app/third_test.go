package app_test

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/test/pager"
)

// withPagers adds the pager to the list of platforms.
func withPagers() []provider.Bundle { return append(app.Platforms(), pager.Bundle()) }

// pagerConfig loads a configuration with a pager.
func pagerConfig(t *testing.T, exchange, line, more string) (*config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "askbridge.yaml")
	text := "listen: 127.0.0.1:0\nstore: {type: memory}\nroutes: {default: {to: [{platform: pager, channel: \"" + line + "\"}]}}\ndefault_route: default\n" +
		"pager:\n  api_url: " + exchange + "\n  key: canary\n" + more
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, provider.Sections(withPagers()), false)
	if err != nil {
		return nil, err
	}
	return cfg, nil
}

func TestThirdPlatform(t *testing.T) {
	t.Parallel()
	exchange := &pager.Exchange{Key: "canary"}
	there := httptest.NewServer(exchange)
	defer there.Close()
	cfg, err := pagerConfig(t, there.URL, "7", "")
	if err != nil {
		t.Fatal(err)
	}
	opts := &app.Options{Platforms: withPagers()}
	if opts.Listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	address := "http://" + opts.Listener.Addr().String()
	if opts.CallbackListener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	exchange.Bridge = "http://" + opts.CallbackListener.Addr().String() + provider.Callback(pager.Name)
	a, err := app.New(cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}()

	agent, err := client.New(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	line, err := ask.ParsePlace("pager:7")
	if err != nil {
		t.Fatal(err)
	}
	made, err := agent.Submit(ctx, ask.Request{Questions: []ask.Question{database}, To: []ask.Place{line}, Responders: []string{"pager:ann"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := exchange.Text(); !strings.Contains(text, database.Text) {
		t.Errorf("page is %q", text)
	}
	if heard, err := exchange.Call(ctx, "bob", "SQLite"); err != nil || heard == "" {
		t.Errorf("reply to a person who may not answer: %q, %v", heard, err)
	}
	if heard, err := exchange.Call(ctx, "ann", "SQLite"); err != nil || heard != "" {
		t.Errorf("reply to the person who answered: %q, %v", heard, err)
	}
	r, err := agent.Wait(ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != ask.Answered || r.By.Key() != "pager:ann" || len(r.Answers) != 1 || r.Answers[0].Selected[0] != "SQLite" {
		t.Errorf("ended as %+v", r)
	}
}

func TestThirdPlatformConfigIsStrict(t *testing.T) {
	t.Parallel()
	_, err := pagerConfig(t, "http://127.0.0.1:1", "7", "  kye: canary\nslack: {kee: 1}\n")
	if err == nil || !strings.Contains(err.Error(), "askbridge.yaml:8:3: pager.kye: unknown key; did you mean key?") || !strings.Contains(err.Error(), "askbridge.yaml:9:9: slack.kee: unknown key") {
		t.Errorf("error %v", err)
	}
	cfg, err := pagerConfig(t, "http://127.0.0.1:1", "seven", "agents: [{name: bot, token: canary-0123456789-0123456789}]\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.New(cfg, &app.Options{Platforms: withPagers()}); err == nil || !strings.Contains(err.Error(), "askbridge.yaml:3:") {
		t.Errorf("error for an invalid target: %v", err)
	}
}

func TestDoctorChecksThirdPlatform(t *testing.T) {
	t.Parallel()
	there := httptest.NewServer(&pager.Exchange{})
	defer there.Close()
	for line, want := range map[string]doctor.State{"7": doctor.OK, "8": doctor.Broken} {
		cfg, err := pagerConfig(t, there.URL, line, "agents: [{name: bot, token: canary-0123456789-0123456789}]\n")
		if err != nil {
			t.Fatal(err)
		}
		r := app.Examine(t.Context(), cfg, &app.Options{Platforms: withPagers()})
		found := false
		for _, f := range r.Findings {
			found = found || f.ID == "pager/line" && f.State == want
		}
		if !found {
			t.Errorf("line %s: %+v", line, r.Findings)
		}
	}
}
