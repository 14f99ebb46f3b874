package deliver

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/internal/ratelimit"
	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/observe"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// Posts makes the calls that show cards. New cards wait in a queue, and one goroutine at
// a time draws a card.
type Posts struct {
	Platforms *Platforms
	Files     *state.Files
	Cards     *Cards
	Locks     *Locks
	turns     ratelimit.Queue
	Log       *slog.Logger
	Reporter  state.Reporter
}

// shown returns results for copies that the reply to an interaction has just drawn, so
// that no call is needed.
func (ps *Posts) shown(r *record.Record) []record.Result {
	results := make([]record.Result, len(r.Copies))
	for n, c := range r.Copies {
		if !record.NeedsCall(r, c) || record.Announcing.Wants(r, c, false) || c.Rendered >= r.Revision {
			continue
		}
		if drawn := ps.Locks.shows(c.Ref); suffices(drawn, c, r.Revision) {
			results[n] = drawn
		}
	}
	return results
}

// suffices reports whether what was drawn last is new enough for a copy.
func suffices(drawn record.Drawn, c record.Copy, revision int64) bool {
	return drawn.Revision >= revision && !drawn.Begun.Before(c.RetryAt)
}

// bringUpToDate makes the call that a copy needs and returns its result. A panic counts
// as a failed call.
func (ps *Posts) bringUpToDate(ctx context.Context, r *record.Record, c record.Copy, cards map[look]render.Card, claimed bool) (result record.Result) {
	name := c.Target.Platform
	p, ok := ps.Platforms.Named[name]
	if !ok {
		return record.GivenUp{Why: "no platform " + name + " is configured any more"}
	}
	if err := state.Protect(ps.Log, func() error {
		result = ps.bringTo(ctx, p, r, c, cards, claimed)
		return nil
	}); err != nil {
		return ps.failed(p, c, &platform.Error{Platform: name, Op: "call", Kind: platform.Ambiguous, Code: "internal error", Err: err})
	}
	return result
}

// step is what to do with a card.
type step int

const (
	// dropCard: the request ended before the card was posted.
	dropCard step = iota
	// awaitCard: the request has ended, and another replica may be posting the card.
	awaitCard
	// updateCard: the card is outdated.
	updateCard
	// searchCards: a card may have been posted without being recorded.
	searchCards
	// postCard: the card was not posted.
	postCard
)

// nextStep returns what to do with a card. If claimed, the previous owner of the
// delivery may have crashed after it began.
func nextStep(r *record.Record, c record.Copy, claimed bool) step {
	unclear := c.Ambiguous || claimed
	switch posted := c.Ref != (platform.MessageRef{}); {
	case posted && c.Rendered < r.Revision:
		return updateCard
	case posted || unclear:
		return searchCards
	case r.Open():
		return postCard
	case c.State != record.Pending:
		return dropCard
	case c.RetryAt.IsZero():
		return awaitCard
	}
	return searchCards // The replica that posted it may have crashed before it recorded the message.
}

// doubt is what is known about another card of the same copy.
type doubt int

const (
	// unposted: there is none.
	unposted doubt = iota
	// searched: there may have been one, but none was found.
	searched
	// unsearched: there may be one, and the search was impossible.
	unsearched
)

// bringTo is bringUpToDate for a configured platform.
func (ps *Posts) bringTo(ctx context.Context, p platform.Platform, r *record.Record, c record.Copy, cards map[look]render.Card, claimed bool) record.Result {
	card, d := cards[ps.Cards.lookOf(r, c)], unposted
	switch nextStep(r, c, claimed) {
	case dropCard:
		return record.GivenUp{Why: endedUnposted, UnlessPosted: true}
	case awaitCard:
		return record.PostAwaited{}
	case updateCard:
		return ps.update(ctx, p, r, c, card)
	case searchCards:
		d = unsearched
	case postCard:
	}
	if err := ps.Platforms.Breakers[p.Name()].Blocked(time.Now(), r.Tenant, c.Target, c.Ref != (platform.MessageRef{})); err != nil {
		return doubting(ps.failed(p, c, err), d)
	}
	if d == unsearched {
		var result record.Result
		if result, d = ps.search(ctx, p, r, c); result != nil {
			return result
		}
	}
	return ps.post(ctx, p, r, c, card, d)
}

// call makes a call about a place if the breaker allows it.
func (ps *Posts) call(b *ratelimit.Breaker, op string, r *record.Record, to ask.Place, posted bool, f func() error) error {
	if err := b.Allow(time.Now(), r.Tenant, to, posted); err != nil {
		return err
	}
	return ps.allowed(b, op, r, to, f)
}

