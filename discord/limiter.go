package discord

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/askbridge/askbridge/internal/ratelimit"
	"github.com/askbridge/askbridge/platform"
)

// Discord blocks an IP address after 10,000 responses of 401, 403 or 429 within ten minutes
// (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
// These limits keep the bridge far below that.
const (
	// maxForbidden is the number of consecutive 403 responses before a bucket pauses, for
	// [ratelimit.RestTime].
	maxForbidden = 5
	// maxStrange is the failure budget per invalidWindow of places without a successful call.
	// When it is exhausted only places with a success are called, so that requests to invalid
	// places cannot block the others.
	maxStrange = 1000
	// maxInvalid is the total failure budget per window; when it is exhausted no calls are made
	// until the window ends. It is less than half of Discord's limit because two windows can
	// overlap.
	maxInvalid    = 4000
	invalidWindow = 10 * time.Minute
	// maxBlocked is the number of consecutive places rejected by Discord's edge, without a
	// Discord error body, before the whole connection counts as blocked. A single one may be
	// caused by a card's content.
	maxBlocked = 3
	// maxBuckets is the number of cached buckets.
	maxBuckets = 4096
)

// codeStrange is the code for a place blocked by the failure budget.
const codeStrange = "too many places refused us"

var (
	errNotAsked = errors.New("discord: not sent, discord asked to wait")
	errStrange  = errors.New("discord: not asked, since too many places refused us, and this one has never taken anything")
)

// allowed are Discord's limits: 50 requests per second globally
// (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit), and per channel
// the five messages in five seconds observed in its headers, plus a margin for latency. If the
// headers report less, the channel waits.
var allowed = platform.Pace{
	Channel: platform.Rate{Every: 1020 * time.Millisecond, Burst: 5},
	All:     platform.Rate{Every: 20 * time.Millisecond, Burst: 50},
}

// maxPlaces is the size of a cache of places.
const maxPlaces = 4096

// cache maps an id to another id, such as a thread to its channel.
type cache = lru.Cache[string, string]

func newCache() *cache {
	c, _ := lru.New[string, string](maxPlaces) // New fails only for a size below one.
	return c
}

// limiter is the rate-limit state of the connection.
type limiter struct {
	rest ratelimit.Rest[platform.Error] // after Discord rejected the token

	mu      sync.Mutex
	buckets map[call]*bucket
	// all is the end of a global pause.
	all time.Time

	// invalid counts failed responses, strange those of places outside good, the places with a
	// successful call.
	invalid, strange ratelimit.Window
	good             *cache
	// blocked are the buckets rejected by the edge since the last success.
	blocked map[string]bool
}

// bucket is the rate-limit state of one route in one channel.
type bucket struct {
	until time.Time
	quota
	// reset is when the quota is full again.
	reset time.Time
	// underway counts calls in flight; answered is closed when the next of them ends.
	underway int
	answered chan struct{}
	// forbidden counts consecutive refusals; last is the latest one.
	forbidden int
	last      *platform.Error
}

// quota is the rate limit in a response's headers; the zero value means none.
type quota struct {
	limit, left int
	reset       time.Duration // relative to the response
}

// full returns how long the quota is exhausted, 0 if calls remain.
func (q quota) full() time.Duration {
	if q.left > 0 {
		return 0
	}
	return q.reset
}

// enter waits until the call may be made, given the calls in flight that may use up the limit.
// It fails after callTimeout or when ctx ends. The caller must call leave.
func (g *limiter) enter(ctx context.Context, k call) error {
	var late <-chan time.Time
	for {
		ahead, err := g.admit(k, time.Now())
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
			return &platform.Error{
				Platform: Name, Op: k.op, Kind: platform.RateLimited, Code: codeLimited, RetryAfter: shortWait, Err: errNotAsked,
			}
		}
	}
}

// admit admits a call, or returns an error, or a channel that is closed when a call in flight
// ends.
func (g *limiter) admit(k call, now time.Time) (ahead <-chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.check(k, now); err != nil || !k.crowds() {
		return nil, err
	}
	l := g.bucket(k.shared(), now)
	if l.underway > 0 && l.underway >= l.room(now) {
		if l.answered == nil {
			l.answered = make(chan struct{})
		}
		return l.answered, nil
	}
	l.underway++
	return nil, nil
}

// leave ends a call admitted by enter.
func (g *limiter) leave(k call) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.buckets[k.shared()]
	if l == nil || l.underway == 0 {
		return // The call is not counted, or its bucket was evicted.
	}
	l.underway--
	if l.answered != nil {
		close(l.answered)
		l.answered = nil
	}
}

// crowds reports whether calls of this kind come in bursts per channel.
func (k call) crowds() bool { return k.op == opEdit || k.op == opPost }

// room returns the permitted number of concurrent calls, given the last response.
func (l *bucket) room(now time.Time) int {
	switch {
	case now.Before(l.reset):
		return l.left
	case l.limit > 0:
		return l.limit
	}
	return allowed.Channel.Burst
}

