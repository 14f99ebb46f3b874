package chatsim

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Fault is something that goes wrong on cue. Make one with the functions below; it happens once unless Times or
// Always says otherwise.
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

// RateLimit answers "too many requests, come back after this long" and does nothing.
func RateLimit(after time.Duration) Fault {
	return Fault{name: "rate limit", status: http.StatusTooManyRequests, retryAfter: after}
}

// Status answers with this HTTP status and does nothing.
func Status(code int) Fault { return Fault{name: "status", status: code} }

// Refuse answers with this error word of the platform and does nothing.
func Refuse(word string) Fault { return Fault{name: "refuse", word: word} }

// Hang never answers and does nothing; the caller's own timeout has to end the call.
func Hang() Fault { return Fault{name: "hang", hang: true} }

// LoseReply does what was asked and then cuts the connection, so that the caller never learns of it. For an
// interaction it means that the program's acknowledgement never arrives.
func LoseReply() Fault { return Fault{name: "lose reply", lose: true} }

// Delay waits this long and then goes on as usual.
func Delay(d time.Duration) Fault { return Fault{name: "delay", delay: d} }

// Drop loses an interaction on its way to the program.
func Drop() Fault { return Fault{name: "drop", drop: true} }

// Twice delivers an interaction two times at once.
func Twice() Fault { return Fault{name: "twice", twice: true} }

// Times makes the fault happen n times.
func (f Fault) Times(n int) Fault {
	f.times = n
	return f
}

// Always makes the fault happen until ClearFaults.
func (f Fault) Always() Fault {
	f.times = -1
	return f
}

// Name says what kind of fault it is.
func (f Fault) Name() string { return f.name }

// Status returns the HTTP status to answer with, and zero for none.
func (f Fault) Status() int { return f.status }

// RetryAfter returns how long a rate-limited caller is told to wait.
func (f Fault) RetryAfter() time.Duration { return f.retryAfter }

// Word returns the platform's error word to answer with, and "" for none.
func (f Fault) Word() string { return f.word }

// Delay returns how long to wait before going on.
func (f Fault) Delay() time.Duration { return f.delay }

// Hangs tells whether the call is never answered.
func (f Fault) Hangs() bool { return f.hang }

// LosesReply tells whether the connection is cut after the work.
func (f Fault) LosesReply() bool { return f.lose }

// Drops tells whether an interaction is lost on its way.
func (f Fault) Drops() bool { return f.drop }

// Doubles tells whether an interaction is delivered two times.
func (f Fault) Doubles() bool { return f.twice }

// Any is the target of a fault that hits whatever call comes next.
const Any = "*"

// Cues holds the faults that are waiting for their call. The zero value is empty and ready.
type Cues struct {
	mu      sync.Mutex
	waiting []cue
}

type cue struct {
	target string
	fault  Fault
}

// Add puts a fault behind those already waiting for this target.
func (c *Cues) Add(target string, f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.times == 0 {
		f.times = 1
	}
	c.waiting = append(c.waiting, cue{target, f})
}

// Take returns the fault for a call to target and uses it up. The zero Fault means that all goes well. The targets
// under are more general names of the same call, such as Any.
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

// Waiting names the faults that wait, each with its target.
func (c *Cues) Waiting() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []string{}
	for _, q := range c.waiting {
		out = append(out, q.fault.name+" at "+q.target)
	}
	return out
}

// Clear forgets all waiting faults.
func (c *Cues) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = nil
}
