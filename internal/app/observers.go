package app

import (
	"context"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/traces"
)

// observers are told one after the other.
type observers []bridge.Observer

// Observe implements [bridge.Observer].
func (all observers) Observe(o bridge.Observation) {
	for _, one := range all {
		one.Observe(o)
	}
}

// observer is whoever is told what the bridge does, nil for nobody.
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

// trace has requests traced until stop is called, where the environment wants it. A variable
// that is wrong costs the traces and not the start: others set it for many programs at once.
func (a *App) trace(ctx context.Context) (stop func()) {
	t, err := traces.New(&traces.Options{Version: a.opts.Version, Logger: a.log})
	if err != nil {
		a.log.Error("requests are not traced", "error", err)
	}
	if t == nil {
		return func() {}
	}
	a.traces = t
	return func() { t.Close(ctx) }
}
