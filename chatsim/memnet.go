package chatsim

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Net is an in-memory network with a single host. It works inside a testing/synctest bubble
// because waiting for net.Pipe is durably blocking there.
//
// Net is the host's net.Listener; Dial and Client are the client side. Every address leads to
// the host.
type Net struct {
	conns     chan net.Conn
	done      chan struct{}
	once      sync.Once
	transport *http.Transport
}

var _ net.Listener = (*Net)(nil)

// NewNet creates a network. Call Close to release it.
func NewNet() *Net {
	n := &Net{conns: make(chan net.Conn), done: make(chan struct{})}
	n.transport = &http.Transport{DialContext: n.Dial, IdleConnTimeout: time.Minute}
	return n
}

// Dial connects to the host, for any address. Its signature fits http.Transport.DialContext and
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

// Client returns an HTTP client that sends every request to the host. All clients share their
// connections.
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

// Addr returns a placeholder address.
func (n *Net) Addr() net.Addr { return memAddr("mem") }

// Close closes the network: pending and later dials fail, idle connections are closed.
func (n *Net) Close() error {
	n.once.Do(func() { close(n.done) })
	n.transport.CloseIdleConnections()
	return nil
}

type memAddr string

func (memAddr) Network() string  { return "mem" }
func (a memAddr) String() string { return string(a) }

// Host serves a handler on its own network, such as the program under test for calls by a
// double.
type Host struct {
	*Net

	server *http.Server
	served chan struct{}
}

// Serve starts serving h. Call Close to stop.
func Serve(h http.Handler) *Host {
	host := &Host{
		Net:    NewNet(),
		server: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute},
		served: make(chan struct{}),
	}
	go func() {
		defer close(host.served)
		_ = host.server.Serve(host.Net) // Returns when Close closes the listener; it has no other errors.
	}()
	return host
}

// Close closes the host and its connections.
func (h *Host) Close() error {
	err := h.server.Close()
	_ = h.Net.Close() // Close is idempotent and never fails.
	<-h.served
	return err
}
