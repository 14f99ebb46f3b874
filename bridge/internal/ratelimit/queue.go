package ratelimit

import (
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/askbridge/askbridge/platform"
)

// Queue assigns each post a time at which it may be sent. A post keeps its slot until
// it is sent, even if it asks again. Slots move back while the platform has not
// answered earlier posts for long enough. The zero value is ready to use.
type Queue struct {
	mu    sync.Mutex
	lanes map[string]*lane
	slots map[string]*slot // by post
	// pruned is when stale entries were last removed.
	pruned time.Time
}

// slot is the time at which a post may be sent, in the lanes of its channel and of
// its platform.
type slot struct {
	at           time.Time
	channel, all *lane
	flight       *flight // nil until the post is sent
}

// flight is a post that was sent. It reaches the platform at some time before the
// answer, so the limits are kept relative to the answer.
type flight struct {
	answered chan struct{} // closed by the answer
	at       time.Time     // time of the answer; zero before
}

// lane is the queue of one channel or platform: the slots of the last window and
// later ones in order, the flights that still count, and the time before which the
// platform accepts no posts.
type lane struct {
	rate    platform.Rate
	slots   []*slot
	flights []*flight
	until   time.Time
}

const (
	// maxKept is the number of lanes and slots above which stale ones are removed.
	maxKept = 1024
	// staleAfter is longer than the window of any rate.
	staleAfter = time.Minute
)

