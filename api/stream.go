package api

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/askbridge/bridge"
)

// lean serves calls over HTTP/2 that may wait. The server keeps a goroutine
// for each until its end; here that goroutine does nothing else, so that its
// stack stays as small as it began. All work, finding the route included, is
// done by goroutines that do not wait.
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

// begin starts a call that may wait, and returns what tells of its end; nil for other calls.
// It is not inlined: what it needs of the stack is free again during the wait.
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

// stream is the writer of such a call. While the call waits nobody works for it:
// whatever ends the wait brings its own goroutine.
type stream struct {
	http.ResponseWriter

	// over gets nothing at the end of the call, or what it panicked with.
	over chan any

	mu    sync.Mutex
	x     *exchange // the call, while it waits
	timer *time.Timer
	deaf  func() bool // ends listening whether the client goes away
}

// Unwrap is for [http.ResponseController].
func (c *stream) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// serve goes the call's way to its end or until it waits. What follows a wait reads neither headers nor address nor
// body, so they are not kept for it.
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

// wait sees to it that the call goes on in time. It must not be touched
// afterwards.
func (c *stream) wait(x *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = x
	c.timer = time.AfterFunc(time.Until(x.parked.until), c.wake)
	c.deaf = context.AfterFunc(x.r.Context(), c.wake)
	x.place.Notify(func(*bridge.Record, error) { c.wake() })
	x.h.sleepers.add(c)
	if x.h.draining.Err() != nil {
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
		return // Something else was quicker.
	}
	c.timer.Stop()
	c.deaf()
	x.h.sleepers.remove(c)
	x.run(x.resume)
	if x.aborted {
		c.over <- http.ErrAbortHandler
		return
	}
	c.over <- nil
}
