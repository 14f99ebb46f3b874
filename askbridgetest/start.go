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

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
	"github.com/askbridge/askbridge/chatsim/discordsim"
	"github.com/askbridge/askbridge/chatsim/slacksim"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/store/memory"
)

// The platforms that a world can have.
const (
	Slack   = slack.Name
	Discord = discord.Name
)

// startTime limits how long the connectors may take to become ready.
const startTime = time.Minute

// Options configure [Start] and [New]. Nil and zero values mean the defaults.
type Options struct {
	// Platforms lists the platforms: [Slack], [Discord] or, if empty, both.
	Platforms []string
	// Bridge configures the bridge. Without routes it gets those of the simulator: "deploys", the default, posts
	// to #deploys of every platform; "dana" to her direct messages; "sam" to #deploys, where only Sam may answer;
	// and "tell-sam" to #deploys, where it notifies Sam. The directory then contains dana, sam and kim.
	Bridge *bridge.Options
	// Typed lets the bridge receive messages, so that people can answer requests with one: Slack sends events, and the
	// mock guild is connected over the gateway.
	Typed bool
	// Inbox lets people open their inbox: on the Home tab or with /askbridge on Slack, with /askbridge inbox on Discord.
	Inbox bool
	// Slack configures the people, channels and behavior of the mock workspace.
	Slack *slacksim.Options
	// Discord configures the people, roles, channels and behavior of the mock guild.
	Discord *discordsim.Options
	// Agents lists the agents that may use the HTTP API; if empty, it needs no token.
	Agents []access.Agent
	// Now is the clock of the store, which decides when something is due; nil means the machine's clock. A test that
	// cannot run in a testing/synctest bubble can advance it: deadlines that it passes take effect within 15 seconds, or
	// with the next action of a person.
	Now func() time.Time
	// Logger receives the operator's log; nil discards it.
	Logger *slog.Logger

	grants ask.Grants // grants that people may give to callers without a token; Play allows those of the simulator
}

// World is a running askbridge with mock platforms around it.
type World struct {
	// Bridge is for agents that use the library.
	Bridge *bridge.Bridge
	// Slack is the mock workspace and Discord the mock guild; their seats are the people. A platform that Options
	// leave out is nil.
	Slack   *slacksim.Server
	Discord *discordsim.Server
	// URL is the address of the HTTP API. Only the client HTTP can reach it.
	URL  string
	HTTP *http.Client
	// Client calls the API as an agent without a token.
	Client *client.Client

	api   *api.Handler
	host  *chatsim.Host
	store bridge.Store
	stop  context.CancelFunc
	ended chan error
	once  sync.Once

	settle func() // waits until all effects of an answer, such as a grant, are stored; nil outside a synctest bubble
	err    error
}

// connector is the part of a connector that a world uses.
type connector interface {
	platform.Platform
	Handler() http.Handler
	Ready() error
}

// Start creates a world that ends with the test. The test fails if something in the world fails, or if the bridge violates
// a rule of a platform and w.Slack.Expect or w.Discord.Expect has not announced that violation.
func Start(tb testing.TB, opts *Options) *World {
	tb.Helper()
	w, err := New(opts)
	if err != nil {
		tb.Fatalf("askbridgetest: %v", err)
	}
	for _, sim := range w.sims() {
		chatsim.Guard(tb, sim)
	}
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Errorf("askbridgetest: %v", err)
		}
	})
	return w
}

