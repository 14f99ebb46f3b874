package chatsim

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Fault is an injected failure. Create one with the functions below; it happens once unless
// Times or Always is used.
type Fault struct {
	name       string
	times      int
	status     int
	retryAfter time.Duration
	word       string
	delay      time.Duration
	hang       bool
	lose       bool
	drop       bool
	twice      bool
}

// RateLimit rejects the call as rate limited, with this retry delay.
func RateLimit(after time.Duration) Fault {
	return Fault{name: "rate limit", status: http.StatusTooManyRequests, retryAfter: after}
}

// Status responds with an HTTP status without executing the call.
func Status(code int) Fault { return Fault{name: "status", status: code} }

// Refuse responds with one of the platform's error codes without executing the call.
func Refuse(word string) Fault { return Fault{name: "refuse", word: word} }

// Hang never responds and does not execute the call; the caller's timeout ends it.
func Hang() Fault { return Fault{name: "hang", hang: true} }

// LoseReply executes the call and then closes the connection without a response. For an
// interaction it loses the program's acknowledgement.
func LoseReply() Fault { return Fault{name: "lose reply", lose: true} }

// Delay delays the call and then executes it.
func Delay(d time.Duration) Fault { return Fault{name: "delay", delay: d} }

// Drop loses an interaction on its way to the program.
func Drop() Fault { return Fault{name: "drop", drop: true} }

// Twice delivers an interaction twice concurrently.
func Twice() Fault { return Fault{name: "twice", twice: true} }

// Times repeats the fault n times.
func (f Fault) Times(n int) Fault {
	f.times = n
	return f
}

// Always repeats the fault until ClearFaults.
func (f Fault) Always() Fault {
	f.times = -1
	return f
}

// Name returns the kind of fault.
func (f Fault) Name() string { return f.name }

// Status returns the HTTP status to respond with, or zero.
func (f Fault) Status() int { return f.status }

// RetryAfter returns the retry delay of a rate limit.
func (f Fault) RetryAfter() time.Duration { return f.retryAfter }

// Word returns the error code to respond with, or "".
func (f Fault) Word() string { return f.word }

// Delay returns the delay before the call is executed.
func (f Fault) Delay() time.Duration { return f.delay }

// Hangs reports whether the call never gets a response.
func (f Fault) Hangs() bool { return f.hang }

// LosesReply reports whether the connection is closed after the call was executed.
func (f Fault) LosesReply() bool { return f.lose }

// Drops reports whether an interaction is lost on its way.
func (f Fault) Drops() bool { return f.drop }

// Doubles reports whether an interaction is delivered twice.
func (f Fault) Doubles() bool { return f.twice }

// Any is the target of a fault that applies to the next call of any kind.
const Any = "*"

// Cues holds the pending faults. The zero value is empty and ready to use.
type Cues struct {
	mu      sync.Mutex
	waiting []cue
}

type cue struct {
	target string
	fault  Fault
}

// Add queues a fault for a target.
func (c *Cues) Add(target string, f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.times == 0 {
		f.times = 1
	}
	c.waiting = append(c.waiting, cue{target, f})
}

// Take removes and returns the next fault for a call to target, or for one of the more general
// names in under, such as Any. The zero Fault means none.
func (c *Cues) Take(target string, under ...string) Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.waiting, func(q cue) bool { return q.target == target || slices.Contains(under, q.target) })
	if i < 0 {
		return Fault{}
	}
	f := c.waiting[i].fault
	if f.times > 0 {
		if c.waiting[i].fault.times--; c.waiting[i].fault.times == 0 {
			c.waiting = slices.Delete(c.waiting, i, i+1)
		}
	}
	return f
}

// Waiting lists the pending faults with their targets.
func (c *Cues) Waiting() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []string{}
	for _, q := range c.waiting {
		out = append(out, q.fault.name+" at "+q.target)
	}
	return out
}

// Clear removes all pending faults.
func (c *Cues) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = nil
}
