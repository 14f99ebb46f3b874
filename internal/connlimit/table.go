package connlimit

import (
	"container/list"
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// silentTime is how long an unverified connection may have no request.
	silentTime = 10 * time.Second
	// askingTime is how long the request of an unverified connection may take. A call's token is looked up in the store
	// within 10 s, and its response written within another 10 s.
	askingTime = 30 * time.Second
	// silentGrace and askingGrace are how long a connection is safe after it came to this state.
	silentGrace = 100 * time.Millisecond
	askingGrace = 500 * time.Millisecond
	// sweepEvery is how often connections are checked for the first two.
	sweepEvery = time.Second
	// share is the part of the limit that unverified connections may use for longer than a moment.
	share = 4
	// spare is the part of the limit that waiting calls leave free, and mostSpare its maximum.
	spare     = 8
	mostSpare = 1024
	// warnEvery is the minimum time between two warnings of one kind.
	warnEvery = time.Minute
)

// Table is the connections of one server. Make one with [New].
type Table struct {
	limit int
	log   *slog.Logger

	mu       sync.Mutex
	silent   list.List // unverified connections without a request, by since
	asking   list.List // unverified connections with one, by since
	idle     list.List // verified connections without a request, by since
	verified int       // all of them, the idle ones included
	sweeping bool
	// freed gets a value when a connection has been closed or can be closed, while Accept waits for one.
	freed chan struct{}

	crowded, full rate.Sometimes // warnings
}

// New returns an empty table for a server with a connection limit.
func New(limit int, log *slog.Logger) *Table {
	seldom := func() rate.Sometimes { return rate.Sometimes{Interval: warnEvery} }
	return &Table{limit: limit, log: log, freed: make(chan struct{}, 1), crowded: seldom(), full: seldom()}
}

// Limit is the maximum number of connections.
func (t *Table) Limit() int { return t.limit }

// Serve serves the connections of ln with srv, as [http.Server.Serve] does. It sets the server's ConnState and ConnContext.
func (t *Table) Serve(srv *http.Server, ln net.Listener) error {
	srv.ConnState = t.state
	srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, unwrap(c))
	}
	return srv.Serve(&listener{Listener: ln, table: t, done: make(chan struct{})})
}

type connKey struct{}

func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// Verified records that a request with this context had a valid token or a platform's signature. It
// does nothing without a table.
func Verified(ctx context.Context) {
	if c := connOf(ctx); c != nil {
		c.table.verify(c)
	}
}

// MayWait reports whether a request with this context may hold its connection for a long time without
// keeping out new connections.
func MayWait(ctx context.Context) bool {
	c := connOf(ctx)
	return c == nil || c.table.mayWait()
}

func (t *Table) mayWait() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.verified-t.idle.Len() <= t.limit-min(t.limit/spare, mostSpare)
}

func (t *Table) verify(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.verified || c.gone {
		return
	}
	c.verified = true
	t.verified++
	t.place(c)
}

// state follows what the server reports about a connection.
func (t *Table) state(nc net.Conn, s http.ConnState) {
	c := unwrap(nc)
	if c == nil || s != http.StateActive && s != http.StateIdle {
		return // New connections are in the table already, and closed ones are not any more.
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.gone {
		return
	}
	c.active = s == http.StateActive
	t.place(c)
}

// place moves a connection to the end of the list for its state.
func (t *Table) place(c *conn) {
	t.unlist(c)
	switch {
	case c.verified && c.active:
		return
	case c.verified:
		c.in = &t.idle
	case c.active:
		c.in = &t.asking
	default:
		c.in = &t.silent
	}
	c.since = time.Now()
	c.at = c.in.PushBack(c)
	t.wake()
	if !c.verified && !t.sweeping {
		t.sweeping = true
		time.AfterFunc(sweepEvery, t.sweep)
	}
}

func (t *Table) unlist(c *conn) {
	if c.in != nil {
		c.in.Remove(c.at)
		c.in, c.at = nil, nil
	}
}

// drop removes a connection from the table. The caller closes it.
func (t *Table) drop(c *conn) {
	if c.gone {
		return
	}
	c.gone = true
	t.unlist(c)
	if c.verified {
		t.verified--
	}
	t.wake()
}

func (t *Table) wake() {
	select {
	case t.freed <- struct{}{}:
	default:
	}
}

// unverified is the number of unverified connections.
func (t *Table) unverified() int { return t.silent.Len() + t.asking.Len() }

// sweep closes unverified connections after their time and runs again while there are others.
func (t *Table) sweep() {
	t.mu.Lock()
	now := time.Now()
	late := append(t.over(&t.silent, now.Add(-silentTime)), t.over(&t.asking, now.Add(-askingTime))...)
	t.sweeping = t.unverified() > 0
	if t.sweeping {
		time.AfterFunc(sweepEvery, t.sweep)
	}
	t.mu.Unlock()
	closeAll(late)
}

// over drops the connections of a list that joined it before a time.
func (t *Table) over(of *list.List, before time.Time) []*conn {
	var all []*conn
	for c := oldest(of); c != nil && !c.since.After(before); c = oldest(of) {
		t.drop(c)
		all = append(all, c)
	}
	return all
}

// oldest returns the first connection of a list, or nil.
func oldest(of *list.List) *conn {
	if e := of.Front(); e != nil {
		return e.Value.(*conn) //nolint:forcetypeassert // Nothing else is in the lists.
	}
	return nil
}

func closeAll(conns []*conn) {
	for _, c := range conns {
		_ = c.Conn.Close() // The server notices on its next read or write.
	}
}
