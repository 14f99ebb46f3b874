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

// deliveryBudget bounds one attempt.
const deliveryBudget = record.Lease - time.Second

// Delivery makes the calls that a record needs, and stores their results.
type Delivery struct {
	Records    *state.Records
	Threads    *state.Threads
	Grants     *state.Grants
	Cards      *Cards
	Posts      *Posts
	Webhooks   *Webhooks
	Status     *Status
	Background *state.Background
	Log        *slog.Logger
}

// attempt updates outdated cards, posts the cards in mine, calls the webhook if due, and
// stores the results. It returns the record as stored afterwards, and whether it could
// be stored.
func (d *Delivery) attempt(ctx context.Context, r *record.Record, mine []int, claimed bool) (after *record.Record, stored bool) {
	if err := d.Grants.Note(ctx, r, d.Records.Clock.Now()); err != nil {
		d.Log.Error("grant not kept", "request_id", r.ID, "error", err)
		return r, false // The replica that takes over retries.
	}
	a := d.collect(ctx, d.receipt(ctx, r), mine, claimed)
	release := d.holdClaim(ctx, a.r)
	concurrently(a.calls)
	release()
	if a.r.Open() {
		d.Status.Begin(ctx, a.r, a.done.Copies)
	}
	return d.settle(ctx, a.r, a.done)
}

// attempt is the work of one attempt and its results.
type attempt struct {
	r                 *record.Record
	claimed           bool
	cards             map[look]render.Card
	broken            error // why there are no cards
	announcing, files below
	calls             []func()
	done              record.Report
}

// below is the work of one kind below the cards. Copies that are due but not begun were
// begun by another replica whose result is unknown.
type below struct{ due, begun []int }

// collect claims the work below the cards, lays the cards out, and returns the calls
// that are due.
func (d *Delivery) collect(ctx context.Context, r *record.Record, mine []int, claimed bool) *attempt {
	soon := d.Records.Clock.Soon()
	r, telling := d.begin(ctx, r, record.Announcing, claimed, soon)
	r, files := d.begin(ctx, r, record.Uploading, claimed, soon)
	a := &attempt{r: r, claimed: claimed, announcing: telling, files: files, done: record.Report{Copies: d.Posts.shown(r)}}
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
	outdated := record.OutdatedReminders(r)
	a.done.Reminders = make([]*record.ReminderEdit, len(outdated))
	for n, m := range outdated {
		if !m.RetryAt.After(soon) {
			a.calls = append(a.calls, func() { a.done.Reminders[n] = d.Posts.closeReminder(ctx, r, m) })
		}
	}
	if record.NeedsWebhook(r) && !r.Webhook.RetryAt.After(soon) {
		a.calls = append(a.calls, func() { a.done.Call = d.Webhooks.deliver(ctx, r) })
	}
	a.calls = append(a.calls, d.Status.End(ctx, r)...)
	if !r.Open() && len(r.Files) > 0 {
		a.calls = append(a.calls, func() { d.Posts.Files.Forget(ctx, r) })
	}
	return a
}

// deliver makes the calls of one copy.
func (d *Delivery) deliver(ctx context.Context, a *attempt, n int, draws bool) record.Result {
	c, drawn := a.r.Copies[n], a.done.Copies[n]
	if a.broken != nil && drawn == nil {
		return record.Unprepared{Spread: state.Chance()}
	}
	both := record.Both{First: drawn}
	if draws {
		both.First = d.Posts.bringUpToDate(ctx, a.r, c, a.cards, a.claimed)
	}
	if slices.Contains(a.announcing.due, n) {
		both.Then = d.Posts.remind(ctx, a.r, c, !slices.Contains(a.announcing.begun, n))
	}
	if slices.Contains(a.files.due, n) {
		both.Then = record.Both{First: both.Then, Then: d.Posts.attach(ctx, a.r, c, !slices.Contains(a.files.begun, n))}
	}
	return both
}

// receipt records that the agent has not acknowledged an answer in time.
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

// begin claims the unclaimed work below the cards and returns all that is due.
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
		return r, below{due: doubted} // Another replica does it, or a later attempt.
	}
	return after, below{append(doubted, begun...), begun}
}

// holdClaim extends the claim on an ended record if its deliveries take longer than half
// of the lease, so that no other replica takes them over. That costs a write only if
// they do.
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

// concurrently makes calls concurrently, the last one on this goroutine, because there is
// usually only one.
func concurrently(calls []func()) {
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

// SettleBudget bounds how long to retry storing the results of an attempt. No one else
// knows where a card was posted, and another attempt could post it again.
const SettleBudget = 2 * time.Minute

// settle stores the results of an attempt. The transition sets the next retry, or ends
// the request as failed if no card can be posted. If the store does not recover in time,
// it returns the record as it was.
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
		// Messages find a card by its thread before the record contains it.
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

// settleLater stores the results with a delay if they only confirm the cards of an ended
// request, and returns the future record. If this process crashes before, the cards are
// drawn once more.
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
