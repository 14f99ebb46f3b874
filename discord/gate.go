package discord

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// Discord blocks an address after 10,000 replies of 401, 403 or 429 in ten
// minutes
// (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans),
// and nobody wants to come near that.
const (
	// restAfterRefusal is how long no call is made after Discord said that the
	// token is no good, and none in a lane that was forbidden again and again: at
	// most four tries a minute, however many cards wait.
	restAfterRefusal = 15 * time.Second
	// maxForbidden is how many times in a row a lane may be forbidden before that.
	maxForbidden = 5
	// maxStrange is how many such replies places may cost in invalidWindow that
	// have never taken anything from us; after that only those are called that
	// have, so that whoever names places in vain holds up nobody else.
	maxStrange = 1000
	// maxInvalid is how many there may be in all; after that nothing is called
	// until the window is over. Two windows meet, so it is less than half.
	maxInvalid    = 4000
	invalidWindow = 10 * time.Minute
	// maxWalls is in how many places in a row Discord's edge may say no,
	// without a word of Discord's own, until it counts as a no to all of us. A
	// single one may be about what a card says.
	maxWalls = 3
	// maxLanes is how many lanes are remembered at once.
	maxLanes = 4096
)

// codeStrange is the code of a place that has to wait for others' sake.
const codeStrange = "too many places refused us"

var (
	errNotAsked = errors.New("discord: not asked, since discord said to wait")
	errStrange  = errors.New("discord: not asked, since too many places refused us, and this one has never taken anything")
)

// gate remembers what Discord asked for.
type gate struct {
	mu    sync.Mutex
	lanes map[call]*lane
	// all is the time before which nothing may be called.
	all time.Time
	// refusal is the last word about our token, and nil while it is good; nothing
	// is called before closed.
	refusal *bridge.PlatformError
	closed  time.Time
	// mended is closed when the token is taken again.
	mended chan struct{}

	// invalid counts replies since the window's begin, strange those of places
	// that are not among the good ones, which have taken something.
	invalid, strange int
	since            time.Time
	good             *places
	// walls are the lanes in which the edge said no since anything went well.
	walls map[string]bool
}

// lane is what was asked for in one lane.
type lane struct {
	until time.Time
	quota
	// reset is when the quota is whole again.
	reset time.Time
	// underway counts calls on their way, and answered is closed when the next of them ends.
	underway int
	answered chan struct{}
	// forbidden counts refusals in a row; last is the newest of them.
	forbidden int
	last      *bridge.PlatformError
}

// quota is what a reply says of its route's limit; the zero value says nothing.
type quota struct {
	limit, left int
	reset       time.Duration // from the reply on
}

// full reports how long nothing more is taken, 0 when there is room.
func (q quota) full() time.Duration {
	if q.left > 0 {
		return 0
	}
	return q.reset
}

// enter waits until the call may leave, while those ahead of it on their way may use the
// lane's limit up. After callTimeout, or when ctx is over, it is not to be made. Whoever entered leaves.
func (g *gate) enter(ctx context.Context, k call) error {
	var late <-chan time.Time
	for {
		ahead, err := g.seat(k, time.Now())
		if ahead == nil {
			return err
		}
		if late == nil {
			late = time.After(callTimeout)
		}
		select {
		case <-ahead:
		case <-ctx.Done():
			return classify(k, nil, ctx.Err(), false)
		case <-late:
			return &bridge.PlatformError{
				Platform: Name, Op: k.op, Kind: bridge.RateLimited, Code: codeLimited, RetryAfter: shortWait, Err: errNotAsked,
			}
		}
	}
}

// seat has a call leave, or returns why not, or what the end of one ahead closes.
func (g *gate) seat(k call, now time.Time) (ahead <-chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.check(k, now); err != nil || !k.crowds() {
		return nil, err
	}
	l := g.lane(k.shared(), now)
	if l.underway > 0 && l.underway >= l.room(now) {
		if l.answered == nil {
			l.answered = make(chan struct{})
		}
		return l.answered, nil
	}
	l.underway++
	return nil, nil
}

// leave takes note that a call which entered has ended.
func (g *gate) leave(k call) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lanes[k.shared()]
	if l == nil || l.underway == 0 {
		return // It is not of those that are counted, or its lane is forgotten.
	}
	l.underway--
	if l.answered != nil {
		close(l.answered)
		l.answered = nil
	}
}

// crowds reports whether many calls of the kind become due in a channel at once.
func (k call) crowds() bool { return k.op == opEdit || k.op == opPost }

// room is how many calls may be on their way together, as far as Discord has said.
func (l *lane) room(now time.Time) int {
	switch {
	case now.Before(l.reset):
		return l.left
	case l.limit > 0:
		return l.limit
	}
	return allowed.Channel.Burst
}

// learn takes over what a reply says. Replies overtake each other: within a window the least that
// is left counts.
func (l *lane) learn(q quota, now time.Time) {
	if q == (quota{}) {
		return
	}
	if now.Before(l.reset) {
		q.left = min(q.left, l.left)
	} else {
		l.reset = now.Add(q.reset)
	}
	l.quota = q
}