// allowed makes a call that the breaker has allowed.
func (ps *Posts) allowed(b *ratelimit.Breaker, op string, r *record.Record, to ask.Place, f func() error) error {
	err := ps.Reporter.Call(to.Platform, op, r, f)
	b.Note(time.Now(), r.Tenant, to, err)
	return err
}

// post posts a card when its turn comes, and as plain text if the platform rejects it.
func (ps *Posts) post(ctx context.Context, p platform.Platform, r *record.Record, c record.Copy, card render.Card, d doubt) record.Result {
	// An earlier card has notified people, or may have; or the card shows a decision.
	silent := c.Reposted || d == unsearched || r.Held != nil
	answered, later := ps.queue(ctx, p, r, c)
	if later != nil {
		return later
	}
	began := time.Now()
	// Other calls may have failed while it waited.
	if err := ps.Platforms.Breakers[p.Name()].Allow(began, r.Tenant, c.Target, false); err != nil {
		answered()
		return doubting(ps.failed(p, c, err), d)
	}
	ref, missed, err := ps.send(ctx, p, r, c.Target, card, silent, answered)
	var pe *platform.Error
	if errors.As(err, &pe) && pe.Kind == platform.Refused && !c.Plain {
		ps.Log.Warn("card refused, posting plain text", "request_id", r.ID, "platform", p.Name(), "code", pe.Code)
		c.Plain = true
		card = render.Layout(ps.Cards.Subject(r, p, c), p.Limits())
		ref, missed, err = ps.send(ctx, p, r, c.Target, card, silent, func() {})
	}
	if err != nil {
		return doubting(ps.failed(p, c, err), d)
	}
	ps.reportPosted(r, c)
	ps.Log.Info("card posted", "request_id", r.ID, "platform", p.Name(), "channel", ref.Channel, "took", time.Since(began))
	return record.NewCard{Ref: ref, Revision: r.Revision, Plain: c.Plain, Ambiguous: d != unposted, Quiet: silent, Missed: missed}
}

// send posts a card and returns who was not notified. It calls answered when the
// platform has replied.
func (ps *Posts) send(ctx context.Context, p platform.Platform, r *record.Record, to ask.Place, card render.Card, silent bool, answered func()) (ref platform.MessageRef, missed []record.Missed, err error) {
	defer answered()
	if silent {
		card = render.Silent(card, p.Limits())
	}
	mentioner, mentions := p.(platform.Mentioner)
	err = ps.allowed(ps.Platforms.Breakers[p.Name()], opPost, r, to, func() error {
		if mentions && len(card.Tells) > 0 {
			ref, missed, err = mentioner.PostMentioning(ctx, to, card)
		} else {
			ref, err = p.Post(ctx, to, card)
		}
		return err
	})
	return ref, missed, err
}

// reportPosted reports a posted card, except one that replaces a deleted one.
func (ps *Posts) reportPosted(r *record.Record, c record.Copy) {
	if !c.Reposted {
		ps.Reporter.Report(observe.Observation{What: observe.CardPosted, Record: r, Platform: c.Target.Platform, Took: max(time.Since(r.Created), 0)})
	}
}

// queue waits for the post's turn, or returns the result that it comes later. Call
// answered when the platform has replied to the post.
func (ps *Posts) queue(ctx context.Context, p platform.Platform, r *record.Record, c record.Copy) (answered func(), later record.Result) {
	paced, ok := p.(platform.Pacer)
	if !ok {
		return func() {}, nil
	}
	post := turnOf(r, c)
	for {
		at, before := ps.turns.Turn(time.Now(), paced.Pace(), p.Name(), c.Target.Channel+c.Target.User, post)
		if wait := time.Until(at); wait > state.ShortWait || ctx.Err() != nil {
			wait = max(wait, state.ShortWait)
			ps.Reporter.Report(observe.Observation{What: observe.DeliveryPutOff, Record: r, Platform: p.Name(), Op: opPost, Wait: wait})
			return nil, record.Queued{Wait: wait, Before: before}
		}
		_ = wait.For(ctx, time.Until(at))
		gone, ahead := ps.turns.Send(time.Now(), post)
		if gone {
			return func() { ps.turns.Answered(time.Now(), post) }, nil
		}
		if ahead == nil {
			continue // Its slot has moved back.
		}
		select {
		case <-ahead:
		case <-ctx.Done():
		}
	}
}

