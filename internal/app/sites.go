package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/connlimit"
	"github.com/askbridge/askbridge/internal/loopback"
	"github.com/askbridge/askbridge/mcpserver"
)

// site is an address and what it serves.
type site struct {
	ln    net.Listener
	srv   *http.Server
	conns *connlimit.Table
}

func (s site) serve() error {
	if err := s.conns.Serve(s.srv, s.ln); err != nil {
		return fmt.Errorf("app: serve %s: %w", s.ln.Addr(), err)
	}
	return nil
}

func closeAll(sites []site) error {
	var errs []error
	for _, s := range sites {
		errs = append(errs, s.ln.Close())
	}
	return errors.Join(errs...)
}

// sites opens the listeners: one address for everything, or one for agents and one for platforms.
func (a *App) sites(ctx context.Context, handler *api.Handler, tools *mcpserver.Server) (_ []site, err error) {
	agents := http.NewServeMux()
	agents.Handle("/", handler)
	agents.Handle(MCP, handler.Guard(access.Ask, mcpserver.Query(), tools.HandlerFor))
	conns, apart := connsWithin(openFiles()), a.callbacksApart()
	var sites []site
	serve := func(h http.Handler, conns int) {
		sites = append(sites, site{srv: a.server(h), conns: connlimit.New(conns, a.log)})
	}
	if apart {
		own := max(conns/callbackShare, 1) // Platforms open few connections; agents wait on theirs.
		serve(a.callbacks(agents, false), conns-own)
		serve(a.callbacks(http.NotFoundHandler(), true), own)
	} else {
		serve(a.callbacks(agents, true), conns)
	}
	given := []net.Listener{a.opts.Listener, a.opts.CallbackListener}
	for n, key := range []string{"listen", "callbacks.listen"}[:len(sites)] {
		if sites[n].ln = given[n]; sites[n].ln != nil {
			continue
		}
		if sites[n].ln, err = listen(ctx, key, []string{a.cfg.Listen, a.cfg.Callbacks.Listen}[n]); err != nil {
			return nil, errors.Join(err, closeAll(sites[:n]))
		}
	}
	return sites, nil
}

// listen opens the address of a configuration key.
func listen(ctx context.Context, key, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("app: %w; another askbridge (the simulator?) or another program uses it: end it, or set %s", err, key)
	case err != nil:
		return nil, fmt.Errorf("app: %w", err)
	}
	return ln, nil
}

// server returns an HTTP server for h with all its wrappers.
func (a *App) server(h http.Handler) *http.Server {
	if a.opts.Around != nil {
		h = a.opts.Around(h)
	}
	return api.NewServer(a.last(h), a.log)
}

// last closes connections after the current response during a shutdown, so that later calls reach
// another replica.
func (a *App) last(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.ending.Load() {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

// callbacksApart reports whether platforms have their own address.
func (a *App) callbacksApart() bool {
	return len(a.posting()) > 0 && (a.cfg.Callbacks.Listen != "" || a.opts.CallbackListener != nil)
}

// checkExposed refuses to serve the API without tokens if other machines or web pages could reach it.
func (a *App) checkExposed() error {
	posting := a.posting()
	switch {
	case a.cfg.TokensNeeded():
		return nil
	case !a.local():
		return a.cfg.At("listen", fmt.Errorf("%s can be reached from other machines, so agents need tokens: list them under agents, "+
			"set require_tokens, or listen on 127.0.0.1", a.address()))
	case len(posting) > 0 && !a.callbacksApart() && !a.inside():
		return a.cfg.At("listen", fmt.Errorf("anything that lets a platform reach %s on %s also lets others reach the API, so agents need tokens: "+
			"list them under agents, or give the platforms an address of their own under callbacks", strings.Join(posting, " and "), a.address()))
	}
	return nil
}

// announce logs what is served, and what is missing.
func (a *App) announce(sites []site) {
	responders := "anyone"
	if a.cfg.Responders != nil {
		responders = strings.Join(a.cfg.Responders, ",")
	}
	attrs := []any{
		"version", a.opts.Version, "listen", sites[0].ln.Addr().String(), "store", describe(a.cfg.Store),
		"responders", responders, "agents", len(a.cfg.Agents), "connections", sites[0].conns.Limit(),
	}
	if len(sites) > 1 {
		attrs = append(attrs, "callbacks", sites[1].ln.Addr().String())
	}
	for _, p := range a.platforms {
		attrs = append(attrs, p.Name(), p.Mode())
	}
	a.log.Info("askbridge serves", attrs...)
	if !a.cfg.TokensNeeded() {
		a.log.Warn("no agents configured, open to every program on this machine")
	}
	if anywhere := callsAnywhere(a.cfg); len(anywhere) > 0 {
		a.log.Warn("agents of several tenants may name any webhook address; list the receivers under webhooks, or for each agent",
			"agents", strings.Join(anywhere, ","))
	}
	if a.cfg.Store.Type == config.StoreMemory {
		a.log.Warn("the store is memory: requests are lost on a restart")
	}
	if at := sites[len(sites)-1].ln.Addr(); len(a.posting()) > 0 && loopback.Is(at.String()) {
		a.log.Info("this address must be reachable from outside, through a proxy or a tunnel",
			"address", at.String(), "paths", strings.Join(a.posting(), " "))
	}
}

// drainHTTP stops accepting connections and completes requests in progress: clicks are answered, and so
// are waiting callers, who have already got a hint to retry.
func (a *App) drainHTTP(ctx context.Context, sites []site, handler *api.Handler) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), httpDrain)
	defer cancel()
	var all errgroup.Group
	for _, s := range sites {
		all.Go(func() error {
			err := s.srv.Shutdown(ctx)
			if errors.Is(err, context.DeadlineExceeded) {
				a.log.Warn("shutdown timeout, connections closed", "after", httpDrain.String())
				err = s.srv.Close()
			}
			return err
		})
	}
	err := all.Wait()
	if late := handler.Drained(ctx); late != nil {
		a.log.Warn("shutdown timeout, waiting callers not notified", "after", httpDrain.String())
	}
	if err != nil {
		return fmt.Errorf("app: close the server: %w", err)
	}
	return nil
}
