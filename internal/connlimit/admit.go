package connlimit

import (
	"container/list"
	"math"
	"net"
	"sync"
	"time"
)

// conn is a connection in a table.
type conn struct {
	net.Conn

	table *Table

	// The table's lock guards the rest.
	verified, active, gone bool

	in    *list.List
	at    *list.Element
	since time.Time
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	err := c.Conn.Close()
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.table.drop(c)
	return err
}

// unwrap finds the table's connection within one that was wrapped since, as [crypto/tls.Conn] and the connections of waiting
// calls do. It returns nil where there is none.
func unwrap(nc net.Conn) *conn {
	for nc != nil {
		if c, ok := nc.(*conn); ok {
			return c
		}
		w, ok := nc.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		nc = w.NetConn()
	}
	return nil
}

// listener adds what it accepts to the table.
type listener struct {
	net.Listener

	table *Table
	done  chan struct{}
	once  sync.Once
}

// Close implements [net.Listener].
func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// Accept implements [net.Listener]. It closes others for a new connection, and waits only while none may be closed.
func (l *listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: nc, table: l.table}
	for {
		wait := l.table.admit(c)
		if wait == 0 {
			return c, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-l.table.freed:
		case <-l.done:
			timer.Stop()
			_ = nc.Close() // The server does not take it over.
			return nil, net.ErrClosed
		}
		timer.Stop()
	}
}

// admit adds a connection to the table and closes others if necessary. It returns 0, or the maximum
// time to wait for room.
func (t *Table) admit(c *conn) (wait time.Duration) {
	t.mu.Lock()
	var victims []*conn
	now := time.Now()
	for most := max(t.limit/share, 1); t.unverified() >= most; {
		v := oldest(&t.silent)
		if v.left(now, silentGrace) > 0 {
			break
		}
		t.drop(v)
		victims = append(victims, v)
	}
	if t.unverified()+t.verified >= t.limit {
		var v *conn
		if v, wait = t.victim(now); v != nil {
			t.drop(v)
			victims = append(victims, v)
		}
	}
	if wait == 0 {
		t.place(c)
	}
	verified, unverified := t.verified, t.unverified()
	t.mu.Unlock()
	closeAll(victims)
	switch {
	case wait == forever:
		t.full.Do(func() {
			t.log.Warn("connection limit reached, new connections wait", "limit", t.limit, "verified", verified, "unverified", unverified)
		})
	case len(victims) > 0:
		t.crowded.Do(func() {
			t.log.Warn("connections closed to make room", "limit", t.limit, "verified", verified, "unverified", unverified)
		})
	}
	return wait
}

// victim returns the connection to close at the limit, or how long none may be closed.
func (t *Table) victim(now time.Time) (*conn, time.Duration) {
	silent, asking, idle := oldest(&t.silent), oldest(&t.asking), oldest(&t.idle)
	until := min(silent.left(now, silentGrace), asking.left(now, askingGrace))
	switch {
	case silent.left(now, silentGrace) == 0:
		return silent, 0
	case asking.left(now, askingGrace) == 0:
		return asking, 0
	case silent == nil && asking == nil && idle != nil:
		return idle, 0
	}
	return nil, until
}

// forever is how long to wait for room where every connection is verified and busy.
const forever = time.Duration(math.MaxInt64)

// left is how long a connection may not be closed to make room.
func (c *conn) left(now time.Time, grace time.Duration) time.Duration {
	if c == nil {
		return forever
	}
	return max(0, grace-now.Sub(c.since))
}
