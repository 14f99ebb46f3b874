package state

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/bridge/storage"
	"github.com/askbridge/askbridge/internal/wait"
)

// Watcher follows the changes of other replicas, for local callers and followers and for
// the loops that process due records.
type Watcher struct {
	records *Records
	lost    missing
	log     *slog.Logger
}

// NewWatcher returns a watcher of the records.
func NewWatcher(rs *Records, log *slog.Logger) *Watcher {
	return &Watcher{records: rs, lost: missing{records: rs, log: log}, log: log}
}

// Run follows the store's notifications until ctx ends.
func (w *Watcher) Run(ctx context.Context) error {
	in := newInbox()
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { w.look(ctx, in) })
	for ctx.Err() == nil {
		if err := w.records.Store.Watch(ctx, in.put); err != nil && ctx.Err() == nil {
			w.log.Warn("store not watched", "error", err)
		}
		_ = wait.For(ctx, time.Second)
	}
	return nil
}

// safetyPoll bounds the delay of an answer whose notification was lost.
const safetyPoll = 20 * time.Second

// look loads changed records that a local caller awaits. Periodically, and after every
// gap in the notifications, it loads all records that have ended since.
func (w *Watcher) look(ctx context.Context, in *inbox) {
	since, next := w.records.Clock.Now(), time.Now().Add(jitter(safetyPoll))
	for ctx.Err() == nil {
		wait := time.NewTimer(time.Until(next))
		gap := false
		select {
		case <-ctx.Done():
		case <-in.ready:
		case <-wait.C:
			gap = true
		}
		wait.Stop()
		changes, missed := in.take()
		for _, n := range changes {
			w.receive(ctx, n)
		}
		if missed {
			w.records.Followers.notify(record.Notification{})
			w.records.Alarms.Due.now()
			w.records.Alarms.DeliveryDue.now()
		}
		if !gap && !missed {
			continue
		}
		began := w.records.Clock.Now()
		if err := w.readAgain(ctx, since); err != nil && !errors.Is(err, context.Canceled) {
			w.log.Warn("ended requests not read again", "error", err)
			next = time.Now().Add(secondLook)
			continue
		}
		since, next = began, time.Now().Add(jitter(safetyPoll))
		if w.lost.look(ctx, missed) {
			next = time.Now().Add(secondLook)
		}
	}
}

// readAgain loads awaited records that have ended since.
func (w *Watcher) readAgain(ctx context.Context, since time.Time) error {
	if w.records.Waiter.idle() && !w.records.Followers.want("", 0) {
		return nil
	}
	wanted := func(id string) bool { return w.records.Waiter.waits(id, 0) || w.records.Followers.want(id, 0) }
	for r, err := range w.records.All(ctx, storage.Scan{Ended: true, From: since.Add(-time.Minute), Only: wanted, Limit: BatchSize}) {
		if err != nil {
			return err
		}
		w.records.Publish(r)
	}
	return nil
}

// takeoverGrace is the time left to the replica that last changed a record before others
// take over. It is randomized so that they do not act at once.
func takeoverGrace() time.Duration { return jitter(200 * time.Millisecond) }

// receive processes a notification. It also sets the alarms, in case the replica that made
// the change dies.
func (w *Watcher) receive(ctx context.Context, n record.Notification) {
	if w.records.Waiter.waits(n.ID, n.Version) || w.records.Followers.want(n.ID, n.Version) {
		if r, err := w.load(ctx, n); err == nil {
			w.records.Publish(&r)
		}
	}
	w.records.Followers.notify(n)
	if n.Version == 0 {
		w.records.Alarms.DeliveryDue.set(n.ID, time.Now().Add(record.Lease+time.Second))
		return
	}
	w.records.Alarms.Due.setLater(n.ID, w.records.Clock.Here(n.Due), takeoverGrace())
	w.records.Alarms.DeliveryDue.setLater(n.ID, w.records.Clock.Here(n.DeliveryDue), takeoverGrace())
}

// load returns the record of a notification, which may be cached.
func (w *Watcher) load(ctx context.Context, n record.Notification) (record.Record, error) {
	if h, able := w.records.Store.(storage.OutcomeCache); able {
		if r, known := h.Ended(n.ID); known && r.Version >= n.Version && n.Version > 0 {
			return r, nil
		}
	}
	return w.records.Store.Load(ctx, n.ID)
}
