package bridge

import (
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/askbridge/askbridge/platform"
)

// pacer gives every post its turn. A turn is given once and kept until the post
// has left, however often it asks; it moves back while what left before has not
// been answered long enough ago.
type pacer struct {
	mu    sync.Mutex
	lanes map[string]*lane
	turns map[string]*turn // by post
	// pruned is when the old ones were dropped the last time.
	pruned time.Time
}

// turn is when a post may leave, and which lanes it takes: its channel's and its
// platform's.
type turn struct {
	at        time.Time
	near, all *lane
	trip      *trip // nil before it has left
}

// trip is a post on its way. It arrives no later than its answer does, and
// nobody here knows when else: so the answer's time is what the platform's limit
// is kept by.
type trip struct {
	answered chan struct{} // closed by the answer
	at       time.Time     // when it came; zero before
}

// lane is one queue: the turns of the last window and those ahead, earliest
// first, the posts that left and still count, and the time before which the
// platform wants no more.
type lane struct {
	rate  platform.Rate
	turns []*turn
	trips []*trip
	until time.Time
}

// enough is how many lanes and turns are kept before the old ones are dropped.
const enough = 1024

// forgotten is longer than any rate looks back.
const forgotten = time.Minute

// turn returns when the post may be tried, and how many are before it in its
// channel's queue. Post names the post, platform and channel its lanes.
func (p *pacer) turn(now time.Time, pace platform.Pace, name, channel, post string) (at time.Time, before int) {
	if pace == (platform.Pace{}) {
		return now, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lanes == nil {
		p.lanes, p.turns = map[string]*lane{}, map[string]*turn{}
	}
	if len(p.lanes)+len(p.turns) > enough && now.Sub(p.pruned) > time.Second {
		p.prune(now)
	}
	t := p.turns[post]
	if t == nil {
		t = &turn{at: now, near: p.lane(name+" "+channel, pace.Channel), all: p.lane(name, pace.All)}
		if n := len(t.near.turns); n > 0 && t.near.turns[n-1].at.After(t.at) {
			t.at = t.near.turns[n-1].at
		}
		t.at = t.all.room(t.near.room(t.at))
		t.near.take(now, t)
		t.all.take(now, t)
		p.turns[post] = t
	}
	return t.at, max(t.near.after(t.at.Add(-1))-t.near.after(now), 0)
}

// leave takes note that the post leaves now, unless its lanes have no room yet.
// Then its turn has moved back, or there is a post ahead whose answer has to come
// first.
func (p *pacer) leave(now time.Time, post string) (gone bool, ahead <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turns[post]
	if t == nil {
		return true, nil // Nothing limits it.
	}
	at := now
	for _, l := range []*lane{t.near, t.all} {
		free, ahead := l.free(now)
		if ahead != nil {
			return false, ahead
		}
		if free.After(at) {
			at = free
		}
	}
	if at.After(now) {
		t.at = at
		t.near.pushBack(t)
		slices.SortStableFunc(t.all.turns, func(a, b *turn) int { return a.at.Compare(b.at) })
		return false, nil
	}
	t.trip = &trip{answered: make(chan struct{})}
	for _, l := range []*lane{t.near, t.all} {
		if l.rate != (platform.Rate{}) {
			l.trips = append(l.trips, t.trip)
		}
	}
	return true, nil
}

// answered takes note that the platform has answered a post that left.
func (p *pacer) answered(now time.Time, post string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turns[post]
	if t == nil || t.trip == nil {
		return
	}
	t.trip.at = now
	close(t.trip.answered)
	delete(p.turns, post)
}

// drop gives back the turn of a post that is not made any more, to those who come next.
func (p *pacer) drop(post string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turns[post]
	if t == nil || t.trip != nil {
		return
	}
	delete(p.turns, post)
	for _, l := range []*lane{t.near, t.all} {
		l.turns = slices.DeleteFunc(l.turns, func(other *turn) bool { return other == t })
	}
}

// hold keeps the posts of a channel away until a time, because the platform
// asked for patience.
func (p *pacer) hold(name, channel string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.lanes[name+" "+channel]; l != nil && l.until.Before(until) {
		l.until = until
	}
}

func (p *pacer) lane(name string, rate platform.Rate) *lane {
	l := p.lanes[name]
	if l == nil {
		l = &lane{rate: rate}
		p.lanes[name] = l
	}
	return l
}

// prune forgets lanes without a queue, and the turns of posts that were never
// made.
func (p *pacer) prune(now time.Time) {
	p.pruned = now
	old := now.Add(-forgotten)
	for post, t := range p.turns {
		if t.trip == nil && t.at.Before(old) {
			delete(p.turns, post)
		}
	}
	for name, l := range p.lanes {
		idle := len(l.turns) == 0 || l.turns[len(l.turns)-1].at.Before(old)
		under := slices.ContainsFunc(l.trips, func(t *trip) bool { return t.at.IsZero() || t.at.After(old) })
		if idle && !under && l.until.Before(now) {
			delete(p.lanes, name)
		}
	}
}

// window is the time in which there may be r.Burst turns and no more. It keeps to
// a platform that counts steadily and to one that counts anew in each window.
func window(r platform.Rate) (time.Duration, int) {
	burst := max(r.Burst, 1)
	return time.Duration(burst) * r.Every, burst
}

// room is the first moment, not before at, when the lane has a turn to give.
func (l *lane) room(at time.Time) time.Time {
	if at.Before(l.until) {
		at = l.until
	}
	if l.rate == (platform.Rate{}) {
		return at
	}
	window, burst := window(l.rate)
	for {
		first, behind := l.after(at.Add(-window)), l.after(at)
		if behind-first < burst {
			return at
		}
		at = l.turns[behind-burst].at.Add(window)
	}
}

// free is when the next post may leave. Where that depends on one that is still
// on its way, it returns what its answer closes.
func (l *lane) free(now time.Time) (time.Time, <-chan struct{}) {
	if l.rate == (platform.Rate{}) {
		return l.until, nil
	}
	window, burst := window(l.rate)
	l.trips = slices.DeleteFunc(l.trips, func(t *trip) bool { return !t.at.IsZero() && !now.Before(t.at.Add(window)) })
	if len(l.trips) < burst {
		return l.until, nil
	}
	var times []time.Time
	var under *trip
	for _, t := range l.trips {
		switch {
		case !t.at.IsZero():
			times = append(times, t.at)
		case under == nil:
			under = t
		}
	}
	over := len(l.trips) - burst // So many more than one have to be over.
	if over >= len(times) {
		return time.Time{}, under.answered
	}
	slices.SortFunc(times, time.Time.Compare)
	if at := times[over].Add(window); at.After(l.until) {
		return at, nil
	}
	return l.until, nil
}

// pushBack keeps the turns behind one that has moved back at their distance.
func (l *lane) pushBack(moved *turn) {
	if l.rate == (platform.Rate{}) {
		return
	}
	window, burst := window(l.rate)
	for n := max(slices.Index(l.turns, moved), 0); n < len(l.turns); n++ {
		t := l.turns[n]
		if n > 0 && t.at.Before(l.turns[n-1].at) {
			t.at = l.turns[n-1].at
		}
		if n >= burst && t.at.Before(l.turns[n-burst].at.Add(window)) {
			t.at = l.turns[n-burst].at.Add(window)
		}
	}
}

// after is the index of the first turn later than t.
func (l *lane) after(t time.Time) int {
	return sort.Search(len(l.turns), func(n int) bool { return l.turns[n].at.After(t) })
}

// take gives a turn, and forgets those that no window holds any more.
func (l *lane) take(now time.Time, t *turn) {
	if l.rate == (platform.Rate{}) {
		return
	}
	window, _ := window(l.rate)
	l.turns = slices.Delete(l.turns, 0, l.after(now.Add(-window)))
	l.turns = slices.Insert(l.turns, l.after(t.at), t)
}
