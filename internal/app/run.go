package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/store"
)

// The parts of a shutdown, in total less than the usual 25 seconds of a container.
const (
	httpDrain   = 8 * time.Second
	bridgeDrain = 14 * time.Second
)

// Run serves until ctx ends, then shuts down in order. It returns nil after a clean shutdown.
func (a *App) Run(ctx context.Context) (err error) {
	for _, ln := range []net.Listener{a.opts.Listener, a.opts.CallbackListener} {
		if ln != nil {
			defer func() { _ = ln.Close() }() // The server may have closed it.
		}
	}
	defer func() { err = errors.Join(err, a.calls.Close()) }()
	st := a.opts.Store
	if st == nil {
		if st, err = openStore(ctx, a.cfg, a.idSecret(), a.log); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, st.Close()) }()
	}
	defer a.trace(ctx)()
	a.values, a.stored = nil, st
	a.sealing, _ = st.(store.Sealing)
	defer a.sayKeys(ctx)()
	if both, ok := st.(Store); ok {
		a.values = both.KeyValue()
	}
	if a.trail, err = a.newTrail(st); err != nil {
		return err
	}
	defer a.readRotas(context.WithoutCancel(ctx))()
	b, err := a.bridge(st)
	if err != nil {
		return err
	}
	handler, err := a.newAPI(b)
	if err != nil {
		return err
	}
	tools, err := a.mcp()
	if err != nil {
		return err
	}
	sites, err := a.sites(ctx, handler, tools)
	if err != nil {
		return err
	}
	shown, err := a.serveMetrics(ctx, b)
	if err != nil {
		return errors.Join(err, closeAll(sites))
	}
	defer shown()
	if a.trail != nil {
		if err := a.trail.started(ctx, a); err != nil {
			return errors.Join(fmt.Errorf("app: audit: %w", err), closeAll(sites))
		}
	}
	a.announce(sites)
	delay := time.Duration(a.cfg.ShutdownDelay) // A reload may happen during the shutdown, too.
	a.running.Store(&running{b, handler})

	// The bridge outlives ctx, because requests in progress need it.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer a.export(ctx)()
	bridged, served := make(chan error, 1), make(chan error, len(sites))
	go func() { bridged <- b.Run(running) }()
	defer finishRemovals(running, a.platforms, b)()
	// Early callers wait in the listener's queue.
	for _, p := range a.platforms {
		select {
		case <-p.Listening():
		case broke := <-bridged:
			return errors.Join(broke, closeAll(sites))
		}
	}
	for _, site := range sites {
		go func() { served <- site.serve() }()
	}
	if a.opts.Serving != nil {
		a.opts.Serving(ctx)
	}

	var broke error
	select {
	case <-ctx.Done():
		a.log.Info("shutting down")
	case broke = <-bridged:
		bridged <- nil
	case broke = <-served:
	}

	a.ending.Store(true)
	handler.Drain()
	tools.Drain()
	if broke == nil {
		// The load balancer still sends calls here until it notices.
		_ = wait.For(context.WithoutCancel(ctx), delay)
	}
	return errors.Join(broke, a.drainHTTP(ctx, sites, handler), a.drainBridge(stop, bridged))
}

// gate creates the access control.
func (a *App) gate(b *bridge.Bridge, cfg *config.Config) (*access.Gate, error) {
	var known func(agent string)
	if a.metrics != nil {
		known = a.metrics.Known
	}
	gate, err := access.New(b, &access.Options{
		Known:  known,
		Agents: cfg.Access(), AllowAnonymous: a.local() && !cfg.RequireTokens, AnonymousAnswers: a.opts.AnonymousAnswers, AnonymousGrants: a.opts.AnonymousGrants,
		DefaultRoute: cfg.DefaultRoute, Routes: cfg.RouteNames(), Store: a.values,
	})
	return gate, cfg.Explain(err)
}

// newAPI creates the HTTP API.
func (a *App) newAPI(b *bridge.Bridge) (*api.Handler, error) {
	gate, err := a.gate(b, a.cfg)
	if err != nil {
		return nil, err
	}
	var observe func(route, method string, status int)
	if a.metrics != nil {
		observe = a.metrics.Served
	}
	var erase func(ctx context.Context, e client.Erase, by string) (*client.Erased, error)
	if a.stored != nil {
		x := &Eraser{store: a.stored}
		if a.trail != nil {
			x.trail = a.trail.Audit
		}
		erase = x.EraseFor
	}
	people, err := signIn(a.cfg, a.values)
	if err != nil {
		return nil, err
	}
	return api.New(gate, &api.Options{
		SignIn: people, Observe: observe, Degraded: func() []api.Ailing { return degraded(a.platforms) }, Reload: a.opts.Reload, Audit: a.auditor(), Erase: erase, Backup: backupOf(a.stored, a.cfg.Store.Backup, a.log),
		Hosts: a.cfg.Hosts, TrustedProxies: a.cfg.TrustedProxies.Prefixes(), Version: a.opts.Version, Logger: a.log,
	})
}

// drainBridge lets deliveries in progress end. The next start or another replica continues the others.
func (a *App) drainBridge(stop context.CancelFunc, bridged <-chan error) error {
	stop()
	timer := time.NewTimer(bridgeDrain)
	defer timer.Stop()
	select {
	case err := <-bridged:
		return err
	case <-timer.C:
		a.log.Warn("shutdown timeout, remaining deliveries continue after the next start", "after", bridgeDrain)
		return nil
	}
}
