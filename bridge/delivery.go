package bridge

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/render"
)

// deliveryBudget bounds one attempt to bring every copy of a record up to date.
const deliveryBudget = record.Lease - time.Second

// delivery brings the outside world up to date with records: one attempt at a time, and
// what came of it is stored.
type delivery struct {
	records    *records
	threads    *threads
	grants     *grants
	cards      *cards
	posts      *posts
	webhooks   *webhooks
	background *background
	log        *slog.Logger
}

// attempt updates every copy that needs it, posts those that are the caller's, calls the
// agent if that is due, and stores what came of it. It returns the record as it is stored
// afterwards, and whether it could be stored.
func (d *delivery) attempt(ctx context.Context, r *Record, mine []int, claimed bool) (after *Record, stored bool) {
	if err := d.grants.note(ctx, r, d.records.clock.now()); err != nil {
		d.log.Error("grant not kept", "request_id", r.ID, "error", err)
		return r, false // Whoever takes the delivery over tries again.
	}
	r, sayings := d.begin(ctx, d.receipt(ctx, r), claimed, (*Record).WantsSaying, (*Record).Say)
	patience := d.records.clock.now().Add(shortWait)
	wantsFiles := func(r *Record, c Copy, claimed bool) bool {
		return r.WantsFiles(c, claimed) && !c.RetryAt.After(patience)
	}
	r, uploads := d.begin(ctx, r, claimed, wantsFiles, func(r *Record) error { return r.File(patience) })
	done := record.Report{Copies: d.posts.shown(r)}
	var cards map[look]render.Card
	broken := protect(d.log, func() error {
		cards = d.cards.layOut(d.cards.introduce(ctx, r), done.Copies)
		return nil
	})
	var calls []func()
	for n, c := range r.Copies {
		draws := r.Wants(c) && (!r.Unposted(c) || slices.Contains(mine, n)) && !r.WantsSaying(c, false) && !r.WantsFiles(c, false) && done.Copies[n] == nil
		saying, upload := sayings[n], uploads[n]
		if !draws && saying == nothing && upload == nothing || c.RetryAt.After(patience) {
			continue
		}
		calls = append(calls, func() {
			if broken != nil && done.Copies[n] == nil {
				done.Copies[n] = record.Unprepared{Spread: chance()}
				return
			}
			both := record.Both{First: done.Copies[n]}
			if draws {
				both.First = d.posts.bringUpToDate(ctx, r, c, cards, claimed)
			}
			if saying != nothing {
				both.Then = d.posts.say(ctx, r, c, saying == doubted)
			}
			if upload != nothing {
				both.Then = record.Both{First: both.Then, Then: d.posts.attach(ctx, r, c, upload == doubted)}
			}
			done.Copies[n] = both
		})
	}
	if r.WantsCall() && !r.Webhook.RetryAt.After(patience) {
		calls = append(calls, func() { done.Call = d.webhooks.call(ctx, r) })
	}
	if !r.Open() && len(r.Files) > 0 {
		calls = append(calls, func() { d.posts.files.forget(ctx, r) })
	}
	release := d.holdClaim(ctx, r)
	together(calls)
	release()
	return d.settle(ctx, r, done)
}

// receipt takes note that nobody has taken what a person decided, where that is due.
func (d *delivery) receipt(ctx context.Context, r *Record) *Record {
	if !r.Awaited() {
		return r
	}
	probe := r.Clone()
	if probe.Missing(d.records.clock.now()) != nil {
		return r
	}
	after, err := d.records.changeSoon(ctx, r.ID, (*Record).Missing)
	if err != nil {
		return r
	}
	return after
}

// saying is whether something is to be said, or uploaded, below a card: what nobody has
// said yet, or what somebody may have said who did not come to tell.
type saying int

const (
	nothing saying = iota
	unsaid
	doubted
)