// check returns why a call may not leave; g is locked.
func (g *gate) check(k call, now time.Time) error {
	again := func(e bridge.PlatformError) error {
		e.Op = k.op
		return &e
	}
	if g.refusal != nil && now.Before(g.closed) && !k.probes() {
		return again(*g.refusal)
	}
	until := g.all
	for _, k := range []call{k, k.shared()} {
		l := g.lanes[k]
		if l == nil {
			continue
		}
		if l.last != nil && l.forbidden >= maxForbidden && now.Before(l.until) {
			return again(*l.last)
		}
		if l.until.After(until) {
			until = l.until
		}
	}
	if wait := until.Sub(now); wait > 0 {
		return &bridge.PlatformError{
			Platform: Name, Op: k.op, Kind: bridge.RateLimited, Code: codeLimited, RetryAfter: wait, Err: errNotAsked,
		}
	}
	if wait := g.since.Add(invalidWindow).Sub(now); wait > 0 && g.strange >= maxStrange && g.stranger(k) {
		return &bridge.PlatformError{
			Platform: Name, Op: k.op, Kind: bridge.RateLimited, Code: codeStrange, RetryAfter: wait, Err: errStrange,
		}
	}
	return nil
}

// stranger reports whether the call is to a place that has never taken anything.
func (g *gate) stranger(k call) bool {
	_, known := g.good.Get(k.lane)
	return k.lane != "" && !known
}

// shared is the lane that limits a call beside its own: conversations are opened
// one person at a time, and limited over all of them; messages count alike with
// files and without.
func (k call) shared() call {
	if k.op == opDM {
		k.lane = ""
	}
	k.files = false
	return k
}

// probes reports whether the call asks whether the token is good, which is the
// only way to learn that it is good again.
func (k call) probes() bool { return k.op == opApplication || k.op == opUser }

// failed takes note of a refusal; r is nil when there was no reply.
func (g *gate) failed(k call, e *bridge.PlatformError, r *refusal, now time.Time) {
	if r == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		if now.Sub(g.since) >= invalidWindow {
			g.since, g.invalid, g.strange = now, 0, 0
		}
		if g.stranger(k) {
			g.strange++
		}
		if g.invalid++; g.invalid >= maxInvalid {
			g.hold(g.since.Add(invalidWindow))
		}
	}
	switch {
	case e.Kind == bridge.RateLimited && r.global:
		g.hold(now.Add(e.RetryAfter))
	case e.Kind == bridge.RateLimited:
		g.lane(k.shared(), now).until = now.Add(e.RetryAfter)
	case r.status == http.StatusUnauthorized && !k.own():
		if g.refusal == nil {
			g.mended = make(chan struct{})
		}
		g.refusal, g.closed = e, now.Add(restAfterRefusal)
	case e.Kind == bridge.Frozen: // That is about one message, and says nothing of the lane.
	case r.status == http.StatusForbidden:
		if r.code == 0 {
			g.wall(k, e)
		}
		l := g.lane(k, now)
		l.last = e
		if l.forbidden++; l.forbidden >= maxForbidden {
			l.until = now.Add(restAfterRefusal)
		}
	}
	if r.quota == (quota{}) {
		return
	}
	l := g.lane(k.shared(), now) // What is refused counts, too.
	l.learn(r.quota, now)
	if full := now.Add(r.full()); full.After(now) && full.After(l.until) {
		l.until = full
	}
}

// wall takes note of a no without a word of Discord's own. From enough places it
// is a no to the whole connection.
func (g *gate) wall(k call, e *bridge.PlatformError) {
	if g.walls == nil {
		g.walls = map[string]bool{}
	}
	if g.walls[k.lane] = true; len(g.walls) >= maxWalls {
		e.Kind = bridge.Misconfigured
	}
}

// hold puts off every call.
func (g *gate) hold(until time.Time) {
	if until.After(g.all) {
		g.all = until
	}
}

// passed takes note of a success, after which the lane may have no room for a while.
func (g *gate) passed(k call, q quota, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusal != nil && !k.own() {
		g.refusal = nil
		close(g.mended)
	}
	if !k.own() {
		g.walls = nil
	}
	if k.lane != "" {
		g.good.Add(k.lane, k.lane)
	}
	limited := k.shared()
	if k != limited {
		delete(g.lanes, k) // It has been refused, if anything.
	}
	l := g.lanes[limited]
	if l == nil && q == (quota{}) {
		return
	}
	l = g.lane(limited, now)
	l.forbidden, l.last = 0, nil
	l.learn(q, now)
	// One that says there is room does not take back one that said there was none.
	if full := now.Add(q.full()); full.After(l.until) {
		l.until = full
	}
}

// lane returns what is known of a lane, and forgets others if there are many.
func (g *gate) lane(k call, now time.Time) *lane {
	if l := g.lanes[k]; l != nil {
		return l
	}
	if len(g.lanes) >= maxLanes {
		for other, l := range g.lanes {
			if !l.until.After(now) && l.underway == 0 {
				delete(g.lanes, other)
			}
		}
		if len(g.lanes) >= maxLanes {
			clear(g.lanes) // Discord says it again.
		}
	}
	if g.lanes == nil {
		g.lanes = map[call]*lane{}
	}
	l := &lane{}
	g.lanes[k] = l
	return l
}

// taken is nil while the token is good, as far as we know, and else closed when
// Discord takes it again.
func (g *gate) taken() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusal == nil {
		return nil
	}
	return g.mended
}

// standing is nil while the token is good, as far as we know.
func (g *gate) standing() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusal == nil {
		return nil
	}
	return g.refusal
}
