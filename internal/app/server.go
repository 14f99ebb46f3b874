package app

import (
	"net"
	"sync"
)

const (
	// mostConns is how many connections are open at once where the system allows
	// as many: parked callers over HTTP/1.1 hold one each.
	mostConns = 1 << 17
	// callbackShare is which part of the connections an address for platforms
	// alone may have open.
	callbackShare = 16
	// ownFiles is how many of the files that the process may open are kept for
	// the store, the platforms and everything else.
	ownFiles = 512
	// fewFiles is taken as the limit where the system does not tell one.
	fewFiles = 8192 + ownFiles
)

// connsWithin returns how many connections leave room for the program's own
// files.
func connsWithin(files uint64) int {
	own := min(ownFiles, files/2)
	return int(min(files-own, mostConns))
}

// crowd is a listener that has at most so many connections open at once; others
// wait in the system's queue.
type crowd struct {
	net.Listener

	room   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limit(l net.Listener, most int) *crowd {
	return &crowd{Listener: l, room: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for room, then for a connection.
func (c *crowd) Accept() (net.Conn, error) {
	select {
	case c.room <- struct{}{}:
	case <-c.closed:
		return nil, net.ErrClosed
	}
	conn, err := c.Listener.Accept()
	if err != nil {
		<-c.room
		return nil, err
	}
	return &guest{Conn: conn, leave: sync.OnceFunc(func() { <-c.room })}, nil
}

// Close ends a wait for room too.
func (c *crowd) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Listener.Close()
}

// guest makes room when it goes.
type guest struct {
	net.Conn

	leave func()
}

// Close closes the connection and makes room for another.
func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}
