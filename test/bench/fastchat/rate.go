package fastchat

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Rate is what one channel takes: Burst posts in each window of that length,
// which begins with the first of them. {1, time.Second} is the strict reading of
// Slack's one message a second
// (https://docs.slack.dev/apis/web-api/rate-limits); {5, 5 * time.Second} is
// what Discord's headers were seen to say.
type Rate struct {
	Burst  int
	Window time.Duration
}

// bucket is one channel's window.
type bucket struct {
	began time.Time
	used  int
}

// room takes a place in the channel's window, or says how long there is none.
func (s *Server) room(channel string, now time.Time) time.Duration {
	if s.opts.Rate.Burst == 0 {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.lanes[channel]
	if b == nil {
		b = &bucket{}
		s.lanes[channel] = b
	}
	if now.Sub(b.began) >= s.opts.Rate.Window {
		*b = bucket{began: now}
	}
	if b.used >= s.opts.Rate.Burst {
		s.refused.Add(1)
		return b.began.Add(s.opts.Rate.Window).Sub(now)
	}
	b.used++
	return 0
}

// headers tell Discord's side of it
// (https://docs.discord.com/developers/topics/rate-limits#header-format).
func (s *Server) headers(w http.ResponseWriter, channel string, now time.Time) {
	if s.opts.Rate.Burst == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.lanes[channel]
	h := w.Header()
	h.Set("X-Ratelimit-Limit", strconv.Itoa(s.opts.Rate.Burst))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(s.opts.Rate.Burst-b.used))
	// Rounded up: whoever waits for that long is not too early.
	left := b.began.Add(s.opts.Rate.Window).Sub(now) + time.Millisecond
	h.Set("X-Ratelimit-Reset-After", fmt.Sprintf("%.3f", left.Truncate(time.Millisecond).Seconds()))
	h.Set("X-Ratelimit-Bucket", "bench-"+channel)
}
