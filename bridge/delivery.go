package bridge

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
)

// deliveryBudget bounds one attempt to bring every copy of a record up to date.
const deliveryBudget = record.Lease - time.Second

// attempt posts or updates every copy that needs it, calls the agent if that is
// due, and stores what came of it. It returns the record as it is stored afterwards, and
// whether it could be stored.
func (b *Bridge) attempt(ctx context.Context, r *Record, claimed bool) (after *Record, stored bool) {
	var cards map[look]render.Card
	broken := b.protect(func() error {
		cards = b.cards(b.introduce(ctx, r))
		return nil
	})
	done := record.Report{Copies: make([]record.Result, len(r.Copies))}
	patience := b.clock.now().Add(time.Second)
	var calls []func()
	for n, c := range r.Copies {
		if !r.Wants(c) || c.RetryAt.After(patience) {
			continue
		}
		calls = append(calls, func() {
			if broken != nil {
				done.Copies[n] = record.Unprepared{Spread: chance()}
				return
			}
			done.Copies[n] = b.bringUpToDate(ctx, r, c, cards, claimed)
		})
	}
	if r.WantsCall() && !r.Webhook.RetryAt.After(patience) {
		calls = append(calls, func() { done.Call = b.call(ctx, r) })
	}
	release := b.holdClaim(ctx, r)
	together(calls)
	release()
	return b.settle(ctx, r, done)
}

// holdClaim keeps other replicas from taking over the deliveries of a record that
// has ended, when they take longer here than the short time that is left to us. It
// costs a write for calls that take more than half of that, and nothing else.
func (b *Bridge) holdClaim(ctx context.Context, r *Record) (release func()) {
	if !r.HeldBriefly() {
		return func() {}
	}
	over := make(chan struct{})
	timer := time.AfterFunc(record.EndLease/2, func() {
		defer close(over)
		after, err := b.changeSoon(ctx, r.ID, (*Record).Extend)
		switch {
		case err == nil:
			b.changed(after)
		case !errors.Is(err, ErrUnchanged):
			b.log.Warn("claim not extended", "request_id", r.ID, "error", err)
		}
	})
	return func() {
		if !timer.Stop() {
			<-over
		}
	}
}

// together makes calls at the same time, the last of them right here: mostly
// there is but one.
func together(calls []func()) {
	var all sync.WaitGroup
	for n, call := range calls {
		if n < len(calls)-1 {
			all.Go(call)
		} else {
			call()
		}
	}
	all.Wait()
}

// bringUpToDate makes the call a copy needs and says how to write the result down. A panic
// on the way is a call that failed.
func (b *Bridge) bringUpToDate(ctx context.Context, r *Record, c Copy, cards map[look]render.Card, claimed bool) (result record.Result) {
	name := c.Target.Platform
	p, ok := b.platforms[name]
	if !ok {
		return record.GivenUp{Why: "no platform " + name + " is configured any more"}
	}
	if err := b.protect(func() error {
		result = b.bringTo(ctx, p, r, c, cards, claimed)
		return nil
	}); err != nil {
		return b.failed(p, c, &PlatformError{Platform: name, Op: "call", Kind: Ambiguous, Code: "internal error", Err: err})
	}
	return result
}

