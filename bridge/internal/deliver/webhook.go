package deliver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
)

// CallError is a failed call that says what to do about it.
type CallError struct {
	// Stop means that nobody wants to hear of it any more.
	Stop bool
	// RetryAfter is how long the receiver asked to be left alone.
	RetryAfter time.Duration
	// Outcome is what whoever may read the request is told: a few words that say
	// nothing of the network on this side. Err is for the log.
	Outcome string
	Err     error
}

func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *CallError) Unwrap() error { return e.Err }

// webhooks call the agents that gave an address.
type Webhooks struct {
	Caller    Caller // nil where none are configured
	Log       *slog.Logger
	Observing state.Reporter
}

// call tells the agent how its request ended, and returns how that went.
func (w *Webhooks) deliver(ctx context.Context, r *record.Record) *record.CallResult {
	if w.Caller == nil {
		return &record.CallResult{Asked: r.UnreportedQuestion(), Problem: "no webhooks are configured any more", Stop: true}
	}
	asked := r.UnreportedQuestion()
	began := time.Now()
	err := state.Protect(w.Log, func() error { return w.Caller.Call(ctx, *r) })
	w.Observing.Report(observe.Observation{What: observe.AgentCalled, Record: r, Took: time.Since(began), Err: err})
	if caught := (*state.PanicError)(nil); errors.As(err, &caught) {
		err = errInternal // The log has the rest.
	}
	if err == nil {
		w.Log.Info("agent called", "request_id", r.ID, "took", time.Since(began))
		return &record.CallResult{Asked: asked}
	}
	w.Log.Warn("agent not called", "request_id", r.ID, "attempt", r.Webhook.Attempts+1, "error", err)
	ce := &CallError{}
	errors.As(err, &ce)
	return &record.CallResult{Asked: asked, Problem: cmp.Or(ce.Outcome, "the call failed"), Stop: ce.Stop, AtLeast: ce.RetryAfter, Spread: state.Chance()}
}

// Caller calls the webhook of a request.
type Caller interface {
	Call(ctx context.Context, r record.Record) error
}
