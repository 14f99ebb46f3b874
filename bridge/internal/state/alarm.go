package state

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// alarms wake the two loops that process due records when a record that this process
// knows becomes due before the next poll.
type alarms struct{ Due, DeliveryDue *Alarm }

func newAlarms() alarms { return alarms{Due: newAlarm(DuePoll), DeliveryDue: newAlarm(DeliveryPoll)} }

// Alarm wakes one sleeper at the earliest time that was set. It ignores times after the
// next poll, so that it holds few of them.
type Alarm struct {
	poll  time.Duration
	moved chan struct{}

	mu    sync.Mutex
	times map[string]time.Time // by record
	order ringing              // holds every time in times, and some that were replaced
}

func newAlarm(poll time.Duration) *Alarm {
	return &Alarm{poll: poll, moved: make(chan struct{}, 1), times: map[string]time.Time{}}
}

// set sets when a record becomes due and replaces its earlier time. The zero time means
// never.
func (a *Alarm) set(id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.put(id, at)
}

// setLater is set for a record that another replica handles: it adds a grace period,
// unless the time is already set here.
func (a *Alarm) setLater(id string, at time.Time, grace time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch old, set := a.times[id]; {
	case at.IsZero():
		a.put(id, at)
	case !set || old.Sub(at).Abs() > grace: // Converted from the store's time, it is never exactly equal.
		a.put(id, at.Add(grace))
	}
}

func (a *Alarm) put(id string, at time.Time) {
	if at.IsZero() || time.Until(at) > a.poll {
		delete(a.times, id)
		return
	}
	if a.times[id].Equal(at) {
		return
	}
	first, set := a.first()
	a.times[id] = at
	heap.Push(&a.order, ring{at, id})
	if set && !at.Before(first) {
		return
	}
	select {
	case a.moved <- struct{}{}:
	default:
	}
}

// now wakes the sleeper at once.
func (a *Alarm) now() { a.set("", time.Now()) }

// first returns the earliest time, if any. The caller holds the lock.
func (a *Alarm) first() (at time.Time, set bool) {
	for len(a.order) > 0 {
		if r := a.order[0]; a.times[r.id].Equal(r.at) {
			return r.at, true
		}
		heap.Pop(&a.order)
	}
	return time.Time{}, false
}

// Sleep waits until longest has passed, the alarm rings, or ctx ends.
func (a *Alarm) Sleep(ctx context.Context, longest time.Duration) {
	end := time.Now().Add(longest)
	for {
		a.mu.Lock()
		wake := end
		if first, set := a.first(); set && first.Before(end) {
			wake = first
		}
		a.mu.Unlock()
		timer := time.NewTimer(time.Until(wake))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-a.moved:
			timer.Stop()
			continue
		case <-timer.C:
		}
		a.rung(time.Now())
		return
	}
}

// rung removes the times that have passed.
func (a *Alarm) rung(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		first, set := a.first()
		if !set || first.After(now) {
			return
		}
		delete(a.times, a.order[0].id)
		heap.Pop(&a.order)
	}
}

// ring is the time of one record.
type ring struct {
	at time.Time
	id string
}

// ringing is a heap, earliest first.
type ringing []ring

func (r ringing) Len() int           { return len(r) }
func (r ringing) Less(i, j int) bool { return r[i].at.Before(r[j].at) }
func (r ringing) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *ringing) Push(x any)        { *r = append(*r, x.(ring)) }
func (r *ringing) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}

// DuePoll and DeliveryPoll bound the delay of a record whose notification was lost.
const (
	DuePoll      = 15 * time.Second
	DeliveryPoll = 5 * time.Second
)
