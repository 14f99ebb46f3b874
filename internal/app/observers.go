package app

import (
	"context"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/traces"
)

// observers are called in order.
type observers []bridge.Observer

// Observe implements [bridge.Observer].
func (all observers) Observe(o bridge.Observation) {
	for _, one := range all {
		one.Observe(o)
	}
}

// observer combines the enabled observers; nil without any.
func (a *App) observer() bridge.Observer {
	switch {
	case a.metrics == nil && a.traces == nil:
		return nil
	case a.traces == nil:
		return a.metrics
	case a.metrics == nil:
		return a.traces
	}
	return observers{a.metrics, a.traces}
}

// trace enables tracing until stop is called if the environment configures it. An invalid variable
// disables tracing instead of preventing the start, since it may be set for many programs.
func (a *App) trace(ctx context.Context) (stop func()) {
	t, err := traces.New(&traces.Options{Version: a.opts.Version, Logger: a.log})
	if err != nil {
		a.log.Error("tracing disabled", "error", err)
	}
	if t == nil {
		return func() {}
	}
	a.traces = t
	return func() { t.Close(ctx) }
}
