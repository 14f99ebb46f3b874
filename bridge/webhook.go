package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// Caller tells agents how their requests ended, at the address they gave.
type Caller interface {
	// CheckWebhook returns nil or what is wrong with an address that an agent of a
	// tenant gave. It does no I/O.
	CheckWebhook(tenant, agent, address string) error
	// Call hands the request over once: as it has ended, or open while a person's question
	// to the agent waits for a reply. Nil means that it was taken; any
	// error is tried again later, unless it is a [*CallError] that says
	// otherwise. It must return when ctx ends.
	Call(ctx context.Context, r Record) error
}

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
type webhooks struct {
	caller    Caller // nil where none are configured
	log       *slog.Logger
	observing observing
}

// check asks the caller whether the address of a request will do.
func (w *webhooks) check(req *ask.Request) []ask.Problem {
	switch {
	case req.Webhook == "":
		return nil
	case w.caller == nil:
		return []ask.Problem{problem("webhook", ask.ErrWebhook, "no webhooks are configured here; wait for the answer instead")}
	}
	if err := w.caller.CheckWebhook(req.Tenant, req.Agent, req.Webhook); err != nil {
		return []ask.Problem{problem("webhook", ask.ErrWebhook, err.Error())}
	}
	return nil
}

// call tells the agent how its request ended, and returns how that went.
func (w *webhooks) call(ctx context.Context, r *Record) *record.CallResult {
	if w.caller == nil {
		return &record.CallResult{Asked: r.UnreportedQuestion(), Problem: "no webhooks are configured any more", Stop: true}
	}
	asked := r.UnreportedQuestion()
	began := time.Now()
	err := protect(w.log, func() error { return w.caller.Call(ctx, *r) })
	w.observing.tell(Observation{What: AgentCalled, Record: r, Took: time.Since(began), Err: err})
	if caught := (*panicError)(nil); errors.As(err, &caught) {
		err = errInternal // The log has the rest.
	}
	if err == nil {
		w.log.Info("agent called", "request_id", r.ID, "took", time.Since(began))
		return &record.CallResult{Asked: asked}
	}
	w.log.Warn("agent not called", "request_id", r.ID, "attempt", r.Webhook.Attempts+1, "error", err)
	ce := &CallError{}
	errors.As(err, &ce)
	return &record.CallResult{Asked: asked, Problem: cmp.Or(ce.Outcome, "the call failed"), Stop: ce.Stop, AtLeast: ce.RetryAfter, Spread: chance()}
}

// Replay calls a dead webhook again, from the start of its schedule. One that
// is not dead is left alone.
func (b *Bridge) Replay(ctx context.Context, id string) (Record, error) {
	r, err := b.workers.change(ctx, id, (*Record).Replay)
	switch {
	case errors.Is(err, ErrUnchanged):
		return *r, nil
	case err != nil:
		return *r, fmt.Errorf("bridge: replay %s: %w", id, err)
	}
	return *r, nil
}
