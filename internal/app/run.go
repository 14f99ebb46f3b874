package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/discord"
	"github.com/askbridge/askbridge/internal/config"
	"github.com/askbridge/askbridge/mcpserver"
	"github.com/askbridge/askbridge/slack"
)

// Where the platforms post what people do.
const (
	SlackInteractions   = "/slack/interactions"
	DiscordInteractions = "/discord/interactions"
)

// The shares of the time that a shutdown may take, which is less than the 25
// seconds that people give a container.
const (
	httpDrain   = 8 * time.Second
	bridgeDrain = 14 * time.Second
)

// Run serves until ctx ends, then shuts down in order. It returns nil after a
// clean end.
func (a *App) Run(ctx context.Context) (err error) {
	if ln := a.opts.Listener; ln != nil {
		defer func() { _ = ln.Close() }() // The server has closed it already, if it came to that.
	}
	defer func() { err = errors.Join(err, a.calls.Close()) }()
	st := a.opts.Store
	if st == nil {
		if st, err = openStore(ctx, a.cfg.Store, a.idSecret(), a.log); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, st.Close()) }()
	}
	b, err := a.bridge(st)
	if err != nil {
		return err
	}
	handler, err := a.newAPI(b)
	if err != nil {
		return err
	}
	tools, err := a.mcp(handler)
	if err != nil {
		return err
	}
	ln := a.opts.Listener
	if ln == nil {
		var lc net.ListenConfig
		if ln, err = lc.Listen(ctx, "tcp", a.cfg.Listen); err != nil {
			return fmt.Errorf("app: %w", err)
		}
	}
	a.announce(ln.Addr())

	// The bridge outlives ctx: requests that are under way still lean on it.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	srv := api.NewServer(a.routes(handler, tools), a.log)
	bridged, served := make(chan error, 1), make(chan error, 1)
	go func() { bridged <- b.Run(running) }()
	// Who comes before people can be heard waits in the listener's queue.
	for _, c := range a.callbacks() {
		select {
		case <-c.listening:
		case broke := <-bridged:
			return errors.Join(broke, ln.Close())
		}
	}
	go func() { served <- srv.Serve(limit(ln, connsWithin(openFiles()))) }()

	var broke error
	select {
	case <-ctx.Done():
		a.log.Info("shutting down")
	case broke = <-bridged:
		bridged <- nil
	case broke = <-served:
		broke = fmt.Errorf("app: serve: %w", broke)
	}

	handler.Drain()
	tools.Drain()
	return errors.Join(broke, a.drainHTTP(ctx, srv, handler), a.drainBridge(stop, bridged))
}

// routes puts the API, the MCP server and the platforms' callbacks side by side.
func (a *App) routes(handler *api.Handler, tools *mcpserver.Server) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.Handle(MCP, handler.Guard(access.Ask, withToken(tools.Handler())))
	for _, c := range a.callbacks() {
		mux.Handle(c.path, c.handler)
	}
	if a.opts.Around != nil {
		return a.opts.Around(mux)
	}
	return mux
}

// gate says who may call.
func (a *App) gate(b *bridge.Bridge) (*access.Gate, error) {
	agents := make([]access.Agent, 0, len(a.cfg.Agents))
	for _, c := range a.cfg.Agents {
		agents = append(agents, c.Access())
	}
	return access.New(b, &access.Options{Agents: agents, AllowAnonymous: a.local(), DefaultRoute: a.cfg.DefaultRoute})
}

// newAPI makes the HTTP API.
func (a *App) newAPI(b *bridge.Bridge) (*api.Handler, error) {
	gate, err := a.gate(b)
	if err != nil {
		return nil, err
	}
	return api.New(gate, &api.Options{Version: a.opts.Version, Logger: a.log})
}

// announce says what is served to whom, and what is missing.
func (a *App) announce(at net.Addr) {
	responders := "anyone"
	if a.cfg.Responders != nil {
		responders = strings.Join(a.cfg.Responders, ",")
	}
	said := []any{
		"version", a.opts.Version, "listen", at.String(), "store", describe(a.cfg.Store),
		"responders", responders, "agents", len(a.cfg.Agents), "connections", connsWithin(openFiles()),
	}
	var callbacks []string
	if a.slack != nil {
		said = append(said, "slack", a.slack.Mode())
		if a.slack.Mode() == slack.ModeHTTP {
			callbacks = append(callbacks, SlackInteractions)
		}
	}
	if a.discord != nil {
		said = append(said, "discord", a.discord.Mode())
		if a.discord.Mode() == discord.ModeHTTP {
			callbacks = append(callbacks, DiscordInteractions)
		}
	}
	a.log.Info("askbridge serves", said...)
	if len(a.cfg.Agents) == 0 {
		a.log.Warn("no agents are configured: everybody on this machine may ask, and nobody else can")
	}
	if a.cfg.Store.Type == config.StoreMemory {
		a.log.Warn("the store is memory: questions and answers are gone after a restart")
	}
	if len(callbacks) > 0 && a.local() {
		a.log.Info("this address must be reached from outside, through a proxy or a tunnel", "paths", strings.Join(callbacks, " "))
	}
}

// drainHTTP stops accepting and lets what is under way end: a person's click is
// answered, and so is a parked caller, who has been sent away already.
func (a *App) drainHTTP(ctx context.Context, srv *http.Server, handler *api.Handler) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), httpDrain)
	defer cancel()
	err := errors.Join(srv.Shutdown(ctx), handler.Drained(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		a.log.Warn("some connections did not end in time and were cut", "after", httpDrain)
		err = srv.Close()
	}
	if err != nil {
		return fmt.Errorf("app: close the server: %w", err)
	}
	return nil
}

// drainBridge lets deliveries that are under way end. What does not is taken up
// again after the next start, or by another bridge on the same store.
func (a *App) drainBridge(stop context.CancelFunc, bridged <-chan error) error {
	stop()
	timer := time.NewTimer(bridgeDrain)
	defer timer.Stop()
	select {
	case err := <-bridged:
		return err
	case <-timer.C:
		a.log.Warn("some deliveries did not end in time; they go on after the next start", "after", bridgeDrain)
		return nil
	}
}
