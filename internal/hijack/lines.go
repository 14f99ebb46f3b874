// Package hijack takes over HTTP/1.1 connections from net/http while their calls wait, possibly for
// hours. The server would keep two goroutines and 12 kB of buffers for each. Here one goroutine with a
// minimal stack notices disconnects, sends the response, and returns the connection to the server when
// the client's next call arrives.
//
// [Lines.Take] is the entry point. docs/decisions/0018-take-over-connections-of-waiting-calls.md lists
// what it saves.
package hijack

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Call is a waiting call.
type Call interface {
	// Until is the deadline for the response.
	Until() time.Time
	// Notify calls wake when there is a response, immediately if there is one already.
	Notify(wake func())
	// Answer writes the response: with wait, once there is one, otherwise immediately. The context of
	// the request ends when the client disconnects. Answer reports whether the response is complete.
	Answer(w http.ResponseWriter, r *http.Request, wait bool) (whole bool)
}

// Lines are the hijacked connections. The zero value is ready to use.
type Lines struct {
	drained atomic.Bool
	closed  atomic.Bool
	running sync.WaitGroup

	mu  sync.Mutex
	all map[*line]struct{}
}

// Can reports whether a request's connection can be hijacked: HTTP/1.1 without TLS, with a body that
// was read completely.
func Can(r *http.Request, read bool) bool {
	return r.ProtoMajor == 1 && r.ProtoMinor == 1 && r.TLS == nil && r.Method != http.MethodHead && (read || r.ContentLength == 0)
}

// Take hijacks the connection of a request and waits there. The writer and the request must not be used
// afterwards, and the call must not hold them. It reports whether it succeeded.
func (s *Lines) Take(w http.ResponseWriter, r *http.Request, c Call) bool {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok || s.drained.Load() {
		return false
	}
	conn, buffers, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	l, again := conn.(*line)
	if !again {
		l = &line{Conn: conn, of: s, server: server}
	}
	sent, _ := buffers.Reader.Peek(buffers.Reader.Buffered()) // Peek returns what is buffered.
	l.ahead = slices.Concat(sent, l.ahead)
	l.method, l.last = r.Method, r.Close
	l.call = c
	s.running.Add(1)
	s.add(l)
	go l.run()
	return true
}

// Drain answers all waiting calls now and hijacks no further connections. Connections between two calls
// stay open, since the next call may be on its way.
func (s *Lines) Drain() {
	s.drained.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.all {
		l.drain()
	}
}

// Close closes the connections between two calls, after [Lines.Drain].
func (s *Lines) Close() {
	s.closed.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.all {
		l.wake(nil)
	}
}

// Wait returns when all connections are closed or back at their server.
func (s *Lines) Wait() { s.running.Wait() }

// Len is the number of hijacked connections.
func (s *Lines) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

func (s *Lines) add(l *line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*line]struct{}{}
	}
	s.all[l] = struct{}{}
}

func (s *Lines) remove(l *line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, l)
}