// bringTo is bring for a platform that is there.
func (b *Bridge) bringTo(ctx context.Context, p Platform, r *Record, c Copy, cards map[look]render.Card, claimed bool) record.Result {
	name := p.Name()
	revision, card := r.Revision, cards[b.lookOf(r, c)]
	unclear := c.Ambiguous || claimed
	switch {
	case c.Ref != (MessageRef{}) && c.Rendered < revision:
		return b.update(ctx, p, r, c, revision, card)
	case c.Ref == (MessageRef{}) && !r.Open() && !unclear && c.State == record.Pending:
		if c.RetryAt.IsZero() {
			return record.PostAwaited{}
		}
		unclear = true // Whoever was to post it may have died before saying where.
	case c.Ref == (MessageRef{}) && !r.Open() && !unclear:
		return record.GivenUp{Why: endedUnposted, UnlessPosted: true}
	}
	breaker := b.breakers[name]
	if err := breaker.blocked(time.Now(), r.Tenant, c.Target, c.Ref != (MessageRef{})); err != nil {
		return b.failed(p, c, err)
	}
	if unclear {
		switch found, later := b.search(ctx, p, r, c); {
		case c.Ref != (MessageRef{}) && later == nil:
			return record.OtherCards{Refs: found}
		case len(found) > 0:
			return record.FoundCards{Refs: found}
		case later != nil:
			return later
		case !r.Open():
			return record.GivenUp{Why: endedUnposted, UnlessPosted: true}
		}
	}
	answered, later := b.queue(ctx, p, r, c)
	if later != nil {
		return later
	}
	began := time.Now()
	// Others may have been refused while it waited for its turn.
	if err := breaker.allow(began, r.Tenant, c.Target, false); err != nil {
		answered()
		return b.failed(p, c, err)
	}
	ref, err := func() (MessageRef, error) {
		defer answered()
		return p.Post(ctx, c.Target, card)
	}()
	breaker.note(time.Now(), r.Tenant, c.Target, err)
	var pe *PlatformError
	if errors.As(err, &pe) && pe.Kind == Refused && !c.Plain {
		b.log.Warn("card refused, posting plain text", "request_id", r.ID, "platform", name, "code", pe.Code)
		return b.postPlain(ctx, p, r, c, revision, unclear)
	}
	if err != nil {
		return b.failed(p, c, err)
	}
	b.log.Info("card posted", "request_id", r.ID, "platform", name, "channel", ref.Channel, "took", time.Since(began))
	return record.NewCard{Ref: ref, Revision: revision, Plain: c.Plain, Ambiguous: unclear}
}

// shortWait is how long a post waits for its turn where it is; for longer the
// record says that it is queued.
const shortWait = time.Second

