package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/slack"
	memorystore "github.com/askbridge/askbridge/store/memory"
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
	// Store takes the place of the one in the configuration. Run does not close it.
	Store bridge.Store
	// Around stands before all that is served, the platforms' callbacks included.
	Around func(http.Handler) http.Handler
	// SlackHTTPClient makes the calls to Slack.
	SlackHTTPClient *http.Client
	// SlackDial opens the connection below Socket Mode.
	SlackDial func(ctx context.Context, network, addr string) (net.Conn, error)
	// DiscordHTTPClient makes the calls to Discord.
	DiscordHTTPClient *http.Client
	// DiscordDial opens the connection below Discord's gateway.
	DiscordDial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// App is the program. Make one with [New] and run it once.
type App struct {
	cfg     *config.Config
	opts    Options
	log     *slog.Logger
	slack   *slack.Connector   // nil when it is not configured
	discord *discord.Connector // nil when it is not configured
	calls   *webhook.Sender
}

// New checks the configuration as far as that goes without touching the world, and returns everything wrong with it.
func New(cfg *config.Config, opts *Options) (*App, error) {
	a := &App{cfg: cfg, log: slog.New(slog.DiscardHandler)}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.Logger != nil {
		a.log = a.opts.Logger
	}
	if err := a.connect(); err != nil {
		return nil, err
	}
	if err := a.checkExposed(); err != nil {
		return nil, err
	}
	a.calls = a.webhooks()
	b, err := a.bridge(memorystore.New())
	if err != nil {
		return nil, cfg.Explain(err)
	}
	if _, err := a.newAPI(b); err != nil {
		return nil, err
	}
	return a, nil
}

// connect makes the connectors of the platforms that are configured.
func (a *App) connect() error {
	var errs []error
	if c := a.cfg.Slack; c != nil {
		var err error
		a.slack, err = slack.New(slack.Config{
			BotToken: c.BotToken.Reveal(), AppToken: c.AppToken.Reveal(), SigningSecret: c.SigningSecret.Reveal(),
			APIURL: c.APIURL, Mode: c.Mode, Guests: c.Guests, Unpaced: c.Unpaced,
			HTTPClient: a.opts.SlackHTTPClient, NetDialContext: a.opts.SlackDial, Logger: a.log,
		})
		errs = append(errs, err)
	}
	if c := a.cfg.Discord; c != nil {
		var err error
		a.discord, err = discord.New(discord.Config{
			BotToken: c.BotToken.Reveal(), ApplicationID: c.ApplicationID, PublicKey: c.PublicKey,
			APIURL: c.APIURL, Mode: c.Mode, ShardCount: c.ShardCount, ShardIDs: c.ShardIDs, DMFallback: c.DMFallback, Unpaced: c.Unpaced,
			HTTPClient: a.opts.DiscordHTTPClient, NetDialContext: a.opts.DiscordDial, Logger: a.log,
		})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// callback is a platform that posts what people do to a path of ours.
type callback struct {
	path      string
	handler   http.Handler
	listening <-chan struct{}
}

func (a *App) callbacks() []callback {
	var all []callback
	if c := a.slack; c != nil {
		all = append(all, callback{SlackInteractions, c.Handler(), c.Listening()})
	}
	if c := a.discord; c != nil {
		all = append(all, callback{DiscordInteractions, c.Handler(), c.Listening()})
	}
	return all
}

// bridge makes the bridge over a store.
func (a *App) bridge(s bridge.Store) (*bridge.Bridge, error) {
	routes := make(map[string]bridge.Route, len(a.cfg.Routes))
	for name, r := range a.cfg.Routes {
		route := bridge.Route{Responders: r.Responders, ExpiresIn: time.Duration(r.ExpiresIn)}
		for _, t := range r.To {
			route.To = append(route.To, ask.Place(t))
		}
		routes[name] = route
	}
	var platforms []bridge.Platform
	if a.slack != nil {
		platforms = append(platforms, a.slack)
	}
	if a.discord != nil {
		platforms = append(platforms, a.discord)
	}
	return bridge.New(s, platforms, &bridge.Options{
		Routes: routes, DefaultRoute: a.cfg.DefaultRoute, Responders: a.cfg.Responders,
		ExpiresIn: time.Duration(a.cfg.ExpiresIn), Rules: ask.Rules{MaxQuestions: a.cfg.MaxQuestions, MaxOptions: a.cfg.MaxOptions},
		Caller: a.calls, IDSecret: a.idSecret(), StoreName: storeName(a.cfg.Store), Logger: a.log,
	})
}

// idSecret is the configured one, else one made from what only this app knows: the same after a restart and on every
// replica. Slack's secrets come first, so that adding Discord changes no id.
func (a *App) idSecret() []byte {
	if a.cfg.IDSecret.Set() {
		return []byte(a.cfg.IDSecret.Reveal())
	}
	var known string
	if c := a.cfg.Slack; c != nil {
		known = c.BotToken.Reveal() + "\n" + c.SigningSecret.Reveal()
	} else {
		known = a.cfg.Discord.BotToken.Reveal()
	}
	mac := hmac.New(sha256.New, []byte(known))
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
