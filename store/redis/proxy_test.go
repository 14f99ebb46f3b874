package redis

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy is a TCP proxy between a store and its Redis that simulates network faults.
type proxy struct {
	addr string
	// swallow drops the next reply and closes its connection.
	swallow atomic.Bool
	// opened counts connections. Those up to frozen stay open but forward nothing.
	opened, frozen atomic.Int64
	// delay is the additional latency of replies, as from a distant server.
	delay atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]bool
}

func startProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		p.cut()
		all.Wait()
	})
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				_ = client.Close()
				continue
			}
			p.mu.Lock()
			p.conns[client], p.conns[server] = true, true
			p.mu.Unlock()
			n := p.opened.Add(1)
			all.Go(func() { p.copy(n, server, client, false) })
			all.Go(func() { p.copy(n, client, server, true) })
		}
	})
	return p
}

// freeze stops all current connections from forwarding data.
func (p *proxy) freeze() { p.frozen.Store(p.opened.Load()) }

// late is a connection that delivers data after a delay from when it was sent.
type late struct {
	net.Conn

	parts chan part
}

type part struct {
	at   time.Time
	data []byte
}

func (l late) deliver() {
	defer l.Conn.Close()
	for p := range l.parts {
		<-time.After(time.Until(p.at))
		_, _ = l.Conn.Write(p.data) // The other side sees that the connection is closed.
	}
}

func (p *proxy) copy(number int64, to, from net.Conn, replies bool) {
	l := late{to, make(chan part, 1000)}
	var delivering sync.WaitGroup
	delivering.Go(l.deliver)
	defer delivering.Wait()
	defer close(l.parts)
	defer from.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && replies && p.swallow.CompareAndSwap(true, false) {
			return
		}
		if n > 0 && number > p.frozen.Load() {
			at := time.Now()
			if replies {
				at = at.Add(time.Duration(p.delay.Load()))
			}
			l.parts <- part{at, bytes.Clone(buf[:n])}
		}
		if err != nil {
			return
		}
	}
}

// cut breaks all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
		delete(p.conns, c)
	}
}
