package deliver

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/internal/state"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/platform"
	"github.com/askbridge/askbridge/render"
)

// deliveryBudget bounds one attempt to bring every copy of a record up to date.
const deliveryBudget = record.Lease - time.Second

// delivery brings the outside world up to date with records: one attempt at a time, and
// what came of it is stored.
type Delivery struct {
	Records    *state.Records
	Threads    *state.Threads
	Grants     *state.Grants
	Cards      *Cards
	Posts      *Posts
	Webhooks   *Webhooks
	Background *state.Background
	Log        *slog.Logger
}

// attempt updates every copy that needs it, posts those that are the caller's, calls the
// agent if that is due, and stores what came of it. It returns the record as it is stored
// afterwards, and whether it could be stored.
func (d *Delivery) attempt(ctx context.Context, r *record.Record, mine []int, claimed bool) (after *record.Record, stored bool) {
	if err := d.Grants.Note(ctx, r, d.Records.Clock.Now()); err != nil {
		d.Log.Error("grant not kept", "request_id", r.ID, "error", err)
		return r, false // Whoever takes the delivery over tries again.
	}
	a := d.collect(ctx, d.receipt(ctx, r), mine, claimed)
	release := d.holdClaim(ctx, a.r)
	together(a.calls)
	release()
	return d.settle(ctx, a.r, a.done)
}

// attempt is what one attempt has to do, and what came of it.
type attempt struct {
	r              *record.Record
	claimed        bool
	cards          map[look]render.Card
	broken         error // why there are no cards
	telling, files below
	calls          []func()
	done           record.Report
}

// below is the work of one kind that an attempt has below the cards of copies. What it has not
// begun itself somebody else had, who did not come to tell how it went.
type below struct{ due, begun []int }

// collect takes note of what this process begins below the cards, lays the cards out, and
// returns the calls that are due.
func (d *Delivery) collect(ctx context.Context, r *record.Record, mine []int, claimed bool) *attempt {
	soon := d.Records.Clock.Soon()
	r, telling := d.begin(ctx, r, record.Announcing, claimed, soon)
	r, files := d.begin(ctx, r, record.Uploading, claimed, soon)
	a := &attempt{r: r, claimed: claimed, telling: telling, files: files, done: record.Report{Copies: d.Posts.shown(r)}}
	a.broken = state.Protect(d.Log, func() error {
		a.cards = d.Cards.layOut(d.Cards.introduce(ctx, r), a.done.Copies)
		return nil
	})
	for n, c := range r.Copies {
		if !r.Open() && c.Ref == (platform.MessageRef{}) {
			d.Posts.turns.Drop(turnOf(r, c))
		}
		draws := record.NeedsCall(r, c) && (!record.Unposted(r, c) || slices.Contains(mine, n)) && !record.NeedsWork(r, c, false) &&
			a.done.Copies[n] == nil
		if (draws || slices.Contains(telling.due, n) || slices.Contains(files.due, n)) && !c.RetryAt.After(soon) {
			a.calls = append(a.calls, func() { a.done.Copies[n] = d.deliver(ctx, a, n, draws) })
		}
	}
	if record.NeedsWebhook(r) && !r.Webhook.RetryAt.After(soon) {
		a.calls = append(a.calls, func() { a.done.Call = d.Webhooks.deliver(ctx, r) })
	}
	if !r.Open() && len(r.Files) > 0 {
		a.calls = append(a.calls, func() { d.Posts.Files.Forget(ctx, r) })
	}
	return a
}

// deliver makes the calls that one copy needs.
func (d *Delivery) deliver(ctx context.Context, a *attempt, n int, draws bool) record.Result {
	c, drawn := a.r.Copies[n], a.done.Copies[n]
	if a.broken != nil && drawn == nil {
		return record.Unprepared{Spread: state.Chance()}
	}
	both := record.Both{First: drawn}
	if draws {
		both.First = d.Posts.bringUpToDate(ctx, a.r, c, a.cards, a.claimed)
	}
	if slices.Contains(a.telling.due, n) {
		both.Then = d.Posts.say(ctx, a.r, c, !slices.Contains(a.telling.begun, n))
	}
	if slices.Contains(a.files.due, n) {
		both.Then = record.Both{First: both.Then, Then: d.Posts.attach(ctx, a.r, c, !slices.Contains(a.files.begun, n))}
	}
	return both
}

