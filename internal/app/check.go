package app

import (
	"errors"
	"slices"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/app/config"
	memorystore "github.com/askbridge/askbridge/store/memory"
)

// check creates the platforms and a bridge over an empty store. It returns all problems of the
// configuration. Places and people are checked only if the sections of all platforms are valid.
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

// unjudged are problems that cannot be checked for a platform with an invalid section, since its places
// and people are unknown.
var unjudged = []error{ask.ErrTarget, ask.ErrResponders, ask.ErrNotify, ask.ErrSchedule}
