package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/internal/doctor"
	"github.com/askbridge/askbridge/slack"
)

// The canaries are in every secret; no report may hold one.
const (
	canaryBot    = "xoxb-canary-0123456789"
	canaryApp    = "xapp-1-A0000001-canary"
	canarySecret = "canary-signing-secret"
)

// front stands before a double and does what the double leaves out.
type front struct {
	h http.Handler
	// scopes is what Slack says that the bot was granted; empty to say nothing.
	scopes string
	// skew is how far ahead its clock is.
	skew time.Duration
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.scopes != "" {
		w.Header().Set("X-OAuth-Scopes", f.scopes)
	}
	w.Header().Set("Date", time.Now().Add(f.skew).UTC().Format(http.TimeFormat))
	f.h.ServeHTTP(w, r)
}

func serve(t *testing.T, f *front) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func allScopes() []string {
	var names []string
	for _, s := range slack.Scopes() {
		names = append(names, s.Name)
	}
	return names
}

// slackFixture is a workspace and a configuration that is right for it.
type slackFixture struct {
	sim   *slacksim.Server
	front *front
	cfg   *config.Config
}

func newSlackWorld(t *testing.T, opts slacksim.Options) *slackFixture {
	t.Helper()
	opts.BotToken, opts.AppToken, opts.SigningSecret = canaryBot, canaryApp, canarySecret
	opts.BotScopes = allScopes()
	if opts.Channels == nil {
		opts.Channels = []slacksim.Channel{
			{ID: "C0000001", Name: "deploys"},
			{ID: "C0000002", Name: "general", Members: []string{"U0000001"}},
			{ID: "C0000003", Name: "board", Private: true, Members: []string{"U0000001"}},
			{ID: "C0000004", Name: "old", Archived: true},
		}
	}
	w := &slackFixture{sim: slacksim.Start(t, &opts)}
	w.front = &front{h: w.sim, scopes: strings.Join(allScopes(), ",")}
	w.cfg = calm(t)
	w.cfg.Slack = &config.Slack{
		BotToken: config.NewSecret(canaryBot), AppToken: config.NewSecret(canaryApp), SigningSecret: config.NewSecret(canarySecret),
		APIURL: serve(t, w.front) + "/api/",
	}
	return w
}

// calm is a configuration about which there is nothing to say but for its
// platforms.
func calm(t *testing.T) *config.Config {
	t.Helper()
	return &config.Config{
		Listen: "127.0.0.1:0",
		Store:  config.Store{Type: config.StoreFile, Path: filepath.Join(t.TempDir(), "askbridge.db")},
		Agents: []config.Agent{{Name: "bot", Token: config.NewSecret("canary-0123456789-0123456789")}},
	}
}

func (w *slackFixture) ask(channels ...string) {
	var route config.Route
	for _, id := range channels {
		t := config.Target{Platform: "slack", Channel: id}
		if strings.HasPrefix(id, "U") {
			t = config.Target{Platform: "slack", User: id}
		}
		route.To = append(route.To, t)
	}
	w.cfg.Routes = map[string]config.Route{"deploys": route}
}

func examine(t *testing.T, cfg *config.Config) *doctor.Report {
	t.Helper()
	return secretless(t, doctor.Examine(t.Context(), cfg, nil))
}

func secretless(t *testing.T, r *doctor.Report) *doctor.Report {
	t.Helper()
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "canary") {
		t.Errorf("a secret is in the report:\n%s", &b)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSpace(line))); n > 80 && !strings.Contains(line, "/") {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
	return r
}

// finds fails unless there is a finding with this ID and state that holds the
// text, and nothing worse.
func finds(t *testing.T, r *doctor.Report, id string, s doctor.State, text string) {
	t.Helper()
	found := false
	for _, f := range r.Findings {
		if f.ID == id && f.State == s {
			found = found || strings.Contains(f.Found, text)
			if f.State == doctor.Broken && f.Do == "" && id != "settings" {
				t.Errorf("it does not say what to do: %+v", f)
			}
			continue
		}
		if f.State == doctor.Broken || (s != doctor.Broken && f.State == doctor.Warn) {
			t.Errorf("beside %s: %+v", id, f)
		}
	}
	if !found {
		t.Errorf("no %s of %s with %q in %+v", s, id, text, r.Findings)
	}
}
