// Package hijack takes HTTP/1.1 connections from net/http while their calls wait, for hours perhaps. The server would keep
// two goroutines and twelve kB of buffers for each; here one goroutine with the smallest of stacks listens whether the
// client goes away, answers when it is time, and gives the connection back to the server when the client's next call comes.
//
// [Lines.Take] is the entry point. docs/decisions/0018-take-over-connections-of-waiting-calls.md lists what it saves.
package hijack

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Call is a call that waits.
type Call interface {
	// Until is when it is answered at the latest.
	Until() time.Time
	// Notify has wake called when there is something to answer, at once if there is already.
	Notify(wake func())
	// Answer answers the call: once there is something to answer with wait, else at once. The request's context has ended
	// when the client has gone. It reports whether the response is whole.
	Answer(w http.ResponseWriter, r *http.Request, wait bool) (whole bool)
}

// Lines are the connections that are not with their server. The zero value has none.
type Lines struct {
	drained atomic.Bool
	closed  atomic.Bool
	running sync.WaitGroup

	mu  sync.Mutex
	all map[*line]struct{}
}

// Can reports whether the connection of a request can be taken: of HTTP/1.1 in the clear, with a body that has been read
// to its end.
func Can(r *http.Request, read bool) bool {
	return r.ProtoMajor == 1 && r.ProtoMinor == 1 && r.TLS == nil && r.Method != http.MethodHead && (read || r.ContentLength == 0)
}

// Take takes the connection of a request from its server and has the call wait there; writer and request must not be
// touched afterwards, and the call must hold neither. It reports whether that could be done.
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
	sent, _ := buffers.Reader.Peek(buffers.Reader.Buffered()) // So much is there.
	l.ahead = slices.Concat(sent, l.ahead)
	l.method, l.last = r.Method, r.Close
	l.call = c
	s.running.Add(1)
	s.add(l)
	go l.run()
	return true
}

// Drain has every call that waits answered now, and takes no connection any more. Those
// between two calls stay: the next one may be on its way.
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

// Wait returns when every connection is closed, or its server's again.
func (s *Lines) Wait() { s.running.Wait() }

// Len is how many connections are not with their server.
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