// New is Start without a test, for examples and experiments. The caller must call Close.
func New(opts *Options) (_ *World, err error) {
	if opts == nil {
		opts = &Options{}
	}
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	records := memory.NewAt(now)
	w := &World{URL: "http://127.0.0.1", store: records, ended: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	connectors, err := w.open(opts)
	if err != nil {
		return nil, err
	}
	settings := w.withRoutes(opts.Bridge)
	if settings.Threads == nil {
		settings.Threads = keyvalue.Threads{Store: records.KeyValue()}
		settings.Grants = keyvalue.Grants{Store: records.KeyValue()}
		settings.Files = keyvalue.Files{Store: records.KeyValue()}
		settings.Numbers = keyvalue.Numbers{Store: records.KeyValue()}
		settings.DigestStore = keyvalue.Digests{Store: records.KeyValue()}
	}
	if settings.Logger == nil {
		settings.Logger = opts.Logger
	}
	var platforms []platform.Platform
	for _, c := range connectors {
		platforms = append(platforms, c)
	}
	if w.Bridge, err = bridge.New(w.store, platforms, settings); err != nil {
		return nil, err
	}
	gate, err := access.New(w.Bridge, &access.Options{
		Agents: opts.Agents, AllowAnonymous: true, AnonymousGrants: opts.grants, DefaultRoute: settings.DefaultRoute, Store: records.KeyValue(),
	})
	if err != nil {
		return nil, err
	}
	if w.api, err = api.New(gate, &api.Options{Logger: opts.Logger}); err != nil {
		return nil, err
	}
	w.host = chatsim.Serve(w.api)
	w.HTTP = w.host.Client()
	if w.Client, err = client.New(w.URL, &client.Options{HTTP: w.HTTP}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go func() { w.ended <- w.Bridge.Run(ctx) }()
	for _, c := range connectors {
		if err := ready(c); err != nil {
			return nil, err
		}
	}
	var events []string
	if opts.Typed {
		events = append(events, slacksim.EventMessage, slacksim.EventAppMention)
	}
	if opts.Inbox {
		events = append(events, slacksim.EventHomeOpened)
	}
	if len(events) > 0 && w.Slack != nil {
		w.Slack.Subscribe(events...)
		if err := w.Slack.EventsTo(ctx, w.Slack.RequestURL()); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Close stops the bridge and then the mock platforms, and waits for all of them. Further calls return the same error.
func (w *World) Close() error {
	w.once.Do(func() {
		var errs []error
		if w.host != nil {
			w.api.Drain()
			errs = append(errs, w.host.Close())
		}
		if w.Slack != nil {
			// A stopping bridge rejects events, and Slack would then send them again.
			errs = append(errs, w.Slack.Unsubscribe(context.Background()))
		}
		if w.stop != nil {
			w.stop()
			errs = append(errs, <-w.ended)
		}
		errs = append(errs, w.store.Close())
		for _, sim := range w.sims() {
			errs = append(errs, sim.Close())
		}
		w.err = errors.Join(errs...)
	})
	return w.err
}

// ready waits until the connector is ready.
func ready(c connector) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(startTime)
	for {
		err := c.Ready()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("%s is not ready after %s: %w", c.Name(), startTime, err)
		}
	}
}

// withRoutes returns a copy of the options with the default routes and people, unless it has routes.
func (w *World) withRoutes(o *bridge.Options) *bridge.Options {
	settings := bridge.Options{}
	if o != nil {
		settings = *o
	}
	if len(settings.Routes) > 0 {
		return &settings
	}
	settings.Routes, settings.DefaultRoute = map[string]bridge.Route{}, routeDeploys
	known := settings.People == nil
	if known {
		settings.People = map[string][]string{}
	}
	add := func(name string, to ask.Place, responders ...string) {
		r := settings.Routes[name]
		r.To, r.Responders = append(r.To, to), append(r.Responders, responders...)
		settings.Routes[name] = r
	}
	for _, p := range w.platforms() {
		deploys := ask.Place{Platform: p.name, Channel: p.deploys}
		add(routeDeploys, deploys)
		add(routeDana, ask.Place{Platform: p.name, User: p.people[dana]})
		add(routeSam, deploys, p.entry(sam))
		add(routeTell, deploys)
		tell := settings.Routes[routeTell]
		tell.Notify = append(tell.Notify, p.entry(sam))
		settings.Routes[routeTell] = tell
		for name := range p.people {
			if known {
				settings.People[name] = append(settings.People[name], p.entry(name))
			}
		}
	}
	return &settings
}
