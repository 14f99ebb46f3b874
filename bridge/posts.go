package bridge

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/render"
)

// posts are the calls that put cards in front of people. New ones wait for their turn,
// and one card is drawn by one hand at a time.
type posts struct {
	platforms *platforms
	files     *files
	cards     *cards
	locks     *locks
	pacer     pacer
	log       *slog.Logger
	observing observing
}

// shown returns the results of those copies whose newest card the reply to an act has drawn
// just now: nothing is laid out for them, and nobody is called.
func (ps *posts) shown(r *Record) []record.Result {
	results := make([]record.Result, len(r.Copies))
	for n, c := range r.Copies {
		if !r.Wants(c) || record.Telling.Wants(r, c, false) || c.Rendered >= r.Revision {
			continue
		}
		if drawn := ps.locks.shows(c.Ref); stands(drawn, c, r.Revision) {
			results[n] = drawn
		}
	}
	return results
}

// stands reports whether what has been drawn here last is what a copy needs: as new, and not from
// before the moment at which it is to be drawn again.
func stands(drawn record.Drawn, c Copy, revision int64) bool {
	return drawn.Revision >= revision && !drawn.Begun.Before(c.RetryAt)
}

// bringUpToDate makes the call a copy needs and says how to write the result down. A panic
// on the way is a call that failed.
func (ps *posts) bringUpToDate(ctx context.Context, r *Record, c Copy, cards map[look]render.Card, claimed bool) (result record.Result) {
	name := c.Target.Platform
	p, ok := ps.platforms.named[name]
	if !ok {
		return record.GivenUp{Why: "no platform " + name + " is configured any more"}
	}
	if err := protect(ps.log, func() error {
		result = ps.bringTo(ctx, p, r, c, cards, claimed)
		return nil
	}); err != nil {
		return ps.failed(p, c, &PlatformError{Platform: name, Op: "call", Kind: Ambiguous, Code: "internal error", Err: err})
	}
	return result
}

// bringTo is bring for a platform that is there.
func (ps *posts) bringTo(ctx context.Context, p Platform, r *Record, c Copy, cards map[look]render.Card, claimed bool) record.Result {
	name := p.Name()
	revision, card := r.Revision, cards[ps.cards.lookOf(r, c)]
	unclear := c.Ambiguous || claimed
	switch {
	case c.Ref != (MessageRef{}) && c.Rendered < revision:
		return ps.update(ctx, p, r, c, revision, card)
	case c.Ref == (MessageRef{}) && !r.Open() && !unclear && c.State == record.Pending:
		if c.RetryAt.IsZero() {
			return record.PostAwaited{}
		}
		unclear = true // Whoever was to post it may have died before saying where.
	case c.Ref == (MessageRef{}) && !r.Open() && !unclear:
		return record.GivenUp{Why: endedUnposted, UnlessPosted: true}
	}
	breaker := ps.platforms.breakers[name]
	doubted := unclear // A card may stand there, and nobody has looked for it.
	if err := breaker.blocked(time.Now(), r.Tenant, c.Target, c.Ref != (MessageRef{})); err != nil {
		return doubting(ps.failed(p, c, err), doubted)
	}
	silent := c.Reposted // Its first card told them.
	if r.Held != nil {
		silent = true // It names whoever decided, and nobody is to be rung for that.
	}
	if unclear {
		found, sure, later := ps.search(ctx, p, r, c)
		doubted = !sure
		switch {
		case c.Ref != (MessageRef{}) && later == nil:
			return record.OtherCards{Refs: found}
		case len(found) > 0:
			return record.FoundCards{Refs: found}
		case later != nil:
			return doubting(later, doubted)
		case !r.Open():
			return record.GivenUp{Why: endedUnposted, UnlessPosted: true}
		}
		silent = silent || !sure
	}
	if silent {
		card = render.Silent(card, p.Limits())
	}
	answered, later := ps.queue(ctx, p, r, c)
	if later != nil {
		return later
	}
	began := time.Now()
	// Others may have been refused while it waited for its turn.
	if err := breaker.allow(began, r.Tenant, c.Target, false); err != nil {
		answered()
		return doubting(ps.failed(p, c, err), doubted)
	}
	ref, missed, err := ps.post(ctx, p, r, c.Target, card, answered)
	breaker.note(time.Now(), r.Tenant, c.Target, err)
	var pe *PlatformError
	if errors.As(err, &pe) && pe.Kind == Refused && !c.Plain {
		ps.log.Warn("card refused, posting plain text", "request_id", r.ID, "platform", name, "code", pe.Code)
		return doubting(ps.postPlain(ctx, p, r, c, revision, unclear, silent), doubted)
	}
	if err != nil {
		return doubting(ps.failed(p, c, err), doubted)
	}
	ps.stands(r, c)
	ps.log.Info("card posted", "request_id", r.ID, "platform", name, "channel", ref.Channel, "took", time.Since(began))
	return record.NewCard{Ref: ref, Revision: revision, Plain: c.Plain, Ambiguous: unclear, Quiet: silent, Missed: missed}
}

// post makes the call that posts a card, and tells whom it could not tell. Answered is
// called when the platform has answered it.
func (ps *posts) post(ctx context.Context, p Platform, r *Record, to ask.Place, card render.Card, answered func()) (ref MessageRef, missed []record.Missed, err error) {
	defer answered()
	teller, tells := p.(Teller)
	err = ps.observing.call(p.Name(), opPost, r, func() error {
		if tells && len(card.Tells) > 0 {
			ref, missed, err = teller.PostTelling(ctx, to, card)
		} else {
			ref, err = p.Post(ctx, to, card)
		}
		return err
	})
	return ref, missed, err
}