// turnOf names a copy's post in the queue.
func turnOf(r *record.Record, c record.Copy) string { return r.ID + " " + c.Target.String() }

// update replaces a card.
func (ps *Posts) update(ctx context.Context, p platform.Platform, r *record.Record, c record.Copy, card render.Card) record.Result {
	breaker := ps.Platforms.Breakers[p.Name()]
	if err := breaker.Allow(time.Now(), r.Tenant, c.Target, true); err != nil {
		return ps.failed(p, c, err)
	}
	defer ps.Locks.Hold(c.Ref)() // Remember a concurrent update.
	if drawn := ps.Locks.rendered(c.Ref); suffices(drawn, c, r.Revision) {
		return drawn
	}
	err := ps.Locks.Render(c.Ref, r.Revision, func() error {
		return ps.allowed(breaker, opUpdate, r, c.Target, func() error { return p.Update(ctx, c.Ref, card) })
	})
	if errors.Is(err, ErrOvertaken) {
		return ps.Locks.rendered(c.Ref)
	}
	var pe *platform.Error
	errors.As(err, &pe)
	switch {
	case err == nil:
		return ps.Locks.rendered(c.Ref)
	case pe == nil:
		return ps.failed(p, c, err)
	case pe.Kind == platform.Refused && !c.Plain:
		c.Plain = true
		return ps.update(ctx, p, r, c, render.Layout(ps.Cards.Subject(r, p, c), p.Limits()))
	case pe.Kind == platform.Refused && r.Open():
		ps.Log.Warn("card refused, left as it was", "request_id", r.ID, "platform", p.Name(), "code", pe.Code)
		fallthrough
	case pe.Kind == platform.Locked && r.Open():
		return record.Drawn{Revision: r.Revision} // The next change is tried again.
	case pe.Kind == platform.Frozen, pe.Kind == platform.Locked && c.Problem == "":
		replier, ok := p.(platform.Replier)
		if ok && ps.Reporter.Call(p.Name(), opReply, r, func() error { return replier.Reply(ctx, c.Target, c.Ref, render.Silent(card, p.Limits())) }) == nil {
			return record.Drawn{Revision: r.Revision, Below: true}
		}
		if pe.Kind == platform.Locked {
			return ps.failed(p, c, err)
		}
		return record.LostCard{Why: "the card cannot be edited any more"}
	case pe.Kind == platform.Gone && r.Open() && !c.Adopted && !c.Reposted:
		return record.Deleted{Ref: c.Ref}
	case pe.Kind == platform.Gone, pe.Kind == platform.Unreachable, pe.Kind == platform.Refused:
		return record.LostCard{Why: "the card is gone: " + pe.Code}
	}
	return ps.failed(p, c, err)
}

// maxSearches bounds the searches for the cards of an ended request.
const maxSearches = 5

// search looks for a card whose post was not confirmed. It returns nil if the card is to
// be posted. If the search fails, it is repeated for an ended request, while the card of
// an open one is posted.
func (ps *Posts) search(ctx context.Context, p platform.Platform, r *record.Record, c record.Copy) (record.Result, doubt) {
	found, d, err := ps.find(ctx, p, r, c)
	var pe *platform.Error
	switch again := errors.As(err, &pe) && temporary(pe.Kind) && r.Attempts < maxSearches; {
	case again && !r.Open():
		return doubting(ps.failed(p, c, err), d), d
	case c.Ref != (platform.MessageRef{}):
		return record.OtherCards{Refs: found}, d
	case len(found) > 0:
		return record.FoundCards{Refs: found}, d
	case !r.Open():
		return record.GivenUp{Why: endedUnposted, UnlessPosted: true}, d
	}
	return nil, d
}

// find asks the platform for the cards of a request, if it can search.
func (ps *Posts) find(ctx context.Context, p platform.Platform, r *record.Record, c record.Copy) (found []platform.MessageRef, d doubt, err error) {
	finder, ok := p.(platform.Finder)
	if !ok {
		return nil, unsearched, nil
	}
	err = ps.Reporter.Call(p.Name(), opFind, r, func() (err error) {
		found, err = finder.Find(ctx, c.Target, r.ID, r.Created)
		return err
	})
	if err != nil {
		ps.Log.Info("no search for a lost card", "request_id", r.ID, "platform", p.Name(), "error", err)
		return nil, unsearched, err
	}
	return found, searched, nil
}
