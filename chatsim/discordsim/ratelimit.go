package discordsim

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// limit is the rate limit of a route, per channel or webhook. Discord publishes no numbers;
// these resemble its response headers.
// https://docs.discord.com/developers/topics/rate-limits#rate-limits
type limit struct {
	uses int
	per  time.Duration
}

var (
	limitMessages = limit{5, 5 * time.Second}
	limitReads    = limit{50, time.Second}
)

// bucket is the rate-limit state of one route on one channel or webhook.
type bucket struct {
	left  int
	reset time.Time
}

// throttle counts a call, sets the rate limit headers, and rejects the call if the bucket is
// empty.
func (s *Server) throttle(w http.ResponseWriter, c *call) *apiError {
	now := s.clock.Now()
	if !c.route.open { // Callbacks and interaction webhooks do not count against the bot's limit.
		s.global = recent(s.global, now, time.Second)
		if len(s.global) >= globalPerSecond && !s.opts.Unlimited {
			return rateLimited(time.Second-now.Sub(s.global[0]), "global")
		}
		s.global = append(s.global, now)
	}
	most := c.route.limit
	if most.uses == 0 {
		return nil
	}
	key := c.route.name + " " + c.params["channel"] + c.params["token"]
	b := s.buckets[key]
	if b == nil || !now.Before(b.reset) {
		b = &bucket{left: most.uses, reset: now.Add(most.per)}
		s.buckets[key] = b
	}
	empty := b.left == 0 && !s.opts.Unlimited
	b.left = max(0, b.left-1)
	left := b.left
	if s.opts.Unlimited {
		left = most.uses
	}
	after := b.reset.Sub(now)
	h := w.Header()
	h.Set("X-RateLimit-Limit", strconv.Itoa(most.uses))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	h.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(b.reset.UnixMilli())/1000))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", after.Seconds()))
	h.Set("X-RateLimit-Bucket", bucketName(c.route.name))
	if empty {
		return rateLimited(after, "user")
	}
	return nil
}

// bucketName returns the opaque, stable bucket id of the response header.
func bucketName(route string) string {
	h := fnv.New128a()
	_, _ = h.Write([]byte(route)) // Hash writes never fail.
	return fmt.Sprintf("%x", h.Sum(nil))
}

// countInvalid counts the responses for which Discord would block an IP address, and warns
// early.
func (s *Server) countInvalid(where string, e *apiError) {
	switch {
	case e.status == http.StatusUnauthorized, e.status == http.StatusForbidden:
	case e.status == http.StatusTooManyRequests && e.scope != "shared":
	default:
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	s.invalid = append(recent(s.invalid, now, invalidWindow), now)
	if len(s.invalid) == invalidAlarm {
		s.violate(ruleInvalid, where, "%d requests in ten minutes were answered with 401, 403 or 429", len(s.invalid))
	}
}

// recent removes times older than the window.
func recent(times []time.Time, now time.Time, window time.Duration) []time.Time {
	return slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at) >= window })
}

// wholeSeconds rounds up because Retry-After is in whole seconds.
func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int((d + time.Second - 1) / time.Second))
}
