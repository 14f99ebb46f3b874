package api

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// lean serves HTTP/2 calls that may wait. The server keeps a goroutine per call; here it only
// waits, so that its stack stays small. All other work, including routing, runs in goroutines
// that do not wait.
type lean struct{ next http.Handler }

func (s lean) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	over := s.begin(w, r)
	if over == nil {
		s.next.ServeHTTP(w, r)
		return
	}
	if panicked := <-over; panicked != nil {
		panic(panicked)
	}
}

// begin starts a call that may wait, and returns a channel that signals its end; nil for other
// calls. It is not inlined, so that its stack frame is free during the wait.
//
//go:noinline
func (s lean) begin(w http.ResponseWriter, r *http.Request) (over <-chan any) {
	if r.ProtoMajor == 1 || !strings.HasPrefix(r.URL.Path, "/v1/") || !strings.Contains(r.URL.RawQuery, "wait=") {
		return nil
	}
	c := &stream{ResponseWriter: w, over: make(chan any)}
	go c.serve(s.next, r)
	return c.over
}

// stream is the writer of such a call. No goroutine works for it during the wait: the event
// that ends the wait starts one.
type stream struct {
	http.ResponseWriter

	// over receives nil at the end of the call, or the value of a panic.
	over chan any

	mu    sync.Mutex
	x     *exchange // the call, while it waits
	timer *time.Timer
	deaf  func() bool // stops watching for the client's disconnect
}

// Unwrap supports [http.ResponseController].
func (c *stream) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// serve runs the call up to its end or its wait. The part after a wait needs neither headers
// nor URL nor body, so they are released.
func (c *stream) serve(next http.Handler, r *http.Request) {
	defer func() {
		if p := recover(); p != nil || !c.waits() {
			c.over <- p
			return
		}
		r.Header, r.URL, r.Body = nil, nil, http.NoBody
	}()
	next.ServeHTTP(c, r)
}

func (c *stream) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer != nil
}

// wait schedules the continuation of the call. The call must not be touched afterwards.
func (c *stream) wait(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = x
	c.timer = time.AfterFunc(time.Until(x.parked.until), c.wake)
	c.deaf = context.AfterFunc(x.r.Context(), c.wake)
	x.place.Notify(func(*bridge.Record, error) { c.wake() })
	x.s.sleepers.add(c)
	if x.s.draining.Err() != nil {
		c.rouse()
	}
}

// rouse ends the wait.
func (c *stream) rouse() { go c.wake() }

// wake ends the wait and the call.
func (c *stream) wake() {
	c.mu.Lock()
	x := c.x
	c.x = nil
	c.mu.Unlock()
	if x == nil {
		return // Another event was faster.
	}
	c.timer.Stop()
	c.deaf()
	x.s.sleepers.remove(c)
	x.run(x.resume)
	if x.aborted {
		c.over <- http.ErrAbortHandler
		return
	}
	c.over <- nil
}
