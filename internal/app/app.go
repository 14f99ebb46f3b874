package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/metrics"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/internal/app/rota"
	"github.com/askbridge/askbridge/internal/app/traces"
	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/keyvalue"
	"github.com/askbridge/askbridge/webhook"
)

// Options replace what the program otherwise takes from the world. Nil and zero values mean the world.
type Options struct {
	// Version is what the API says about itself.
	Version string
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Listener and CallbackListener take the place of the addresses in the configuration. Run closes them.
	Listener, CallbackListener net.Listener
	// Reload is what the API's reload does on somebody's word, usually to call [App.Reload]; nil has none.
	Reload func(by string) (changed []string, err error)
	// Serving is called once calls are served, before any platform has to be there; nil has none.
	Serving func(context.Context)
	// AnonymousAnswers lets callers without a token answer requests, for a simulator.
	AnonymousAnswers bool
	// AnonymousGrants are how far and how long people may allow the calls of those again.
	AnonymousGrants ask.Grants
	// Store takes the place of the one in the configuration. Run does not close it.
	Store bridge.Store
	// Around stands before all that is served, the platforms' callbacks included.
	Around func(http.Handler) http.Handler
	// PlatformHTTP makes the calls to the platforms.
	PlatformHTTP *http.Client
	// Platforms takes the place of [Platforms].
	Platforms []provider.Bundle
}

// App is the program. Make one with [New] and run it once.
type App struct {
	cfg       *config.Config
	opts      Options
	log       *slog.Logger
	platforms []asking // those that are configured, in the order of the list
	calls     *webhook.Sender
	metrics   *metrics.Metrics // nil unless they are configured
	traces    *traces.Traces   // nil unless the environment wants them
	values    keyvalue.Store   // beside the requests; nil where the store has none
	stored    bridge.Store     // nil until the program runs
	sealing   store.Sealing    // the same, where it can be encrypted
	writer    *store.Writer    // nil unless others may reseal it meanwhile
	trail     *trail           // nil unless an audit is configured

	feeds map[string]*rota.Feed // rotas of calendars

	// calling finds what applies to the calls of an agent.
	calling atomic.Pointer[func(tenant, agent string) webhook.Settings]
	running atomic.Pointer[running]
	ending  atomic.Bool // from the word to end on
	reload  sync.Mutex
}

// New checks the configuration as far as that goes without touching the world, and returns everything wrong with it.
func New(cfg *config.Config, opts *Options) (*App, error) {
	a := newApp(cfg, opts)
	b, err := a.check()
	if err != nil {
		return nil, err
	}
	if _, err := a.newAPI(b); err != nil {
		return nil, err
	}
	return a, nil
}

func newApp(cfg *config.Config, opts *Options) *App {
	a := &App{cfg: cfg, log: slog.New(slog.DiscardHandler)}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.Logger != nil {
		a.log = a.opts.Logger
	}
	if a.opts.Platforms == nil {
		a.opts.Platforms = Platforms()
	}
	return a
}

// bridge makes the bridge over a store.
func (a *App) bridge(s bridge.Store) (*bridge.Bridge, error) {
	routes := make(map[string]bridge.Route, len(a.cfg.Routes))
	for name, r := range a.cfg.Routes {
		route := bridge.Route{Language: r.Language, ExpiresIn: time.Duration(r.ExpiresIn), Terms: r.Terms.Known()}
		for _, t := range r.To {
			route.To = append(route.To, ask.Place(t))
		}
		routes[name] = route
	}
	var platforms []platform.Platform
	for _, p := range a.platforms {
		platforms = append(platforms, p.Connector)
	}
	var threads bridge.Threads
	var grants bridge.Grants
	var files bridge.Files
	var numbers bridge.Numbers
	if s, able := s.(interface{ KeyValue() keyvalue.Store }); able {
		values := s.KeyValue()
		threads, grants, files, numbers = keyvalue.Threads{Store: values}, keyvalue.Grants{Store: values}, keyvalue.Files{Store: values}, keyvalue.Numbers{Store: values}
	}
	if a.trail != nil {
		s = a.trail.exporter.Store()
	}
	if a.metrics != nil {
		s = a.metrics.Store(s)
	}
	rotas := make(map[string]bridge.Rota, len(a.cfg.Rotas))
	for name, r := range a.cfg.Rotas {
		if feed := a.feeds[name]; feed != nil {
			rotas[name] = feed
			continue
		}
		rotas[name] = r.Turns(a.cfg.People)
	}
	return bridge.New(s, platforms, &bridge.Options{
		Routes: routes, DefaultRoute: a.cfg.DefaultRoute, Language: a.cfg.Language, Responders: a.cfg.Responders, People: a.cfg.People, Rotas: rotas,
		ExpiresIn: time.Duration(a.cfg.ExpiresIn), Rules: ask.Rules{MaxQuestions: a.cfg.MaxQuestions, MaxOptions: a.cfg.MaxOptions},
		Caller: a.calls, IDSecret: a.idSecret(), StoreName: storeName(a.cfg.Store), Logger: a.log, Observer: a.observer(),
		Threads: threads, Grants: grants, Files: files, Numbers: numbers, Audit: a.cfg.Audit.On(),
	})
}

// idSecret is the configured one, else one made from what only this app knows: the same after a restart and on every
// replica. The first platform of the list gives it, so that adding another one changes no id.
func (a *App) idSecret() []byte {
	if a.cfg.IDSecret.Set() {
		return []byte(a.cfg.IDSecret.Reveal())
	}
	if len(a.platforms) == 0 {
		return nil // None could be made, so that this bridge is only to be judged.
	}
	mac := hmac.New(sha256.New, []byte(a.platforms[0].section.Secret()))
	mac.Write([]byte("askbridge request ids"))
	return mac.Sum(nil)
}

// address is where the program listens, or will.
func (a *App) address() string {
	if a.opts.Listener != nil {
		return a.opts.Listener.Addr().String()
	}
	return a.cfg.Listen
}

// local reports whether only this machine can reach the program.
func (a *App) local() bool { return a.inside() || loopback.Is(a.address()) }

// inside reports whether only this process can.
func (a *App) inside() bool {
	if a.opts.Listener == nil {
		return false
	}
	_, tcp := a.opts.Listener.Addr().(*net.TCPAddr)
	return !tcp
}
