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

// CallError is the error of a webhook call, with instructions for the retry.
type CallError struct {
	// Stop ends all retries.
	Stop bool
	// RetryAfter is the pause that the receiver asked for.
	RetryAfter time.Duration
	// Outcome is a short text for everyone who can read the request. It must not contain
	// details of the network. Err is only for the log.
	Outcome string
	Err     error
}

func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Err }

// Webhooks calls the webhooks of requests.
type Webhooks struct {
	Caller   Caller // nil if webhooks are not configured
	Log      *slog.Logger
	Reporter state.Reporter
}

// deliver calls the webhook of a request and returns the result.
func (w *Webhooks) deliver(ctx context.Context, r *record.Record) *record.CallResult {
	if w.Caller == nil {
		return &record.CallResult{Asked: r.UnreportedQuestion(), Problem: "no webhooks are configured any more", Stop: true}
	}
	asked := r.UnreportedQuestion()
	began := time.Now()
	err := state.Protect(w.Log, func() error { return w.Caller.Call(ctx, *r) })
	w.Reporter.Report(observe.Observation{What: observe.AgentCalled, Record: r, Took: time.Since(began), Err: err})
	if caught := (*state.PanicError)(nil); errors.As(err, &caught) {
		err = errInternal // The log has the details.
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
