package ratelimit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Take takes a token from a bucket and returns zero, or returns how long until there is one.
func Take(l *rate.Limiter) (retryAfter time.Duration) {
	r := l.Reserve()
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait
}

// RestTime is the pause after a platform refused our credentials: at most four attempts per minute, regardless of the
// number of waiting calls, which is far from what gets an address blocked
// (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
const RestTime = 15 * time.Second

// Rest pauses calls after a platform refused our credentials, until it accepts them again. The zero value is ready to use,
// by concurrent callers.
type Rest[E any] struct {
	mu      sync.Mutex
	refusal *E
	until   time.Time
	over    chan struct{}
}

// Refused begins or prolongs the rest. It reports whether the credentials were accepted before.
func (r *Rest[E]) Refused(refusal *E, now time.Time) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first = r.refusal == nil; first {
		r.over = make(chan struct{})
	}
	r.refusal, r.until = refusal, now.Add(RestTime)
	return first
}

// Accepted ends the rest.
func (r *Rest[E]) Accepted() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusal != nil {
		r.refusal = nil
		close(r.over)
	}
}

// Refusal returns the last refusal of the credentials, or nil if they are valid as far as known.
func (r *Rest[E]) Refusal() *E {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusal
}

// Blocked returns the last refusal while calls rest, else nil.
func (r *Rest[E]) Blocked(now time.Time) *E {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Before(r.until) {
		return r.refusal
	}
	return nil
}

// Try is Blocked for a call that is made at once: after each rest only one call passes.
func (r *Rest[E]) Try(now time.Time) *E {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusal == nil {
		return nil
	}
	if now.Before(r.until) {
		return r.refusal
	}
	r.until = now.Add(RestTime)
	return nil
}

// Over returns a channel that is closed when the credentials are accepted again, or nil if they are.
func (r *Rest[E]) Over() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusal == nil {
		return nil
	}
	return r.over
}

// Window counts events in consecutive windows of time. It is not safe for concurrent use.
type Window struct {
	// Length is that of a window, which begins with the first event after the previous one.
	Length time.Duration

	since time.Time
	n     int
}

// Add counts an event, and returns the number of events in the current window.
func (w *Window) Add(now time.Time) int {
	if now.Sub(w.since) >= w.Length {
		w.since, w.n = now, 0
	}
	w.n++
	return w.n
}

// Full returns the time that is left of the window if it has at least limit events, else zero.
func (w *Window) Full(limit int, now time.Time) time.Duration {
	if w.n < limit {
		return 0
	}
	return max(w.since.Add(w.Length).Sub(now), 0)
}
