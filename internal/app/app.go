package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/store"
)

// Options replace what the program otherwise takes from the world. Nil and zero values mean the world.
type Options struct {
	// Version is what the API says about itself.
	Version string
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Listener takes the place of the address in the configuration. Run closes it.
	Listener net.Listener
	// SlackHTTPClient makes the calls to Slack.
	SlackHTTPClient *http.Client
	// SlackDial opens the connection below Socket Mode.
	SlackDial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// App is the program. Make one with [New] and run it once.
type App struct {
	cfg   *config.Config
	opts  Options
	log   *slog.Logger
	slack *slack.Connector
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
	var err error
	if a.slack, err = slack.New(slack.Config{
		BotToken: cfg.Slack.BotToken.Reveal(), AppToken: cfg.Slack.AppToken.Reveal(),
		SigningSecret: cfg.Slack.SigningSecret.Reveal(), APIURL: cfg.Slack.APIURL, Mode: cfg.Slack.Mode,
		HTTPClient: a.opts.SlackHTTPClient, NetDialContext: a.opts.SlackDial, Logger: a.log,
	}); err != nil {
		return nil, err
	}
	if !a.local() && len(cfg.Agents) == 0 {
		return nil, fmt.Errorf("listen: %s can be reached from other machines, so agents need tokens: list them under agents, "+
			"or listen on 127.0.0.1", a.address())
	}
	b, err := a.bridge(store.NewMemory())
	if err != nil {
		return nil, cfg.Explain(err)
	}
	if _, err := a.api(b); err != nil {
		return nil, err
	}
	return a, nil
}

// bridge makes the bridge over a store.
func (a *App) bridge(s bridge.Store) (*bridge.Bridge, error) {
	routes := make(map[string]bridge.Route, len(a.cfg.Routes))
	for name, r := range a.cfg.Routes {
		route := bridge.Route{Responders: r.Responders, ExpiresIn: time.Duration(r.ExpiresIn)}
		for _, t := range r.To {
			route.To = append(route.To, ask.Target(t))
		}
		routes[name] = route
	}
	return bridge.New(s, []bridge.Platform{a.slack}, &bridge.Options{
		Routes: routes, DefaultRoute: a.cfg.DefaultRoute, Responders: a.cfg.Responders,
		ExpiresIn: time.Duration(a.cfg.ExpiresIn), Rules: ask.Rules{MaxQuestions: a.cfg.MaxQuestions},
		IDSecret: a.idSecret(), Logger: a.log,
	})
}

// idSecret is the configured one, else one made from what only this app of this workspace knows: the same after a
// restart and on every replica.
func (a *App) idSecret() []byte {
	if a.cfg.IDSecret.Set() {
		return []byte(a.cfg.IDSecret.Reveal())
	}
	mac := hmac.New(sha256.New, []byte(a.cfg.Slack.BotToken.Reveal()+"\n"+a.cfg.Slack.SigningSecret.Reveal()))
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
func (a *App) local() bool {
	if a.opts.Listener != nil {
		if _, tcp := a.opts.Listener.Addr().(*net.TCPAddr); !tcp {
			return true // A network inside the process.
		}
	}
	return Loopback(a.address())
}
