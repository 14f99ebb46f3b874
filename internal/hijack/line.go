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

// line is one connection that was taken.
type line struct {
	net.Conn

	of     *Lines
	server *http.Server
	method string
	// last tells that the client wants no other call on this connection.
	last bool
	// ahead is what the client has sent of its next call.
	ahead []byte
	byte  [1]byte

	mu        sync.Mutex
	call      Call // the one that waits
	listening bool
	woken     bool
}

// run lets the call wait and ends it. All of the frames down to where the
// goroutine waits have to fit into a kB, or its stack doubles.
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
		_ = l.Close() // Nobody is there, or has more to say.
		return
	}
	l.giveBack()
}

// reportIdle does what the server does between two calls of a connection.
func (l *line) reportIdle() {
	if report := l.server.ConnState; report != nil {
		report(l, http.StateIdle)
	}
}

// patience is until when the client may say nothing between two calls.
func (l *line) patience() time.Time {
	if l.server.IdleTimeout == 0 {
		return time.Time{}
	}
	return time.Now().Add(l.server.IdleTimeout)
}

// listen waits for the beginning of the client's next call. It returns
// [os.ErrDeadlineExceeded] at the time given, or when woken, and any other error
// when the client has gone.
func (l *line) listen(until time.Time) error {
	if len(l.ahead) > 0 {
		return nil
	}
	l.mu.Lock()
	if l.woken || l.of.closed.Load() || l.call != nil && l.of.drained.Load() {
		until = longAgo
	}
	l.listening = true
	_ = l.SetReadDeadline(until) // Reading tells.
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

// longAgo ends a read at once.
var longAgo = time.Unix(1, 0)

// wake ends listening for the call, or with none named in any case.
func (l *line) wake(c Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c != nil && c != l.call {
		return // That call has been ended.
	}
	l.rouse()
}

// drain ends listening for the call, if one waits.
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

// finish ends the call, given how listening went. It reports whether the
// connection can carry another.
func (l *line) finish(heard error) bool {
	ctx, gone := context.WithCancel(context.Background())
	defer gone()
	w := &lineWriter{line: l, header: http.Header{}}
	if heard != nil && !errors.Is(heard, os.ErrDeadlineExceeded) {
		gone()
	}
	// A client that speaks is there; as over the server, its end is seen when it is
	// the next call's turn.
	whole := l.call.Answer(w, (&http.Request{Method: l.method, ProtoMajor: 1}).WithContext(ctx), heard == nil)
	l.mu.Lock()
	l.call, l.woken = nil, false
	l.mu.Unlock()
	return w.sent && !w.last && whole
}

// giveBack hands the connection to the server, which reads what is ahead first.
func (l *line) giveBack() {
	offer := &single{conn: l}
	_ = l.server.Serve(offer) // It ends at once; the connection outlives it.
	if offer.conn != nil {
		_ = l.Close() // The server is shutting down.
	}
}

// Read gives what is ahead, then what comes.
func (l *line) Read(p []byte) (int, error) {
	if len(l.ahead) == 0 {
		return l.Conn.Read(p)
	}
	n := copy(p, l.ahead)
	l.ahead = l.ahead[n:]
	return n, nil
}

// NetConn returns the connection that the server had at first.
func (l *line) NetConn() net.Conn { return l.Conn }

// single is a listener with one connection to offer.
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

// lineWriter writes the response of a call on a line, all of it with the flush.
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
func (w *lineWriter) SetReadDeadline(time.Time) error     { return nil } // There is nothing left to read.
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