// learn applies a response's quota. Responses can arrive out of order: within a window the
// smallest remaining count is used.
func (l *bucket) learn(q quota, now time.Time) {
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

// check returns why a call may not be made. The caller holds the lock.
func (g *limiter) check(k call, now time.Time) error {
	again := func(e platform.Error) error {
		e.Op = k.op
		return &e
	}
	if refusal := g.rest.Blocked(now); refusal != nil && !k.probes() {
		return again(*refusal)
	}
	until := g.all
	for _, k := range []call{k, k.shared()} {
		l := g.buckets[k]
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
		return &platform.Error{
			Platform: Name, Op: k.op, Kind: platform.RateLimited, Code: codeLimited, RetryAfter: wait, Err: errNotAsked,
		}
	}
	if wait := g.strange.Full(maxStrange, now); wait > 0 && g.stranger(k) {
		return &platform.Error{
			Platform: Name, Op: k.op, Kind: platform.RateLimited, Code: codeStrange, RetryAfter: wait, Err: errStrange,
		}
	}
	return nil
}

// stranger reports whether the call's place never had a successful call.
func (g *limiter) stranger(k call) bool {
	_, known := g.good.Get(k.place)
	return k.place != "" && !known
}

// shared returns the bucket that also limits a call: opening conversations is limited across all
// people; messages with and without files count together.
func (k call) shared() call {
	if k.op == opDM {
		k.place = ""
	}
	k.files = false
	return k
}

// probes reports whether the call verifies the token, the only way to detect that it is valid
// again.
func (k call) probes() bool { return k.op == opApplication || k.op == opUser }

// failed records a refusal; r is nil if there was no response.
func (g *limiter) failed(k call, e *platform.Error, r *refusal, now time.Time) {
	if r == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		if g.stranger(k) {
			g.strange.Add(now)
		}
		g.invalid.Add(now)
		g.hold(now.Add(g.invalid.Full(maxInvalid, now)))
	}
	switch {
	case e.Kind == platform.RateLimited && r.global:
		g.hold(now.Add(e.RetryAfter))
	case e.Kind == platform.RateLimited:
		g.bucket(k.shared(), now).until = now.Add(e.RetryAfter)
	case r.status == http.StatusUnauthorized && !k.own():
		g.rest.Refused(e, now)
	case e.Kind == platform.Frozen: // That concerns one message, not the bucket.
	case r.status == http.StatusForbidden:
		if r.code == 0 {
			g.cloudflareBlock(k, e)
		}
		l := g.bucket(k, now)
		l.last = e
		if l.forbidden++; l.forbidden >= maxForbidden {
			l.until = now.Add(ratelimit.RestTime)
		}
	}
	if r.quota == (quota{}) {
		return
	}
	l := g.bucket(k.shared(), now) // Refused calls count against the quota too.
	l.learn(r.quota, now)
	if full := now.Add(r.full()); full.After(now) && full.After(l.until) {
		l.until = full
	}
}

// cloudflareBlock records a rejection without a Discord error body, by the edge. From enough places it
// pauses the whole connection.
func (g *limiter) cloudflareBlock(k call, e *platform.Error) {
	if g.blocked == nil {
		g.blocked = map[string]bool{}
	}
	if g.blocked[k.place] = true; len(g.blocked) >= maxBlocked {
		e.Kind = platform.Misconfigured
	}
}

// hold pauses all calls.
func (g *limiter) hold(until time.Time) {
	if until.After(g.all) {
		g.all = until
	}
}

// passed records a success and the remaining quota.
func (g *limiter) passed(k call, q quota, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !k.own() {
		g.rest.Accepted()
		g.blocked = nil
	}
	if k.place != "" {
		g.good.Add(k.place, k.place)
	}
	limited := k.shared()
	if k != limited {
		delete(g.buckets, k) // The bucket has had at most refusals.
	}
	l := g.buckets[limited]
	if l == nil && q == (quota{}) {
		return
	}
	l = g.bucket(limited, now)
	l.forbidden, l.last = 0, nil
	l.learn(q, now)
	// A response with remaining quota does not revoke an exhausted one.
	if full := now.Add(q.full()); full.After(l.until) {
		l.until = full
	}
}

// bucket returns the state of a bucket, evicting others if there are many.
func (g *limiter) bucket(k call, now time.Time) *bucket {
	if l := g.buckets[k]; l != nil {
		return l
	}
	if len(g.buckets) >= maxBuckets {
		for other, l := range g.buckets {
			if !l.until.After(now) && l.underway == 0 {
				delete(g.buckets, other)
			}
		}
		if len(g.buckets) >= maxBuckets {
			clear(g.buckets) // Discord's next responses restore the state.
		}
	}
	if g.buckets == nil {
		g.buckets = map[call]*bucket{}
	}
	l := &bucket{}
	g.buckets[k] = l
	return l
}

// tokenError returns nil unless the token was rejected.
func (g *limiter) tokenError() error {
	if refusal := g.rest.Refusal(); refusal != nil {
		return refusal
	}
	return nil
}
