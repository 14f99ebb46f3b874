package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Caller tells agents how their requests ended, at the address they gave.
type Caller interface {
	// CheckWebhook returns nil or what is wrong with an address that an agent of a
	// tenant gave. It does no I/O.
	CheckWebhook(tenant, agent, address string) error
	// Call hands the ended request over once. Nil means that it was taken; any
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

// Call says how the webhook of a request stands.
type Call string

// The states of a webhook.
const (
	// Due: the request is open, or the call has not been taken yet.
	Due Call = "due"
	// Taken: the receiver has it.
	Taken Call = "taken"
	// Dead: it was given up; Problem says why. It can be replayed.
	Dead Call = "dead"
)

// Webhook is where to tell how a request ended, and how that went.
type Webhook struct {
	Address  string    `json:"ur"`
	State    Call      `json:"st"`
	Attempts int       `json:"at,omitempty"`
	Problem  string    `json:"pr,omitempty"`
	RetryAt  time.Time `json:"ra,omitzero"`
}

// callSchedule is how long after a failed call the next one is made. After the
// last the webhook is dead: about three days, as
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
// advises.
var callSchedule = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// checkWebhook asks the caller whether the address of a request will do.
func (b *Bridge) checkWebhook(req *ask.Request) []ask.Problem {
	switch {
	case req.Webhook == "":
		return nil
	case b.opts.Caller == nil:
		return []ask.Problem{problem("webhook", ask.ErrWebhook, "no webhooks are configured here; wait for the answer instead")}
	}
	if err := b.opts.Caller.CheckWebhook(req.Tenant, req.Agent, req.Webhook); err != nil {
		return []ask.Problem{problem("webhook", ask.ErrWebhook, err.Error())}
	}
	return nil
}

// wantsCall reports whether the agent has to be called.
func wantsCall(r *Record) bool {
	return !r.Open() && r.Webhook != nil && r.Webhook.State == Due
}

// call tells the agent how its request ended, and says how to write down how
// that went.
func (b *Bridge) call(ctx context.Context, r *Record) func(*Record, time.Time) {
	if b.opts.Caller == nil {
		return called("no webhooks are configured any more", true, 0)
	}
	began := time.Now()
	err := b.protect(func() error { return b.opts.Caller.Call(ctx, *r) })
	if caught := (*panicError)(nil); errors.As(err, &caught) {
		err = errInternal // The log has the rest.
	}
	if err == nil {
		b.log.Info("agent called", "request_id", r.ID, "took", time.Since(began))
		return called("", false, 0)
	}
	b.log.Warn("agent not called", "request_id", r.ID, "attempt", r.Webhook.Attempts+1, "error", err)
	ce := &CallError{}
	errors.As(err, &ce)
	return called(cmp.Or(ce.Outcome, "the call failed"), ce.Stop, ce.RetryAfter)
}

// called writes the result of a call down: what went wrong, in words for anybody,
// or nothing. The webhook may have been replayed
// meanwhile; then this was one of its attempts.
func called(problem string, stop bool, patience time.Duration) func(*Record, time.Time) {
	return func(r *Record, now time.Time) {
		next := *r.Webhook
		next.Attempts++
		next.Problem, next.RetryAt = problem, time.Time{}
		switch {
		case problem == "":
			next.State = Taken
		case stop, next.Attempts > len(callSchedule):
			next.State = Dead
		default:
			next.RetryAt = now.Add(max(jitter(callSchedule[next.Attempts-1]), patience))
		}
		r.Webhook = &next
	}
}

// Replay calls a dead webhook again, from the start of its schedule. One that
// is not dead is left alone.
func (b *Bridge) Replay(ctx context.Context, id string) (Record, error) {
	r, err := b.change(ctx, id, func(r *Record, now time.Time) error {
		if r.Webhook == nil || r.Webhook.State != Dead {
			return ErrUnchanged
		}
		r.Webhook = &Webhook{Address: r.Webhook.Address, State: Due}
		r.DeliveryDue = now.Add(leaseOf(r))
		return nil
	})
	switch {
	case errors.Is(err, ErrUnchanged):
		return *r, nil
	case err != nil:
		return *r, fmt.Errorf("bridge: replay %s: %w", id, err)
	}
	b.changed(r)
	b.deliver(r, false)
	return *r, nil
}
