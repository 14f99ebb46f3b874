package hijack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// line is a hijacked connection.
type line struct {
	net.Conn

	of     *Lines
	server *http.Server
	method string
	// last means that the client sends no further call on this connection.
	last bool
	// ahead is what the client has already sent of its next call.
	ahead []byte
	byte  [1]byte

	mu        sync.Mutex
	call      Call // That waits.
	listening bool
	woken     bool
}

// run waits with the call and answers it. The stack frames down to the wait must fit into 1 kB, or the
// stack doubles.
func (l *line) run() {
	defer l.of.running.Done()
	c := l.call
	c.Notify(func() { l.wake(c) })
	err := l.listen(c.Until())
	again := l.finish(err)
	if again {
		l.reportIdle()
		again = l.listen(l.patience()) == nil
	}
	l.of.remove(l)
	if !again {
		_ = l.Close() // The client is gone or has sent something unexpected.
		return
	}
	l.giveBack()
}

// reportIdle reports the connection as idle, as the server does between two calls.
func (l *line) reportIdle() {
	if report := l.server.ConnState; report != nil {
		report(l, http.StateIdle)
	}
}

// patience is the deadline for the client's next call.
func (l *line) patience() time.Time {
	if l.server.IdleTimeout == 0 {
		return time.Time{}
	}
	return time.Now().Add(l.server.IdleTimeout)
}

// listen waits for the start of the client's next call. It returns [os.ErrDeadlineExceeded] at the
// deadline or when woken, and other errors when the client has disconnected.
func (l *line) listen(until time.Time) error {
	if len(l.ahead) > 0 {
		return nil
	}
	l.mu.Lock()
	if l.woken || l.of.closed.Load() || l.call != nil && l.of.drained.Load() {
		until = longAgo
	}
	l.listening = true
	_ = l.SetReadDeadline(until) // Read reports the error.
	l.mu.Unlock()
	n, err := l.Conn.Read(l.byte[:])
	l.mu.Lock()
	l.listening = false
	l.mu.Unlock()
	if n == 0 {
		return err
	}
	l.ahead = slices.Clone(l.byte[:])
	return nil
}

// longAgo is a deadline that ends a read at once.
var longAgo = time.Unix(1, 0)

// wake ends listening for a call, or for any call if c is nil.
func (l *line) wake(c Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c != nil && c != l.call {
		return // That call has ended.
	}
	l.rouse()
}

// drain ends listening if a call waits.
func (l *line) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.call != nil {
		l.rouse()
	}
}

func (l *line) rouse() {
	l.woken = true
	if l.listening {
		_ = l.SetReadDeadline(longAgo)
	}
}

// finish answers the call after listening ended with heard. It reports whether the connection can carry
// another call.
func (l *line) finish(heard error) bool {
	ctx, gone := context.WithCancel(context.Background())
	defer gone()
	w := &lineWriter{line: l, header: http.Header{}}
	if heard != nil && !errors.Is(heard, os.ErrDeadlineExceeded) {
		gone()
	}
	// A client that sends data is connected. As with the server, its disconnect is noticed with the
	// next call.
	whole := l.call.Answer(w, (&http.Request{Method: l.method, ProtoMajor: 1}).WithContext(ctx), heard == nil)
	l.mu.Lock()
	l.call, l.woken = nil, false
	l.mu.Unlock()
	return w.sent && !w.last && whole
}

// giveBack returns the connection to the server, which reads what is ahead first.
func (l *line) giveBack() {
	offer := &single{conn: l}
	_ = l.server.Serve(offer) // Returns at once; the connection stays open.
	if offer.conn != nil {
		_ = l.Close() // The server is shutting down.
	}
}

// Read returns what is ahead, then reads from the connection.
func (l *line) Read(p []byte) (int, error) {
	if len(l.ahead) == 0 {
		return l.Conn.Read(p)
	}
	n := copy(p, l.ahead)
	l.ahead = l.ahead[n:]
	return n, nil
}

// NetConn returns the original connection of the server.
func (l *line) NetConn() net.Conn { return l.Conn }

// single is a listener that accepts one connection.
type single struct{ conn *line }

func (s *single) Accept() (net.Conn, error) {
	if s.conn == nil {
		return nil, net.ErrClosed
	}
	l := s.conn
	s.conn = nil
	return l, nil
}

func (s *single) Close() error   { return nil }
func (s *single) Addr() net.Addr { return &net.TCPAddr{} }

// lineWriter writes the response of a call at once when it is flushed.
type lineWriter struct {
	line       *line
	header     http.Header
	status     int
	body       bytes.Buffer
	last, sent bool
}

func (w *lineWriter) Header() http.Header                 { return w.header }
func (w *lineWriter) WriteHeader(status int)              { w.status = status }
func (w *lineWriter) Write(p []byte) (int, error)         { return w.body.Write(p) }
func (w *lineWriter) SetReadDeadline(time.Time) error     { return nil } // Nothing is left to read.
func (w *lineWriter) SetWriteDeadline(at time.Time) error { return w.line.SetWriteDeadline(at) }

func (w *lineWriter) FlushError() error {
	w.last = w.line.last || w.line.of.drained.Load()
	w.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	resp := http.Response{
		StatusCode: w.status, ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Close: w.last,
		ContentLength: int64(w.body.Len()), Body: io.NopCloser(&w.body),
	}
	var text bytes.Buffer
	if err := resp.Write(&text); err != nil {
		return err
	}
	_, err := w.line.Write(text.Bytes())
	w.sent = err == nil
	return err
}
