package bridge

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge/record"
)

// watch follows the store's notifications of what other processes change.
func (b *Bridge) watch(ctx context.Context) error {
	in := newInbox()
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { b.look(ctx, in) })
	for ctx.Err() == nil {
		if err := b.store.Watch(ctx, in.put); err != nil && ctx.Err() == nil {
			b.log.Warn("store not watched", "error", err)
		}
		pause(ctx, time.Second)
	}
	return nil
}

// safetyPoll is how long an answer can go unnoticed when its notification was
// lost.
const safetyPoll = 20 * time.Second

// look loads records that were changed and that somebody here waits for, and now
// and then, and after every gap in the notifications, everything that has ended
// since.
func (b *Bridge) look(ctx context.Context, in *inbox) {
	since, next := b.clock.now(), time.Now().Add(jitter(safetyPoll))
	lost := missing{b: b}
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
			b.heard(ctx, n)
		}
		if missed {
			b.alarms.due.now()
			b.alarms.deliveryDue.now()
		}
		if !gap && !missed {
			continue
		}
		began := b.clock.now()
		if !b.waiter.idle() || b.followers.want("", 0) {
			err := b.scan(ctx, Scan{Ended: true, From: since.Add(-time.Minute), Limit: batchSize}, func(r *Record) error {
				b.changed(r)
				return nil
			})
			if err != nil && !errors.Is(err, context.Canceled) {
				b.log.Warn("ended requests not read again", "error", err)
				next = time.Now().Add(secondLook)
				continue
			}
		}
		since, next = began, time.Now().Add(jitter(safetyPoll))
		if lost.look(ctx, missed) {
			next = time.Now().Add(secondLook)
		}
	}
}

// takeoverGrace is how long after its time a record is left to the replica that
// has changed it last. Then the others see to it, not all at the same moment, in
// case that one has died.
func takeoverGrace() time.Duration { return jitter(200 * time.Millisecond) }

// heard takes note of a change that was notified. When the record becomes due or
// is behind is set here too, so that whoever changed it may die before that.
func (b *Bridge) heard(ctx context.Context, n Notification) {
	if b.waiter.waits(n.ID, n.Version) || b.followers.want(n.ID, n.Version) {
		if r, err := b.notified(ctx, n); err == nil {
			b.changed(&r)
		}
	}
	if n.Version == 0 {
		b.alarms.deliveryDue.set(n.ID, time.Now().Add(record.Lease+time.Second))
		return
	}
	b.alarms.due.setLater(n.ID, b.clock.here(n.Due), takeoverGrace())
	b.alarms.deliveryDue.setLater(n.ID, b.clock.here(n.DeliveryDue), takeoverGrace())
}

// notified returns the record that a notification tells of, which has come along
// with it or is to be read.
func (b *Bridge) notified(ctx context.Context, n Notification) (Record, error) {
	if h, able := b.store.(OutcomeCache); able {
		if r, known := h.Ended(n.ID); known && r.Version >= n.Version && n.Version > 0 {
			return r, nil
		}
	}
	return b.store.Load(ctx, n.ID)
}

// inbox collects notifications until somebody looks.
type inbox struct {
	ready chan struct{}

	mu     sync.Mutex
	newest map[string]Notification // of each record; version 0 stands for any
	missed bool
}

func newInbox() *inbox {
	return &inbox{ready: make(chan struct{}, 1), newest: map[string]Notification{}}
}

func (i *inbox) put(n Notification) {
	i.mu.Lock()
	switch old, known := i.newest[n.ID]; {
	case n.ID == "":
		i.missed = true
	case n.Version == 0 || known && old.Version == 0:
		i.newest[n.ID] = Notification{ID: n.ID}
	case n.Version >= old.Version:
		i.newest[n.ID] = n
	}
	i.mu.Unlock()
	select {
	case i.ready <- struct{}{}:
	default:
	}
}

func (i *inbox) take() (changes map[string]Notification, missed bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	changes, i.newest = i.newest, map[string]Notification{}
	missed, i.missed = i.missed, false
	return changes, missed
}
