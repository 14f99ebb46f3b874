package respond

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// acknowledged is a Responder that records when it first replied to the person.
type acknowledged struct {
	platform.Responder

	at atomic.Pointer[time.Time]
	// record and verdict are the result of judging, if any.
	record  *record.Record
	verdict record.Verdict
}

// judged passes the result of an interaction to the observer.
func judged(resp platform.Responder, r *record.Record, v record.Verdict) {
	if a, observed := resp.(*acknowledged); observed {
		a.record, a.verdict = r, v
	}
}

func (a *acknowledged) done(err error) error {
	if now := time.Now(); err == nil {
		a.at.CompareAndSwap(nil, &now)
	}
	return err
}

// Ack implements [platform.Responder].
func (a *acknowledged) Ack(ctx context.Context) error { return a.done(a.Responder.Ack(ctx)) }

// Redraw implements [platform.Responder].
func (a *acknowledged) Redraw(ctx context.Context, c render.Card) error {
	return a.done(a.Responder.Redraw(ctx, c))
}

// OpenForm implements [platform.Responder].
func (a *acknowledged) OpenForm(ctx context.Context, f render.Form) error {
	return a.done(a.Responder.OpenForm(ctx, f))
}

// ReplyEphemeral implements [platform.Responder].
func (a *acknowledged) ReplyEphemeral(ctx context.Context, n platform.Note) error {
	return a.done(a.Responder.ReplyEphemeral(ctx, n))
}

// Announce implements [platform.Announcer] if the platform does.
func (a *acknowledged) Announce(ctx context.Context, text string) error {
	return announce(ctx, a.Responder, text)
}

// HandleObserved is Handle with an event for the observer.
func (pp *Handler) HandleObserved(ctx context.Context, i platform.Interaction, resp platform.Responder) error {
	began, answer := time.Now(), &acknowledged{Responder: resp}
	err := pp.Handle(ctx, i, answer)
	event := observe.Observation{What: observe.ActAcknowledged, Platform: i.Person.Platform, Took: time.Since(began), Err: err, Record: answer.record, Verdict: answer.verdict}
	if at := answer.at.Load(); at != nil {
		event.Took = at.Sub(began)
	}
	pp.Reporter.Report(event)
	return err
}
