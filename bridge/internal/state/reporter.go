package state

import (
	"errors"
	"time"

	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
)

// observing is told of what happens; the zero value tells nobody.
type Reporter struct{ To observe.Observer }

// call makes a call to a platform about a request and tells of it.
func (o Reporter) Call(platform, op string, r *record.Record, f func() error) error {
	if o.To == nil {
		return f()
	}
	began := time.Now()
	err := f()
	o.To.Observe(observe.Observation{What: observe.PlatformCalled, Record: r, Platform: platform, Op: op, Took: time.Since(began), Err: err})
	return err
}

// tell tells of something.
func (o Reporter) Report(what observe.Observation) {
	if o.To != nil {
		o.To.Observe(what)
	}
}

// ending returns a transition that does what f does, and a function that tells of the
// end of a request when it was this transition that ended it, as the store ran it last.
func (o Reporter) ending(f record.Transition) (g record.Transition, tell func(r *record.Record, err error)) {
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
