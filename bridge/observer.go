package bridge

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// Observer is told what happens: each thing once, by the replica that did it. It is
// called on the way of requests and of people's presses, from many goroutines, so it
// has to return at once. It must not change what it is given.
type Observer interface {
	Observe(o Observation)
}

// Happening says what an [Observation] is of.
type Happening string

// What an observer is told. Later versions may tell more.
const (
	// RequestAsked: a new request was stored. Record is set, and Took, the time since it
	// was handed in.
	RequestAsked Happening = "request_asked"
	// RequestEnded: a request was answered or ended otherwise. Record is set, and Took, the
	// time until that was stored.
	RequestEnded Happening = "request_ended"
	// ActJudged: what a person did was judged and stored, or Err says why it was not.
	// Platform and Verdict are set, Took, the time until it was stored, and Record where
	// the store has it.
	ActJudged Happening = "act_judged"
	// ActAcknowledged: a person was answered. Platform and Took are set, and Err when
	// something went wrong; Record and Verdict where an act was judged.
	ActAcknowledged Happening = "act_acknowledged"
	// PlatformCalled: a call to a platform has ended. Platform, Op ("post", "update",
	// "find", "reply" or "upload"), Record and Took are set, and Err when it failed.
	PlatformCalled Happening = "platform_called"
	// CardPosted: a card stands in front of people. Record and Platform are set, and
	// Took, the time since the request was asked.
	CardPosted Happening = "card_posted"
	// DeliveryPutOff: a card is posted or updated later. Platform and Op are set, and
	// Wait, as far as it is known yet. Err is why; nil when the card waits for its turn.
	DeliveryPutOff Happening = "delivery_put_off"
	// AgentCalled: a call of a webhook has ended. Record and Took are set, and Err when
	// nobody took it.
	AgentCalled Happening = "agent_called"
)

// Observation is one thing that happened. Members that say nothing about it are zero.
type Observation struct {
	What       Happening
	Record     *Record
	Platform   string
	Op         string
	Verdict    record.Verdict
	Took, Wait time.Duration
	Err        error
}

// The calls of a platform, as an observer is told of them.
const (
	opPost   = "post"
	opUpdate = "update"
	opFind   = "find"
	opReply  = "reply"
	opUpload = "upload"
)

// observing is told of what happens; the zero value tells nobody.
type observing struct{ to Observer }

// call makes a call to a platform about a request and tells of it.
func (o observing) call(platform, op string, r *Record, f func() error) error {
	if o.to == nil {
		return f()
	}
	began := time.Now()
	err := f()
	o.to.Observe(Observation{What: PlatformCalled, Record: r, Platform: platform, Op: op, Took: time.Since(began), Err: err})
	return err
}

// tell tells of something.
func (o observing) tell(what Observation) {
	if o.to != nil {
		o.to.Observe(what)
	}
}

// ending returns a transition that does what f does, and a function that tells of the
// end of a request when it was this transition that ended it, as the store ran it last.
func (o observing) ending(f Transition) (g Transition, tell func(r *Record, err error)) {
	if o.to == nil {
		return f, func(*Record, error) {}
	}
	var ended bool
	began := time.Now()
	g = func(r *Record, now time.Time) error {
		open := r.Open()
		err := f(r, now)
		ended = err == nil && open && !r.Open()
		return err
	}
	return g, func(r *Record, err error) {
		if ended && (err == nil || errors.Is(err, ErrNotReplicated)) {
			o.to.Observe(Observation{What: RequestEnded, Record: r, Platform: r.Outcome.By.Platform, Took: time.Since(began)})
		}
	}
}

// acknowledged is a [Responder] that knows when the person was answered first.
type acknowledged struct {
	platform.Responder

	at atomic.Pointer[time.Time]
	// record and verdict are what was judged, if anything.
	record  *Record
	verdict record.Verdict
}

// judged takes note of what an answer is about, for whoever observes it.
func judged(resp platform.Responder, r *Record, v record.Verdict) {
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

// Ack implements [Responder].
func (a *acknowledged) Ack(ctx context.Context) error { return a.done(a.Responder.Ack(ctx)) }

// Redraw implements [Responder].
func (a *acknowledged) Redraw(ctx context.Context, c render.Card) error {
	return a.done(a.Responder.Redraw(ctx, c))
}

// OpenForm implements [Responder].
func (a *acknowledged) OpenForm(ctx context.Context, f render.Form) error {
	return a.done(a.Responder.OpenForm(ctx, f))
}

// ReplyEphemeral implements [Responder].
func (a *acknowledged) ReplyEphemeral(ctx context.Context, n platform.Note) error {
	return a.done(a.Responder.ReplyEphemeral(ctx, n))
}

// Announce implements [Announcer] where the platform does.
func (a *acknowledged) Announce(ctx context.Context, text string) error {
	return announce(ctx, a.Responder, text)
}

// observed is handle with an observer who is told when the person was answered.
func (pp *people) observed(ctx context.Context, i platform.Interaction, resp platform.Responder) error {
	began, answer := time.Now(), &acknowledged{Responder: resp}
	err := pp.handle(ctx, i, answer)
	told := Observation{What: ActAcknowledged, Platform: i.Person.Platform, Took: time.Since(began), Err: err, Record: answer.record, Verdict: answer.verdict}
	if at := answer.at.Load(); at != nil {
		told.Took = at.Sub(began)
	}
	pp.observing.tell(told)
	return err
}

// Waiting is how many callers wait here for requests to end.
func (b *Bridge) Waiting() int {
	w := b.records.waiter
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, p := range w.parked {
		n += p.callers
	}
	return n
}

// Platforms tells of each platform by name whether it is known to be out of order, and
// why. It asks nobody.
func (b *Bridge) Platforms() map[string]error {
	all := make(map[string]error, len(b.platforms.named))
	for name := range b.platforms.named {
		all[name] = b.platforms.state(name)
	}
	return all
}
