package askbridgetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/door/httpapi"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store"
)

const (
	// interactions is where the mock Slack posts what people do.
	interactions = "/slack/interactions"
	// startTime bounds the first words between bridge and mock Slack.
	startTime = 10 * time.Second
)

// Options change what [Start] and [New] make. Nil and zero values mean the defaults.
type Options struct {
	// Bridge are the bridge's settings. Without routes there is one, "deploys", which leads to #deploys of the mock
	// Slack and is the default.
	Bridge *bridge.Options
	// Slack are the mock workspace's people, channels and habits.
	Slack *slacksim.Options
	// Agents are those who may use the HTTP API; without any it needs no token.
	Agents []httpapi.Agent
	// Logger receives what an operator would see; nil discards it.
	Logger *slog.Logger
}

// World is a running askbridge with a mock Slack around it.
type World struct {
	// Bridge is for agents that use the library.
	Bridge *bridge.Bridge
	// Slack is the mock workspace; its seats are the people.
	Slack *slacksim.Server
	// URL is the address of the HTTP API, which can be reached through HTTP alone.
	URL  string
	HTTP *http.Client
	// Client calls the API as an agent without a token.
	Client *httpapi.Client

	api   *httpapi.Handler
	host  *chatsim.Host
	store bridge.Store
	stop  context.CancelFunc
	ended chan error
	once  sync.Once
	err   error
}

// Start makes a world that ends with the test. The test fails when something in it does, or when the bridge breaks a
// rule of Slack that w.Slack.Expect has not announced.
func Start(tb testing.TB, opts *Options) *World {
	tb.Helper()
	w, err := New(opts)
	if err != nil {
		tb.Fatalf("askbridgetest: %v", err)
	}
	chatsim.Guard(tb, w.Slack)
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Errorf("askbridgetest: %v", err)
		}
	})
	return w
}

// New is Start without a test around it, for examples and programs that try things out. Close ends the world.
func New(opts *Options) (_ *World, err error) {
	if opts == nil {
		opts = &Options{}
	}
	w := &World{Slack: slacksim.New(opts.Slack), URL: "http://127.0.0.1", store: store.NewMemory(), ended: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close(), w.Slack.Close())
		}
	}()
	connector, err := slack.New(slack.Config{
		BotToken: botToken(opts.Slack), SigningSecret: w.Slack.SigningSecret(), Mode: slack.ModeHTTP,
		APIURL: w.Slack.APIURL(), HTTPClient: w.Slack.Client(), Logger: opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	settings := withRoute(opts.Bridge)
	if settings.Logger == nil {
		settings.Logger = opts.Logger
	}
	if w.Bridge, err = bridge.New(w.store, []bridge.Platform{connector}, settings); err != nil {
		return nil, err
	}
	w.api, err = httpapi.New(w.Bridge, &httpapi.Options{
		Agents: opts.Agents, AllowAnonymous: true, DefaultRoute: settings.DefaultRoute, Logger: opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	w.host = chatsim.Serve(w.api)
	w.HTTP = w.host.Client()
	if w.Client, err = httpapi.NewClient(w.URL, &httpapi.ClientOptions{HTTP: w.HTTP}); err != nil {
		return nil, err
	}
	w.Slack.DeliverToHandler(interactions, connector.Handler())
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go func() { w.ended <- w.Bridge.Run(ctx) }()
	return w, ready(connector)
}

// Close ends the bridge, and then the mock Slack, and waits for both. Closing twice is fine.
func (w *World) Close() error {
	w.once.Do(func() {
		var errs []error
		if w.host != nil {
			w.api.Drain()
			errs = append(errs, w.host.Close())
		}
		if w.stop != nil {
			w.stop()
			errs = append(errs, <-w.ended)
		}
		w.err = errors.Join(append(errs, w.store.Close(), w.Slack.Close())...)
	})
	return w.err
}

// ready waits until bridge and mock Slack have met.
func ready(connector *slack.Connector) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(startTime)
	for {
		err := connector.Ready()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("not ready after %s: %w", startTime, err)
		}
	}
}

func botToken(o *slacksim.Options) string {
	if o == nil || o.BotToken == "" {
		return "xoxb-sim" // The double's own default.
	}
	return o.BotToken
}

// withRoute copies the settings and adds a place to ask in.
func withRoute(o *bridge.Options) *bridge.Options {
	settings := bridge.Options{}
	if o != nil {
		settings = *o
	}
	if len(settings.Routes) == 0 {
		settings.Routes = map[string]bridge.Route{"deploys": {To: []ask.Target{{Platform: slack.Name, Channel: "C0000001"}}}}
		settings.DefaultRoute = "deploys"
	}
	return &settings
}