// queue waits for the post's turn, or says how to write down that its turn comes
// later. Once the post may leave, answered has to be called when the platform has
// answered it.
func (b *Bridge) queue(ctx context.Context, p Platform, r *Record, c Copy) (answered func(), later record.Result) {
	paced, ok := p.(Pacer)
	if !ok {
		return func() {}, nil
	}
	post := r.ID + " " + c.Target.String()
	for {
		at, before := b.pacer.turn(time.Now(), paced.Pace(), p.Name(), c.Target.Channel+c.Target.User, post)
		if wait := time.Until(at); wait > shortWait || ctx.Err() != nil {
			return nil, record.Queued{Wait: max(wait, shortWait), Before: before}
		}
		pause(ctx, time.Until(at))
		gone, ahead := b.pacer.leave(time.Now(), post)
		if gone {
			return func() { b.pacer.answered(time.Now(), post) }, nil
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

func (b *Bridge) postPlain(ctx context.Context, p Platform, r *Record, c Copy, revision int64, unclear bool) record.Result {
	c.Plain = true
	ref, err := p.Post(ctx, c.Target, render.Layout(b.subject(r, p, c), p.Limits()))
	b.breakers[p.Name()].note(time.Now(), r.Tenant, c.Target, err)
	if err != nil {
		return b.failed(p, c, err)
	}
	return record.NewCard{Ref: ref, Revision: revision, Plain: true, Ambiguous: unclear}
}

// update draws the card again where it stands.
func (b *Bridge) update(ctx context.Context, p Platform, r *Record, c Copy, revision int64, card render.Card) record.Result {
	breaker := b.breakers[p.Name()]
	if err := breaker.allow(time.Now(), r.Tenant, c.Target, true); err != nil {
		return b.failed(p, c, err)
	}
	if b.locks.rendered(c.Ref, revision) {
		return record.Drawn{Revision: revision}
	}
	err := b.locks.render(c.Ref, revision, func() error { return p.Update(ctx, c.Ref, card) })
	if errors.Is(err, errOvertaken) {
		return record.Drawn{Revision: revision}
	}
	breaker.note(time.Now(), r.Tenant, c.Target, err)
	var pe *PlatformError
	errors.As(err, &pe)
	switch {
	case err == nil:
		return record.Drawn{Revision: revision}
	case pe == nil:
		return b.failed(p, c, err)
	case pe.Kind == Refused && !c.Plain:
		c.Plain = true
		return b.update(ctx, p, r, c, revision, render.Layout(b.subject(r, p, c), p.Limits()))
	case pe.Kind == Locked && r.Open():
		return record.Drawn{Revision: revision} // What changes next is tried again; its end above all.
	case pe.Kind == Frozen, pe.Kind == Locked && c.Problem == "":
		replier, ok := p.(Replier)
		if ok && replier.Reply(ctx, c.Target, c.Ref, card) == nil {
			return record.Drawn{Revision: revision}
		}
		if pe.Kind == Locked {
			return b.failed(p, c, err)
		}
		return record.LostCard{Why: "the card cannot be edited any more"}
	case pe.Kind == Gone && r.Open() && !c.Adopted && !c.Reposted:
		return record.Deleted{}
	case pe.Kind == Gone, pe.Kind == Unreachable, pe.Kind == Refused:
		return record.LostCard{Why: "the card is gone: " + pe.Code}
	}
	return b.failed(p, c, err)
}

// maxSearches is how often cards of an ended request are looked for while the
// platform cannot tell.
const maxSearches = 5

// search looks for cards that a lost reply left behind. Later says how to write
// down that an ended request has to be looked for again; an open one is posted
// rather than kept back.
func (b *Bridge) search(ctx context.Context, p Platform, r *Record, c Copy) (found []MessageRef, later record.Result) {
	finder, ok := p.(Finder)
	if !ok {
		return nil, nil
	}
	found, err := finder.Find(ctx, c.Target, r.ID)
	if err == nil {
		return found, nil
	}
	b.log.Info("no search for a lost card", "request_id", r.ID, "platform", p.Name(), "error", err)
	if pe := (*PlatformError)(nil); !errors.As(err, &pe) || !passing(pe.Kind) || r.Open() || r.Attempts >= maxSearches {
		return nil, nil
	}
	return nil, b.failed(p, c, err)
}

// settleBudget is how long the results of an attempt are kept for a store that is
// away. Nobody else knows where a card was posted just now, and a second attempt
// could post it again.
const settleBudget = 2 * time.Minute

// settle writes the results of an attempt into the record, works out when it
// wants attention again, and ends it as failed when no copy can be delivered. It
// returns the record as it was when the store does not come back in time.
func (b *Bridge) settle(ctx context.Context, r *Record, done record.Report) (*Record, bool) {
	if after := b.settleLater(r, done); after != nil {
		return after, true
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), settleBudget, errors.New("store away for too long"))
	defer cancel()
	var ended bool
	write := func(r *Record, now time.Time) (err error) {
		ended, err = r.Conclude(done, now)
		return err
	}
	for n := 0; ; n++ {
		after, err := b.changeSoon(ctx, r.ID, write)
		if err == nil || errors.Is(err, ErrUnchanged) {
			if ended {
				b.log.Error("request failed", "request_id", after.ID, "reason", after.Outcome.Reason)
			}
			b.changed(after)
			return after, true
		}
		b.log.Error("delivery result not stored", "request_id", r.ID, "try", n+1, "error", err)
		if errors.Is(err, ErrNotFound) || ctx.Err() != nil || b.running.Err() != nil {
			return r, false
		}
		select {
		case <-time.After(backoff(min(n, 3))):
		case <-b.running.Done():
		}
	}
}

// settleLater has the results written down some time soon, if all they say is
// that every card of an ended request is as it should be. It returns the record
// as it will be. If this process dies before, somebody will paint the cards once
// more.
func (b *Bridge) settleLater(r *Record, done record.Report) *Record {
	p, able := b.store.(WriteBehinder)
	if !able || r.Open() || r.WantsCall() {
		return nil
	}
	after := r.Clone()
	if _, err := after.Conclude(done, b.clock.now()); err != nil || !after.DeliveryDue.IsZero() {
		return nil
	}
	write := func(r *Record, now time.Time) error {
		_, err := r.Conclude(done, now)
		return err
	}
	if !p.WriteBehind(r.ID, write, func(stored Record, err error) {
		switch {
		case err == nil:
			b.changed(&stored)
		case !errors.Is(err, ErrUnchanged) && !errors.Is(err, ErrNotFound):
			b.log.Warn("delivery result not stored", "request_id", r.ID, "error", err)
		}
	}) {
		return nil
	}
	return &after
}

// changeSoon is a change that gives up before another replica takes the record
// over.
func (b *Bridge) changeSoon(ctx context.Context, id string, f Transition) (*Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, record.Lease/2, errors.New("store too slow for a delivery result"))
	defer cancel()
	return b.change(ctx, id, f)
}
