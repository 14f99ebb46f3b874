package bridge

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/render"
)

// deliveryBudget bounds one attempt to bring every copy of a record up to date.
const deliveryBudget = lease - time.Second

// maxAttempts is how often an update is tried before the card is given up.
const maxAttempts = 20

// report writes down what came of one call.
type report func(r *Record, now time.Time)

// attempt posts or updates every copy that needs it, calls the agent if that is
// due, and stores what came of it. It returns the record as it is stored afterwards, and
// whether it could be stored.
func (b *Bridge) attempt(ctx context.Context, r *Record, claimed bool) (after *Record, stored bool) {
	var cards map[look]render.Card
	broken := b.protect(func() error {
		cards = b.cards(b.introduce(ctx, r))
		return nil
	})
	reports := make([]report, len(r.Copies)+1)
	patience := b.clock.now().Add(time.Second)
	var calls []func()
	for n, c := range r.Copies {
		if !wants(r, c) || c.RetryAt.After(patience) {
			continue
		}
		calls = append(calls, func() {
			what := unprepared
			if broken == nil {
				what = b.bringUpToDate(ctx, r, c, cards, claimed)
			}
			reports[n] = func(r *Record, now time.Time) { what(r, &r.Copies[n], now) }
		})
	}
	if wantsCall(r) && !r.Webhook.RetryAt.After(patience) {
		calls = append(calls, func() { reports[len(r.Copies)] = b.call(ctx, r) })
	}
	release := b.holdClaim(ctx, r)
	together(calls)
	release()
	return b.settle(ctx, r, reports)
}

