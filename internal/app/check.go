package app

import (
	"errors"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/config"
	memorystore "github.com/askbridge/askbridge/store/memory"
)

// check makes the platforms and a bridge over an empty store. It returns everything wrong with the configuration, as far
// as one thing can be judged without another: places and people wait for the sections of all platforms.
func (a *App) check() (*bridge.Bridge, error) {
	unmade := a.connect()
	exposed := a.checkExposed()
	a.feeds = a.newFeeds(a.cfg)
	a.calls, a.metrics = a.webhooks(), a.newMetrics()
	empty := memorystore.New()
	a.values = empty.KeyValue()
	b, err := a.bridge(empty)
	if invalid, ok := errors.AsType[*ask.InvalidError](err); ok && unmade != nil {
		rest := slices.DeleteFunc(slices.Clone(invalid.Problems), func(p ask.Problem) bool { return slices.Contains(unjudged, p.Kind) })
		err = &ask.InvalidError{Problems: rest}
	}
	return b, config.Join(unmade, exposed, a.cfg.Explain(err))
}

// unjudged are the kinds of problems that a platform can have which cannot be made, since nobody knows its places and people.
var unjudged = []error{ask.ErrTarget, ask.ErrResponders, ask.ErrNotify, ask.ErrSchedule}
