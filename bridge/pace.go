package bridge

import (
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

// lane is one queue: when its next turn is if nobody comes for a while, and the
// turns that are still ahead, earliest first.
type lane struct {
	next  time.Time
	ahead []time.Time
}

// enough is how many lanes are kept before those without a queue are dropped.
const enough = 1024

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
		at = near.earliest(now, pace.Channel)
		if t := all.earliest(now, pace.All); t.After(at) {
			at = t
		}
		near.take(now, at, pace.Channel)
		all.take(now, now, pace.All)
		p.turns[post] = at
	}
	for _, t := range near.ahead {
		if t.Before(at) && t.After(now) {
			before++
		}
	}
	return at, before
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
	if l := p.lanes[platform+" "+channel]; l != nil && l.next.Before(until) {
		l.next = until
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
		if l.next.Before(now) {
			delete(p.lanes, name)
		}
	}
}

// earliest is when the lane has room: the rate as a bucket that fills by one
// each r.Every and holds r.Burst.
func (l *lane) earliest(now time.Time, r Rate) time.Time {
	at := l.next.Add(-time.Duration(max(r.Burst, 1)-1) * r.Every)
	if at.Before(now) {
		return now
	}
	return at
}

func (l *lane) take(now, at time.Time, r Rate) {
	if at.After(l.next) {
		l.next = at
	}
	l.next = l.next.Add(r.Every)
	for len(l.ahead) > 0 && !l.ahead[0].After(now) {
		l.ahead = l.ahead[1:]
	}
	if at.After(now) {
		l.ahead = append(l.ahead, at)
	}
}