// stands tells of a card that was posted, unless it was put back after it was deleted.
func (ps *posts) stands(r *Record, c Copy) {
	if !c.Reposted {
		ps.observing.tell(Observation{What: CardPosted, Record: r, Platform: c.Target.Platform, Took: max(time.Since(r.Created), 0)})
	}
}

// shortWait is how long a post waits for its turn where it is; for longer the
// record says that it is queued.
const shortWait = time.Second

// queue waits for the post's turn, or says how to write down that its turn comes
// later. Once the post may leave, answered has to be called when the platform has
// answered it.
func (ps *posts) queue(ctx context.Context, p Platform, r *Record, c Copy) (answered func(), later record.Result) {
	paced, ok := p.(Pacer)
	if !ok {
		return func() {}, nil
	}
	post := r.ID + " " + c.Target.String()
	for {
		at, before := ps.pacer.turn(time.Now(), paced.Pace(), p.Name(), c.Target.Channel+c.Target.User, post)
		if wait := time.Until(at); wait > shortWait || ctx.Err() != nil {
			wait = max(wait, shortWait)
			ps.observing.tell(Observation{What: DeliveryPutOff, Record: r, Platform: p.Name(), Op: opPost, Wait: wait})
			return nil, record.Queued{Wait: wait, Before: before}
		}
		_ = wait.For(ctx, time.Until(at))
		gone, ahead := ps.pacer.leave(time.Now(), post)
		if gone {
			return func() { ps.pacer.answered(time.Now(), post) }, nil
		}
		if ahead == nil {
			continue // Its turn has moved back.
		}
		select {
		case <-ahead:
		case <-ctx.Done():
		}
	}
}

func (ps *posts) postPlain(ctx context.Context, p Platform, r *Record, c Copy, revision int64, unclear, silent bool) record.Result {
	c.Plain = true
	card := render.Layout(ps.cards.subject(r, p, c), p.Limits())
	if silent {
		card = render.Silent(card, p.Limits())
	}
	ref, missed, err := ps.post(ctx, p, r, c.Target, card, func() {})
	ps.platforms.breakers[p.Name()].note(time.Now(), r.Tenant, c.Target, err)
	if err != nil {
		return ps.failed(p, c, err)
	}
	ps.stands(r, c)
	return record.NewCard{Ref: ref, Revision: revision, Plain: true, Ambiguous: unclear, Quiet: silent, Missed: missed}
}

// update draws the card again where it stands.
func (ps *posts) update(ctx context.Context, p Platform, r *Record, c Copy, revision int64, card render.Card) record.Result {
	breaker := ps.platforms.breakers[p.Name()]
	if err := breaker.allow(time.Now(), r.Tenant, c.Target, true); err != nil {
		return ps.failed(p, c, err)
	}
	defer ps.locks.hold(c.Ref)() // So that it is remembered who overtakes this.
	if drawn := ps.locks.rendered(c.Ref); stands(drawn, c, revision) {
		return drawn
	}
	err := ps.locks.render(c.Ref, revision, func() error {
		return ps.observing.call(p.Name(), opUpdate, r, func() error { return p.Update(ctx, c.Ref, card) })
	})
	if errors.Is(err, errOvertaken) {
		return ps.locks.rendered(c.Ref)
	}
	breaker.note(time.Now(), r.Tenant, c.Target, err)
	var pe *PlatformError
	errors.As(err, &pe)
	switch {
	case err == nil:
		return ps.locks.rendered(c.Ref)
	case pe == nil:
		return ps.failed(p, c, err)
	case pe.Kind == Refused && !c.Plain:
		c.Plain = true
		return ps.update(ctx, p, r, c, revision, render.Layout(ps.cards.subject(r, p, c), p.Limits()))
	case pe.Kind == Locked && r.Open():
		return record.Drawn{Revision: revision} // What changes next is tried again; its end above all.
	case pe.Kind == Frozen, pe.Kind == Locked && c.Problem == "":
		replier, ok := p.(Replier)
		if ok && ps.observing.call(p.Name(), opReply, r, func() error { return replier.Reply(ctx, c.Target, c.Ref, render.Silent(card, p.Limits())) }) == nil {
			return record.Drawn{Revision: revision, Below: true}
		}
		if pe.Kind == Locked {
			return ps.failed(p, c, err)
		}
		return record.LostCard{Why: "the card cannot be edited any more"}
	case pe.Kind == Gone && r.Open() && !c.Adopted && !c.Reposted:
		return record.Deleted{Ref: c.Ref}
	case pe.Kind == Gone, pe.Kind == Unreachable, pe.Kind == Refused:
		return record.LostCard{Why: "the card is gone: " + pe.Code}
	}
	return ps.failed(p, c, err)
}

// maxSearches is how often cards of an ended request are looked for while the
// platform cannot tell.
const maxSearches = 5

// search looks for cards that a lost reply left behind. Later says how to write
// down that an ended request has to be looked for again; an open one is posted
// rather than kept back. Sure tells that there are no others.
func (ps *posts) search(ctx context.Context, p Platform, r *Record, c Copy) (found []MessageRef, sure bool, later record.Result) {
	finder, ok := p.(Finder)
	if !ok {
		return nil, false, nil
	}
	err := ps.observing.call(p.Name(), opFind, r, func() (err error) {
		found, err = finder.Find(ctx, c.Target, r.ID)
		return err
	})
	if err == nil {
		return found, true, nil
	}
	ps.log.Info("no search for a lost card", "request_id", r.ID, "platform", p.Name(), "error", err)
	if pe := (*PlatformError)(nil); !errors.As(err, &pe) || !passing(pe.Kind) || r.Open() || r.Attempts >= maxSearches {
		return nil, false, nil
	}
	return nil, false, ps.failed(p, c, err)
}
