package state

import (
	"errors"
	"time"

	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// Reporter sends events to the observer. The zero value discards them.
type Reporter struct{ To observe.Observer }

// Call makes a call to a platform and reports it.
func (o Reporter) Call(platform, op string, r *record.Record, f func() error) error {
	if o.To == nil {
		return f()
	}
	began := time.Now()
	err := f()
	o.To.Observe(observe.Observation{What: observe.PlatformCalled, Record: r, Platform: platform, Op: op, Took: time.Since(began), Err: err})
	return err
}

// Report reports an event.
func (o Reporter) Report(what observe.Observation) {
	if o.To != nil {
		o.To.Observe(what)
	}
}

// ending wraps a transition. The returned function reports the end of the request if the
// transition, as the store ran it last, ended it.
func (o Reporter) ending(f record.Transition) (g record.Transition, report func(r *record.Record, err error)) {
	if o.To == nil {
		return f, func(*record.Record, error) {}
	}
	var ended bool
	began := time.Now()
	g = func(r *record.Record, now time.Time) error {
		open := r.Open()
		err := f(r, now)
		ended = err == nil && open && !r.Open()
		return err
	}
	return g, func(r *record.Record, err error) {
		if ended && (err == nil || errors.Is(err, storage.ErrNotReplicated)) {
			o.To.Observe(observe.Observation{What: observe.RequestEnded, Record: r, Platform: r.Outcome.By.Platform, Took: time.Since(began)})
		}
	}
}