// receipt takes note that nobody has taken what a person decided, where that is due.
func (d *Delivery) receipt(ctx context.Context, r *record.Record) *record.Record {
	if !r.AwaitsReceipt() {
		return r
	}
	probe := r.Clone()
	if probe.MarkUnacknowledged(d.Records.Clock.Now()) != nil {
		return r
	}
	after, err := d.Records.ChangeSoon(ctx, r.ID, (*record.Record).MarkUnacknowledged)
	if err != nil {
		return r
	}
	return after
}

// begin takes note that this process does the work below the cards where nobody else does, and
// returns what there is to do.
func (d *Delivery) begin(ctx context.Context, r *record.Record, w record.Work, claimed bool, soon time.Time) (*record.Record, below) {
	free, doubted := w.Left(r, claimed, soon)
	if free == nil {
		return r, below{due: doubted}
	}
	var begun []int
	after, err := d.Records.ChangeSoon(ctx, r.ID, func(r *record.Record, _ time.Time) (err error) {
		begun, err = w.Begin(r, soon)
		return err
	})
	if err != nil {
		return r, below{due: doubted} // Somebody else does it, or it is done another time.
	}
	return after, below{append(doubted, begun...), begun}
}

// holdClaim keeps other replicas from taking over the deliveries of a record that
// has ended, when they take longer here than the short time that is left to us. It
// costs a write for calls that take more than half of that, and nothing else.
func (d *Delivery) holdClaim(ctx context.Context, r *record.Record) (release func()) {
	if !record.HasEndLease(r) {
		return func() {}
	}
	over := make(chan struct{})
	timer := time.AfterFunc(record.EndLease/2, func() {
		defer close(over)
		after, err := d.Records.ChangeSoon(ctx, r.ID, (*record.Record).ExtendLease)
		switch {
		case err == nil:
			d.Records.Publish(after)
		case !errors.Is(err, storage.ErrUnchanged):
			d.Log.Warn("claim not extended", "request_id", r.ID, "error", err)
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
const SettleBudget = 2 * time.Minute

// settle writes the results of an attempt into the record, works out when it
// wants attention again, and ends it as failed when no copy can be delivered. It
// returns the record as it was when the store does not come back in time.
func (d *Delivery) settle(ctx context.Context, r *record.Record, done record.Report) (*record.Record, bool) {
	d.Threads.Forget(ctx, r, d.Cards.Platforms.Direct)
	if after := d.settleLater(r, done); after != nil {
		return after, true
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), SettleBudget, errors.New("store away for too long"))
	defer cancel()
	var ended bool
	write := func(r *record.Record, now time.Time) (err error) {
		ended, err = r.ApplyReport(done, now)
		return err
	}
	for n := 0; ; n++ {
		// A card is found by messages before anybody takes note of where it stands.
		err := d.Threads.Note(ctx, r, done.Copies, d.Cards.Platforms.Direct)
		after := r
		if err == nil {
			after, err = d.Records.ChangeSoon(ctx, r.ID, write)
		}
		if err == nil || errors.Is(err, storage.ErrUnchanged) {
			if ended {
				d.Log.Error("request failed", "request_id", after.ID, "reason", after.Outcome.Reason)
			}
			d.Records.Publish(after)
			return after, true
		}
		d.Log.Error("delivery result not stored", "request_id", r.ID, "try", n+1, "error", err)
		if errors.Is(err, storage.ErrNotFound) || ctx.Err() != nil || d.Background.Stopped() {
			return r, false
		}
		select {
		case <-time.After(state.Backoff(min(n, 3))):
		case <-d.Background.Stopping():
		}
	}
}

// settleLater has the results written down some time soon, if all they say is
// that every card of an ended request is as it should be. It returns the record
// as it will be. If this process dies before, somebody will draw the cards once
// more.
func (d *Delivery) settleLater(r *record.Record, done record.Report) *record.Record {
	p, able := d.Records.Store.(storage.WriteBehinder)
	if !able || r.Open() || record.NeedsWebhook(r) {
		return nil
	}
	after := r.Clone()
	if _, err := after.ApplyReport(done, d.Records.Clock.Now()); err != nil || !after.DeliveryDue.IsZero() {
		return nil
	}
	write := func(r *record.Record, now time.Time) error {
		_, err := r.ApplyReport(done, now)
		return err
	}
	if !p.WriteBehind(r.ID, write, func(stored record.Record, err error) {
		switch {
		case err == nil:
			d.Records.Publish(&stored)
		case !errors.Is(err, storage.ErrUnchanged) && !errors.Is(err, storage.ErrNotFound):
			d.Log.Warn("delivery result not stored", "request_id", r.ID, "error", err)
		}
	}) {
		return nil
	}
	return &after
}
