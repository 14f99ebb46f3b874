package chatsim

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Net is a network of one host inside the process. Everything on it can run inside a testing/synctest bubble, because
// waiting for net.Pipe counts as waiting there.
//
// Net is a net.Listener for the host's side; Dial and Client are the other side. Every address leads to the host.
type Net struct {
	conns     chan net.Conn
	done      chan struct{}
	once      sync.Once
	transport *http.Transport
}

var _ net.Listener = (*Net)(nil)

// NewNet makes a network. Close ends it.
func NewNet() *Net {
	n := &Net{conns: make(chan net.Conn), done: make(chan struct{})}
	n.transport = &http.Transport{DialContext: n.Dial, IdleConnTimeout: time.Minute}
	return n
}

// Dial connects to the host, whatever the address says. It fits http.Transport.DialContext and
// websocket.Dialer.NetDialContext.
func (n *Net) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	refused := func(err error) error {
		return &net.OpError{Op: "dial", Net: network, Addr: memAddr(addr), Err: err}
	}
	select {
	case <-n.done:
		return nil, refused(net.ErrClosed)
	default:
	}
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-n.done:
		return nil, refused(net.ErrClosed)
	case <-ctx.Done():
		return nil, refused(ctx.Err())
	}
}

// Client returns an HTTP client whose every request goes to the host. All clients share their connections.
func (n *Net) Client() *http.Client { return &http.Client{Transport: n.transport} }

// Accept waits for the next connection.
func (n *Net) Accept() (net.Conn, error) {
	select {
	case conn := <-n.conns:
		return conn, nil
	case <-n.done:
		return nil, &net.OpError{Op: "accept", Net: "mem", Addr: n.Addr(), Err: net.ErrClosed}
	}
}

// Addr returns a name that means nothing outside.
func (n *Net) Addr() net.Addr { return memAddr("mem") }

// Close ends the network: waiting and later dials fail, idle connections are closed.
func (n *Net) Close() error {
	n.once.Do(func() { close(n.done) })
	n.transport.CloseIdleConnections()
	return nil
}

type memAddr string

func (memAddr) Network() string  { return "mem" }
func (a memAddr) String() string { return string(a) }

// Host serves a handler on a network of its own: the program under test, say, so that a double can call it.
type Host struct {
	*Net

	server *http.Server
	served chan struct{}
}

// Serve starts serving h. Close ends it.
func Serve(h http.Handler) *Host {
	host := &Host{
		Net:    NewNet(),
		server: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute},
		served: make(chan struct{}),
	}
	go func() {
		defer close(host.served)
		_ = host.server.Serve(host.Net) // Returns when Close closes the listener; nothing else can go wrong on it.
	}()
	return host
}

// Close ends the host and its connections.
func (h *Host) Close() error {
	err := h.server.Close()
	_ = h.Net.Close() // Closing it twice is fine and never fails.
	<-h.served
	return err
}