// Turn returns when a post may be sent, and how many posts are before it in the
// queue of its channel.
func (q *Queue) Turn(now time.Time, pace platform.Pace, name, channel, post string) (at time.Time, before int) {
	if pace == (platform.Pace{}) {
		return now, 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lanes == nil {
		q.lanes, q.slots = map[string]*lane{}, map[string]*slot{}
	}
	if len(q.lanes)+len(q.slots) > maxKept && now.Sub(q.pruned) > time.Second {
		q.prune(now)
	}
	s := q.slots[post]
	if s == nil {
		s = &slot{at: now, channel: q.lane(name+" "+channel, pace.Channel), all: q.lane(name, pace.All)}
		if n := len(s.channel.slots); n > 0 && s.channel.slots[n-1].at.After(s.at) {
			s.at = s.channel.slots[n-1].at
		}
		s.at = s.all.earliest(s.channel.earliest(s.at))
		s.channel.add(now, s)
		s.all.add(now, s)
		q.slots[post] = s
	}
	return s.at, max(s.channel.after(s.at.Add(-1))-s.channel.after(now), 0)
}

// Send marks a post as sent, if its lanes have room. Otherwise either its slot has
// moved back, or it has to wait until the answer to an earlier post closes ahead.
func (q *Queue) Send(now time.Time, post string) (sent bool, ahead <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.slots[post]
	if s == nil {
		return true, nil // It has no limits.
	}
	at := now
	for _, l := range []*lane{s.channel, s.all} {
		free, ahead := l.free(now)
		if ahead != nil {
			return false, ahead
		}
		if free.After(at) {
			at = free
		}
	}
	if at.After(now) {
		s.at = at
		s.channel.pushBack(s)
		slices.SortStableFunc(s.all.slots, func(a, b *slot) int { return a.at.Compare(b.at) })
		return false, nil
	}
	s.flight = &flight{answered: make(chan struct{})}
	for _, l := range []*lane{s.channel, s.all} {
		if l.rate != (platform.Rate{}) {
			l.flights = append(l.flights, s.flight)
		}
	}
	return true, nil
}

// Answered records that the platform has answered a sent post.
func (q *Queue) Answered(now time.Time, post string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.slots[post]
	if s == nil || s.flight == nil {
		return
	}
	s.flight.at = now
	close(s.flight.answered)
	delete(q.slots, post)
}

// Drop frees the slot of a post that is no longer needed.
func (q *Queue) Drop(post string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.slots[post]
	if s == nil || s.flight != nil {
		return
	}
	delete(q.slots, post)
	for _, l := range []*lane{s.channel, s.all} {
		l.slots = slices.DeleteFunc(l.slots, func(other *slot) bool { return other == s })
	}
}

// Hold delays the posts of a channel until a time, as the platform demanded.
func (q *Queue) Hold(name, channel string, until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.lanes[name+" "+channel]; l != nil && l.until.Before(until) {
		l.until = until
	}
}

func (q *Queue) lane(name string, rate platform.Rate) *lane {
	l := q.lanes[name]
	if l == nil {
		l = &lane{rate: rate}
		q.lanes[name] = l
	}
	return l
}

// prune removes idle lanes, and slots of posts that were never sent.
func (q *Queue) prune(now time.Time) {
	q.pruned = now
	old := now.Add(-staleAfter)
	for post, s := range q.slots {
		if s.flight == nil && s.at.Before(old) {
			delete(q.slots, post)
		}
	}
	for name, l := range q.lanes {
		idle := len(l.slots) == 0 || l.slots[len(l.slots)-1].at.Before(old)
		inFlight := slices.ContainsFunc(l.flights, func(f *flight) bool { return f.at.IsZero() || f.at.After(old) })
		if idle && !inFlight && l.until.Before(now) {
			delete(q.lanes, name)
		}
	}
}

// window returns the sliding window in which a rate allows burst posts. A sliding
// window satisfies both a platform that counts continuously and one that counts per
// fixed window.
func window(r platform.Rate) (length time.Duration, burst int) {
	burst = max(r.Burst, 1)
	return time.Duration(burst) * r.Every, burst
}

// earliest returns the first time at or after at when the lane has a free slot.
func (l *lane) earliest(at time.Time) time.Time {
	if at.Before(l.until) {
		at = l.until
	}
	if l.rate == (platform.Rate{}) {
		return at
	}
	length, burst := window(l.rate)
	for {
		first, end := l.after(at.Add(-length)), l.after(at)
		if end-first < burst {
			return at
		}
		at = l.slots[end-burst].at.Add(length)
	}
}

// free returns when the next post may be sent. If that depends on a post in flight,
// it returns the channel that its answer closes.
func (l *lane) free(now time.Time) (time.Time, <-chan struct{}) {
	if l.rate == (platform.Rate{}) {
		return l.until, nil
	}
	length, burst := window(l.rate)
	l.flights = slices.DeleteFunc(l.flights, func(f *flight) bool { return !f.at.IsZero() && !now.Before(f.at.Add(length)) })
	if len(l.flights) < burst {
		return l.until, nil
	}
	var times []time.Time
	var inFlight *flight
	for _, f := range l.flights {
		switch {
		case !f.at.IsZero():
			times = append(times, f.at)
		case inFlight == nil:
			inFlight = f
		}
	}
	excess := len(l.flights) - burst // This many plus one have to leave the window.
	if excess >= len(times) {
		return time.Time{}, inFlight.answered
	}
	slices.SortFunc(times, time.Time.Compare)
	if at := times[excess].Add(length); at.After(l.until) {
		return at, nil
	}
	return l.until, nil
}

// pushBack keeps the distance of the slots after one that has moved back.
func (l *lane) pushBack(moved *slot) {
	if l.rate == (platform.Rate{}) {
		return
	}
	length, burst := window(l.rate)
	for n := max(slices.Index(l.slots, moved), 0); n < len(l.slots); n++ {
		s := l.slots[n]
		if n > 0 && s.at.Before(l.slots[n-1].at) {
			s.at = l.slots[n-1].at
		}
		if n >= burst && s.at.Before(l.slots[n-burst].at.Add(length)) {
			s.at = l.slots[n-burst].at.Add(length)
		}
	}
}

// after returns the index of the first slot later than t.
func (l *lane) after(t time.Time) int {
	return sort.Search(len(l.slots), func(n int) bool { return l.slots[n].at.After(t) })
}

// add inserts a slot and removes those that have left the window.
func (l *lane) add(now time.Time, s *slot) {
	if l.rate == (platform.Rate{}) {
		return
	}
	length, _ := window(l.rate)
	l.slots = slices.Delete(l.slots, 0, l.after(now.Add(-length)))
	l.slots = slices.Insert(l.slots, l.after(s.at), s)
}
