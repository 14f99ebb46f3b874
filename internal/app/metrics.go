package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/metrics"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/internal/loopback"
)

// metricsDrain is how long a shutdown waits for a scrape.
const metricsDrain = 2 * time.Second

// newMetrics creates the configured metrics, or returns nil.
func (a *App) newMetrics() *metrics.Metrics {
	if a.cfg.Metrics.Listen == "" {
		return nil
	}
	o := metrics.Options{Version: a.opts.Version, Agents: agentNames(a.cfg), Connections: map[string]func() int64{}, Installations: map[string]func() metrics.Installations{}}
	for _, p := range a.platforms {
		o.Platforms = append(o.Platforms, p.Name())
		if c, counts := p.Connector.(interface{ Connections() int64 }); counts {
			o.Connections[p.Name()] = c.Connections
		}
		if installer, ok := p.Connector.(provider.Installer); ok {
			o.Installations[p.Name()] = func() metrics.Installations { return metrics.Installations(installer.Counts()) }
		}
	}
	return metrics.New(o)
}

// serveMetrics serves metrics on their own listener until stop is called. They contain no texts, IDs or
// people.
func (a *App) serveMetrics(ctx context.Context, b *bridge.Bridge) (stop func(), err error) {
	if a.metrics == nil {
		return func() {}, nil
	}
	ln, err := listen(ctx, "metrics.listen", a.cfg.Metrics.Listen)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	shown := a.metrics.Handler()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		a.metrics.Refresh(b)
		shown.ServeHTTP(w, r)
	})
	srv := &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelInfo),
	}
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	all.Go(func() { a.metrics.Watch(watching, b) })
	all.Go(func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("metrics server failed", "error", err)
		}
	})
	a.log.Info("serving metrics", "metrics", ln.Addr().String())
	if !loopback.Is(ln.Addr().String()) {
		a.log.Warn("metrics served without a token on a non-loopback address", "metrics", ln.Addr().String())
	}
	return func() {
		cancel()
		drain, done := context.WithTimeout(context.WithoutCancel(ctx), metricsDrain)
		defer done()
		if srv.Shutdown(drain) != nil {
			_ = srv.Close() // An aborted scrape loses nothing.
		}
		all.Wait()
	}, nil
}
