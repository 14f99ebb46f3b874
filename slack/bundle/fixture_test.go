package bundle_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/slack/bundle"
	"github.com/askbridge/askbridge/test/doctortest"
)

// The canaries are in every secret; no report may hold one.
const (
	canaryBot    = "xoxb-canary-0123456789"
	canaryApp    = "xapp-1-A0000001-canary"
	canarySecret = "canary-signing-secret"
)

func allScopes() []string {
	var names []string
	for _, s := range slices.Concat(slack.Scopes(), slack.SetupScopes()) {
		names = append(names, s.Name)
	}
	return names
}

// fixture is a workspace and a configuration that is right for it.
type fixture struct {
	sim     *slacksim.Server
	front   *doctortest.Front
	cfg     *config.Config
	section *bundle.Section
}

func newFixture(t *testing.T, opts slacksim.Options) *fixture {
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
	w := &fixture{sim: slacksim.Start(t, &opts), cfg: doctortest.Calm(t)}
	w.front = &doctortest.Front{Handler: w.sim}
	w.section = &bundle.Section{
		BotToken: config.NewSecret(canaryBot), AppToken: config.NewSecret(canaryApp), SigningSecret: config.NewSecret(canarySecret),
		APIURL: w.front.Serve(t) + "/api/",
	}
	return w
}

// grant gives the bot these scopes in addition to the defaults.
func (w *fixture) grant(more ...string) { w.sim.Grant(canaryBot, append(allScopes(), more...)...) }

// withhold takes a scope from the bot.
func (w *fixture) withhold(scope string) {
	w.sim.Grant(canaryBot, slices.DeleteFunc(allScopes(), func(s string) bool { return s == scope })...)
}

// minimal leaves the bot the scopes of the default manifest.
func (w *fixture) minimal() {
	var names []string
	for _, f := range slack.Features() {
		if f.Switch == "" {
			names = append(names, f.Scopes...)
		}
	}
	w.sim.Grant(canaryBot, names...)
}

// blind removes every scope that lets the bot look something up, without any message.
func (w *fixture) blind() {
	w.sim.Grant(canaryBot, "chat:write")
	w.front.Handler = unsaid(w.sim)
}

// unsaid is Slack behind a proxy that leaves out what a token may do.
func unsaid(slack http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { slack.ServeHTTP(leaving{w}, r) })
}

type leaving struct{ http.ResponseWriter }

func (l leaving) WriteHeader(status int) {
	l.Header().Del("X-OAuth-Scopes")
	l.ResponseWriter.WriteHeader(status)
}

func (w *fixture) ask(channels ...string) {
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

func (w *fixture) examine(t *testing.T) *doctor.Report {
	t.Helper()
	return doctortest.Examine(t, w.cfg, doctor.Platform{Name: "slack", Examine: w.section.Examine})
}