// begin takes note that this process says below the cards what has happened, or uploads
// what belongs there, where nobody else does, and returns what there is to do by copy.
func (d *delivery) begin(ctx context.Context, r *Record, claimed bool, wants func(*Record, Copy, bool) bool, note func(*Record) error) (*Record, map[int]saying) {
	all := map[int]saying{}
	for n, c := range r.Copies {
		if wants(r, c, claimed) && !wants(r, c, false) {
			all[n] = doubted
		}
	}
	if !slices.ContainsFunc(r.Copies, func(c Copy) bool { return wants(r, c, false) }) {
		return r, all
	}
	var begun []int
	after, err := d.records.changeSoon(ctx, r.ID, func(r *Record, _ time.Time) error {
		begun = nil
		for n, c := range r.Copies {
			if wants(r, c, false) {
				begun = append(begun, n)
			}
		}
		return note(r)
	})
	if err != nil {
		return r, all // Somebody else says it, or it is said another time.
	}
	for _, n := range begun {
		all[n] = unsaid
	}
	return after, all
}

// holdClaim keeps other replicas from taking over the deliveries of a record that
// has ended, when they take longer here than the short time that is left to us. It
// costs a write for calls that take more than half of that, and nothing else.
func (d *delivery) holdClaim(ctx context.Context, r *Record) (release func()) {
	if !r.HeldBriefly() {
		return func() {}
	}
	over := make(chan struct{})
	timer := time.AfterFunc(record.EndLease/2, func() {
		defer close(over)
		after, err := d.records.changeSoon(ctx, r.ID, (*Record).Extend)
		switch {
		case err == nil:
			d.records.changed(after)
		case !errors.Is(err, ErrUnchanged):
			d.log.Warn("claim not extended", "request_id", r.ID, "error", err)
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

// settleBudget is how long the results of an attempt are kept for a store that is
// away. Nobody else knows where a card was posted just now, and a second attempt
// could post it again.
const settleBudget = 2 * time.Minute

// settle writes the results of an attempt into the record, works out when it
// wants attention again, and ends it as failed when no copy can be delivered. It
// returns the record as it was when the store does not come back in time.
func (d *delivery) settle(ctx context.Context, r *Record, done record.Report) (*Record, bool) {
	d.threads.forget(ctx, r, d.cards.platforms.direct)
	if after := d.settleLater(r, done); after != nil {
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
		// A card is found by messages before anybody takes note of where it stands.
		err := d.threads.note(ctx, r, done.Copies, d.cards.platforms.direct)
		after := r
		if err == nil {
			after, err = d.records.changeSoon(ctx, r.ID, write)
		}
		if err == nil || errors.Is(err, ErrUnchanged) {
			if ended {
				d.log.Error("request failed", "request_id", after.ID, "reason", after.Outcome.Reason)
			}
			d.records.changed(after)
			return after, true
		}
		d.log.Error("delivery result not stored", "request_id", r.ID, "try", n+1, "error", err)
		if errors.Is(err, ErrNotFound) || ctx.Err() != nil || d.background.stopped() {
			return r, false
		}
		select {
		case <-time.After(backoff(min(n, 3))):
		case <-d.background.stopping():
		}
	}
}

// settleLater has the results written down some time soon, if all they say is
// that every card of an ended request is as it should be. It returns the record
// as it will be. If this process dies before, somebody will paint the cards once
// more.
func (d *delivery) settleLater(r *Record, done record.Report) *Record {
	p, able := d.records.store.(WriteBehinder)
	if !able || r.Open() || r.WantsCall() {
		return nil
	}
	after := r.Clone()
	if _, err := after.Conclude(done, d.records.clock.now()); err != nil || !after.DeliveryDue.IsZero() {
		return nil
	}
	write := func(r *Record, now time.Time) error {
		_, err := r.Conclude(done, now)
		return err
	}
	if !p.WriteBehind(r.ID, write, func(stored Record, err error) {
		switch {
		case err == nil:
			d.records.changed(&stored)
		case !errors.Is(err, ErrUnchanged) && !errors.Is(err, ErrNotFound):
			d.log.Warn("delivery result not stored", "request_id", r.ID, "error", err)
		}
	}) {
		return nil
	}
	return &after
}
