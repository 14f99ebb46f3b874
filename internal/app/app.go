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

// Options replace the program's defaults. Nil and zero values keep them.
type Options struct {
	// Version is the version that the API reports.
	Version string
	// Logger may be nil.
	Logger *slog.Logger
	// Listener and CallbackListener replace the configured addresses. Run closes them.
	Listener, CallbackListener net.Listener
	// Reload handles the API's reload for a caller, usually by calling [App.Reload]; nil disables it.
	Reload func(by string) (changed []string, err error)
	// Serving is called once calls are served, possibly before any platform is connected; it may be
	// nil.
	Serving func(context.Context)
	// AnonymousAnswers lets callers without a token answer requests, for a simulator.
	AnonymousAnswers bool
	// AnonymousGrants limits the grants of callers without a token.
	AnonymousGrants ask.Grants
	// Store replaces the configured store. Run does not close it.
	Store bridge.Store
	// Around wraps everything that is served, including the platforms' callbacks.
	Around func(http.Handler) http.Handler
	// PlatformHTTP makes the calls to the platforms.
	PlatformHTTP *http.Client
	// Platforms replaces [Platforms].
	Platforms []provider.Bundle
}

// App is the program. [New] creates it, and it runs once.
type App struct {
	cfg       *config.Config
	opts      Options
	log       *slog.Logger
	platforms []asking // Configured ones, in the order of the list.
	calls     *webhook.Sender
	metrics   *metrics.Metrics // Nil unless configured.
	traces    *traces.Traces   // Nil unless the environment enables it.
	values    keyvalue.Store   // Next to the requests; nil if the store has none.
	stored    bridge.Store     // Nil until the program runs.
	sealing   store.Sealing    // The same store if it supports encryption.
	writer    *store.Writer    // Nil unless another process may reseal it meanwhile.
	trail     *trail           // Nil unless an audit trail is configured.

	feeds map[string]*rota.Feed // Of rotas with a calendar.

	// calling returns the webhook settings of an agent.
	calling atomic.Pointer[func(tenant, agent string) webhook.Settings]
	running atomic.Pointer[running]
	ending  atomic.Bool // Set when the shutdown begins.
	reload  sync.Mutex
}

// New validates the configuration without network or file access, and returns all problems.
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

// bridge creates the bridge over a store.
func (a *App) bridge(s bridge.Store) (*bridge.Bridge, error) {
	routes := make(map[string]bridge.Route, len(a.cfg.Routes))
	for name, r := range a.cfg.Routes {
		route := bridge.Route{Origin: r.Origin, Language: r.Language, ExpiresIn: time.Duration(r.ExpiresIn), Terms: r.Terms.Known()}
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
	var digests bridge.Digests
	if s, able := s.(interface{ KeyValue() keyvalue.Store }); able {
		values := s.KeyValue()
		threads, grants, files, numbers = keyvalue.Threads{Store: values}, keyvalue.Grants{Store: values}, keyvalue.Files{Store: values}, keyvalue.Numbers{Store: values}
		digests = keyvalue.Digests{Store: values}
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
		Digests: a.cfg.Digests(), DigestStore: digests,
	})
}

// idSecret is the configured secret, or one derived from a secret of the app, which is the same after a
// restart and on every replica. It comes from the first platform of the list, so that adding another
// one changes no IDs.
func (a *App) idSecret() []byte {
	if a.cfg.IDSecret.Set() {
		return []byte(a.cfg.IDSecret.Reveal())
	}
	if len(a.platforms) == 0 {
		return nil // No platform could be created, so this bridge is only for validation.
	}
	mac := hmac.New(sha256.New, []byte(a.platforms[0].section.Secret()))
	mac.Write([]byte("askbridge request ids"))
	return mac.Sum(nil)
}

// address is the address of the program.
func (a *App) address() string {
	if a.opts.Listener != nil {
		return a.opts.Listener.Addr().String()
	}
	return a.cfg.Listen
}

// local reports whether the program is reachable only from this machine.
func (a *App) local() bool { return a.inside() || loopback.Is(a.address()) }

// inside reports whether it is reachable only from this process.
func (a *App) inside() bool {
	if a.opts.Listener == nil {
		return false
	}
	_, tcp := a.opts.Listener.Addr().(*net.TCPAddr)
	return !tcp
}
