package bench

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// counter is a proxy between a program and Redis that counts round trips: each time the program starts to send
// after a reply.
//
// While hold is set, it delays each round trip by that time.
type counter struct{ trips, hold atomic.Int64 }

func (c *counter) proxy(ctx context.Context, to string) (string, func(), error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	var mu sync.Mutex
	var open []net.Conn
	var all sync.WaitGroup
	all.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			var dialer net.Dialer
			server, err := dialer.DialContext(ctx, "tcp", to)
			if err != nil {
				_ = from.Close()
				return
			}
			mu.Lock()
			open = append(open, from, server)
			mu.Unlock()
			var heard atomic.Bool
			heard.Store(true)
			all.Go(func() { copyEach(server, from, func() { c.count(&heard) }) })
			all.Go(func() { copyEach(from, server, func() { heard.Store(true) }) })
		}
	})
	return listener.Addr().String(), func() {
		_ = listener.Close()
		mu.Lock()
		for _, conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		all.Wait()
	}, nil
}

func (c *counter) count(heard *atomic.Bool) {
	if heard.CompareAndSwap(true, false) {
		c.trips.Add(1)
		if d := time.Duration(c.hold.Load()); d > 0 {
			<-time.After(d)
		}
	}
}

func copyEach(to, from net.Conn, each func()) {
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			each()
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
