package bridge

import (
	"slices"
	"sort"
	"sync"
	"time"
)

// Rate is how often something may be done: once in Every, after Burst times at
// once. The zero value is no limit.
type Rate struct {
	Every time.Duration
	Burst int
}

// Pace is how fast a platform takes new cards.
type Pace struct {
	// Channel holds for each channel on its own, All for the whole connection.
	Channel, All Rate
}

// Pacer is a Platform that says how fast it takes new cards, so that a burst of
// requests queues here and is not refused there.
type Pacer interface {
	Pace() Pace
}

// pacer gives every post its turn. Turns are given once and kept until the post
// was tried, however often it asks.
type pacer struct {
	mu    sync.Mutex
	lanes map[string]*lane
	turns map[string]time.Time
}

// lane is one queue: the turns of the last window and those ahead, earliest
// first, and the time before which the platform wants no more.
type lane struct {
	turns []time.Time
	until time.Time
}

// enough is how many lanes are kept before those without a queue are dropped.
const enough = 1024

// forgotten is longer than any rate looks back.
const forgotten = time.Minute

// turn returns when the post may be tried, and how many are before it in its
// channel's queue. Post names the post, platform and channel its lanes.
func (p *pacer) turn(now time.Time, pace Pace, platform, channel, post string) (at time.Time, before int) {
	if pace == (Pace{}) {
		return now, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lanes == nil {
		p.lanes, p.turns = map[string]*lane{}, map[string]time.Time{}
	}
	if len(p.lanes) > enough {
		p.prune(now)
	}
	near, all := p.lane(platform+" "+channel), p.lane(platform)
	at, known := p.turns[post]
	if !known {
		at = now
		if n := len(near.turns); n > 0 && near.turns[n-1].After(at) {
			at = near.turns[n-1]
		}
		at = all.room(near.room(at, pace.Channel), pace.All)
		near.take(now, at, pace.Channel)
		all.take(now, at, pace.All)
		p.turns[post] = at
	}
	return at, max(near.after(at.Add(-1))-near.after(now), 0)
}

// done forgets the turn of a post that was tried.
func (p *pacer) done(post string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.turns, post)
}

// hold keeps new turns of a channel away until a time, because the platform
// asked for patience.
func (p *pacer) hold(platform, channel string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.lanes[platform+" "+channel]; l != nil && l.until.Before(until) {
		l.until = until
	}
}

func (p *pacer) lane(name string) *lane {
	l := p.lanes[name]
	if l == nil {
		l = &lane{}
		p.lanes[name] = l
	}
	return l
}

func (p *pacer) prune(now time.Time) {
	for name, l := range p.lanes {
		if n := len(l.turns); l.until.Before(now) && (n == 0 || l.turns[n-1].Before(now.Add(-forgotten))) {
			delete(p.lanes, name)
		}
	}
}

// window is the time in which there may be r.Burst turns and no more. It keeps to
// a platform that counts steadily and to one that counts anew in each window.
func (r Rate) window() (time.Duration, int) {
	burst := max(r.Burst, 1)
	return time.Duration(burst) * r.Every, burst
}

// room is the first moment, not before at, when the lane has a turn to give.
func (l *lane) room(at time.Time, r Rate) time.Time {
	if at.Before(l.until) {
		at = l.until
	}
	if r == (Rate{}) {
		return at
	}
	window, burst := r.window()
	for {
		first, behind := l.after(at.Add(-window)), l.after(at)
		if behind-first < burst {
			return at
		}
		at = l.turns[behind-burst].Add(window)
	}
}

// after is the index of the first turn later than t.
func (l *lane) after(t time.Time) int {
	return sort.Search(len(l.turns), func(n int) bool { return l.turns[n].After(t) })
}

// take gives a turn, and forgets those that no window holds any more.
func (l *lane) take(now, at time.Time, r Rate) {
	if r == (Rate{}) {
		return
	}
	window, _ := r.window()
	l.turns = slices.Delete(l.turns, 0, l.after(now.Add(-window)))
	l.turns = slices.Insert(l.turns, l.after(at), at)
}