// holdClaim keeps other replicas from taking over the deliveries of a record that
// has ended, when they take longer here than the short time that is left to us. It
// costs a write for calls that take more than half of that, and nothing else.
func (b *Bridge) holdClaim(ctx context.Context, r *Record) (release func()) {
	if leaseOf(r) == lease {
		return func() {}
	}
	over := make(chan struct{})
	timer := time.AfterFunc(endLease/2, func() {
		defer close(over)
		after, err := b.changeSoon(ctx, r.ID, func(r *Record, now time.Time) error {
			if r.DeliveryDue.IsZero() || r.DeliveryDue.After(now.Add(lease/2)) {
				return ErrUnchanged
			}
			r.DeliveryDue = now.Add(lease)
			return nil
		})
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

// wants reports whether a copy needs a call to its platform.
func wants(r *Record, c Copy) bool {
	switch c.State {
	case Pending, Delayed:
		return c.Ref == (MessageRef{}) || c.Rendered < r.Revision
	case Posted:
		return c.Rendered < r.Revision || doubted(r, c)
	}
	return false
}

// doubted reports whether another card may stand beside this one, unknown to us,
// and has to be looked for: once the request has ended, all have to be closed.
func doubted(r *Record, c Copy) bool { return c.Ambiguous && !r.Open() }

// bringUpToDate makes the call a copy needs and says how to write the result down. A panic
// on the way is a call that failed.
func (b *Bridge) bringUpToDate(ctx context.Context, r *Record, c Copy, cards map[look]render.Card, claimed bool) (what func(*Record, *Copy, time.Time)) {
	name := c.Target.Platform
	p, ok := b.platforms[name]
	if !ok {
		return giveUp("no platform " + name + " is configured any more")
	}
	if err := b.protect(func() error {
		what = b.bringTo(ctx, p, r, c, cards, claimed)
		return nil
	}); err != nil {
		return b.failed(p, c, &PlatformError{Platform: name, Op: "call", Kind: Ambiguous, Code: "internal error", Err: err})
	}
	return what
}

// bringTo is bring for a platform that is there.
func (b *Bridge) bringTo(ctx context.Context, p Platform, r *Record, c Copy, cards map[look]render.Card, claimed bool) func(*Record, *Copy, time.Time) {
	name := p.Name()
	revision, card := r.Revision, cards[lookOf(r, c)]
	unclear := c.Ambiguous || claimed
	switch {
	case c.Ref != (MessageRef{}) && c.Rendered < revision:
		return b.update(ctx, p, r, c, revision, card)
	case c.Ref == (MessageRef{}) && !r.Open() && !unclear && c.State == Pending:
		if c.RetryAt.IsZero() {
			return waitForPost
		}
		unclear = true // Whoever was to post it may have died before saying where.
	case c.Ref == (MessageRef{}) && !r.Open() && !unclear:
		return unlessPosted(giveUp(endedUnposted))
	}
	breaker := b.breakers[name]
	if err := breaker.blocked(time.Now(), r.Tenant, c.Target, c.Ref != (MessageRef{})); err != nil {
		return b.failed(p, c, err)
	}
	if unclear {
		switch found, later := b.search(ctx, p, r, c); {
		case c.Ref != (MessageRef{}) && later == nil:
			return besides(found)
		case len(found) > 0:
			return adoptAll(found)
		case later != nil:
			return later
		case !r.Open():
			return unlessPosted(giveUp(endedUnposted))
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
	return stands(ref, revision, c.Plain, unclear)
}

// shortWait is how long a post waits for its turn where it is; for longer the
// record says that it is queued.
const shortWait = time.Second

// queue waits for the post's turn, or says how to write down that its turn comes
// later. Once the post may leave, answered has to be called when the platform has
// answered it.
func (b *Bridge) queue(ctx context.Context, p Platform, r *Record, c Copy) (answered func(), later func(*Record, *Copy, time.Time)) {
	paced, ok := p.(Pacer)
	if !ok {
		return func() {}, nil
	}
	post := r.ID + " " + c.Target.String()
	for {
		at, before := b.pacer.turn(time.Now(), paced.Pace(), p.Name(), c.Target.Channel+c.Target.User, post)
		if wait := time.Until(at); wait > shortWait || ctx.Err() != nil {
			return nil, queued(max(wait, shortWait), before)
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

func queued(wait time.Duration, before int) func(*Record, *Copy, time.Time) {
	return unlessPosted(func(_ *Record, c *Copy, now time.Time) {
		c.State, c.Problem, c.Queue, c.RetryAt = Delayed, "", before+1, now.Add(wait)
	})
}

func (b *Bridge) postPlain(ctx context.Context, p Platform, r *Record, c Copy, revision int64, unclear bool) func(*Record, *Copy, time.Time) {
	c.Plain = true
	ref, err := p.Post(ctx, c.Target, render.Layout(b.subject(r, p, c), p.Limits()))
	b.breakers[p.Name()].note(time.Now(), r.Tenant, c.Target, err)
	if err != nil {
		return b.failed(p, c, err)
	}
	return stands(ref, revision, true, unclear)
}

// update draws the card again where it stands.
func (b *Bridge) update(ctx context.Context, p Platform, r *Record, c Copy, revision int64, card render.Card) func(*Record, *Copy, time.Time) {
	breaker := b.breakers[p.Name()]
	if err := breaker.allow(time.Now(), r.Tenant, c.Target, true); err != nil {
		return b.failed(p, c, err)
	}
	if b.locks.rendered(c.Ref, revision) {
		return rendered(revision)
	}
	err := b.locks.render(c.Ref, revision, func() error { return p.Update(ctx, c.Ref, card) })
	if errors.Is(err, errOvertaken) {
		return rendered(revision)
	}
	breaker.note(time.Now(), r.Tenant, c.Target, err)
	var pe *PlatformError
	errors.As(err, &pe)
	switch {
	case err == nil:
		return rendered(revision)
	case pe == nil:
		return b.failed(p, c, err)
	case pe.Kind == Refused && !c.Plain:
		c.Plain = true
		return b.update(ctx, p, r, c, revision, render.Layout(b.subject(r, p, c), p.Limits()))
	case pe.Kind == Locked && r.Open():
		return rendered(revision) // What changes next is tried again; its end above all.
	case pe.Kind == Frozen, pe.Kind == Locked && c.Problem == "":
		replier, ok := p.(Replier)
		if ok && replier.Reply(ctx, c.Target, c.Ref, card) == nil {
			return rendered(revision)
		}
		if pe.Kind == Locked {
			return b.failed(p, c, err)
		}
		return lost("the card cannot be edited any more")
	case pe.Kind == Gone && r.Open() && !c.Adopted && !c.Reposted:
		return repost
	case pe.Kind == Gone, pe.Kind == Unreachable, pe.Kind == Refused:
		return lost("the card is gone: " + pe.Code)
	}
	return b.failed(p, c, err)
}

// maxSearches is how often cards of an ended request are looked for while the
// platform cannot tell.
const maxSearches = 5

// search looks for cards that a lost reply left behind. Later says how to write
// down that an ended request has to be looked for again; an open one is posted
// rather than kept back.
func (b *Bridge) search(ctx context.Context, p Platform, r *Record, c Copy) (found []MessageRef, later func(*Record, *Copy, time.Time)) {
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
func (b *Bridge) settle(ctx context.Context, r *Record, reports []report) (*Record, bool) {
	if after := b.settleLater(r, reports); after != nil {
		return after, true
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), settleBudget, errors.New("store away for too long"))
	defer cancel()
	var ended bool
	write := func(r *Record, now time.Time) (err error) {
		ended, err = conclude(r, reports, now)
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
func (b *Bridge) settleLater(r *Record, reports []report) *Record {
	p, able := b.store.(WriteBehinder)
	if !able || r.Open() || wantsCall(r) {
		return nil
	}
	after := r.Clone()
	if _, err := conclude(&after, reports, b.clock.now()); err != nil || !after.DeliveryDue.IsZero() {
		return nil
	}
	write := func(r *Record, now time.Time) error {
		_, err := conclude(r, reports, now)
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
	ctx, cancel := context.WithTimeoutCause(ctx, lease/2, errors.New("store too slow for a delivery result"))
	defer cancel()
	return b.change(ctx, id, f)
}

// conclude is the transition that follows an attempt. It reports whether it ended
// the request.
func conclude(r *Record, reports []report, now time.Time) (ended bool, err error) {
	tried := false
	for _, write := range reports {
		if write != nil {
			tried = true
			write(r, now)
		}
	}
	next, putOff := nextAttempt(r)
	switch {
	case putOff:
		// Whoever stays on for it comes first.
		next = next.Add(leaseOf(r))
	case behind(r):
		next = now.Add(leaseOf(r))
	}
	if !tried && r.DeliveryDue.Equal(next) {
		return false, ErrUnchanged
	}
	if r.Attempts++; !putOff || !troubled(r) {
		r.Attempts = 0
	}
	r.DeliveryDue = next
	why := undeliverable(r)
	if why == "" || !r.Open() {
		return false, nil
	}
	end(r, ask.Outcome{State: ask.Failed, Reason: why}, now)
	if !behind(r) {
		r.DeliveryDue = time.Time{}
	}
	return true, nil
}

// behind reports whether a copy or the agent needs a call that nothing puts off.
func behind(r *Record) bool {
	if wantsCall(r) && r.Webhook.RetryAt.IsZero() {
		return true
	}
	for _, c := range r.Copies {
		if wants(r, c) && c.RetryAt.IsZero() {
			return true
		}
	}
	return false
}

// troubled reports whether a call was put off because one failed.
func troubled(r *Record) bool {
	return slices.ContainsFunc(r.Copies, func(c Copy) bool { return wants(r, c) && c.Problem != "" })
}

// nextAttempt returns the earliest time to which a call has been put off, and
// whether any has.
func nextAttempt(r *Record) (next time.Time, putOff bool) {
	if wantsCall(r) && !r.Webhook.RetryAt.IsZero() {
		next, putOff = r.Webhook.RetryAt, true
	}
	for _, c := range r.Copies {
		if wants(r, c) && !c.RetryAt.IsZero() && (!putOff || c.RetryAt.Before(next)) {
			next, putOff = c.RetryAt, true
		}
	}
	return next, putOff
}

// undeliverable returns the reasons when no copy stands or ever will.
func undeliverable(r *Record) string {
	why := ""
	for _, c := range r.Copies {
		if c.State != Undeliverable {
			return ""
		}
		if why != "" {
			why += "; "
		}
		why += c.Target.String() + ": " + c.Problem
	}
	return why
}
