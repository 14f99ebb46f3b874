package faults

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Wire is a TCP proxy. A hook sees each message and decides what happens to it.
type Wire struct {
	// Name is the target's name in labels; Addr is the address to dial.
	Name, Addr string

	to     func() string
	hook   atomic.Pointer[Hook]
	opened atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]bool
	ended bool
}

// Message is the data of one read from one side.
type Message struct {
	Wire *Wire
	// Conn is the number of the connection, starting at 1.
	Conn int64
	// Up is set for requests and unset for replies.
	Up   bool
	Data []byte
}

// Has reports whether the message contains any of the texts.
func (m Message) Has(texts ...string) bool {
	for _, text := range texts {
		if bytes.Contains(m.Data, []byte(text)) {
			return true
		}
	}
	return false
}

// both separates texts that a message must all contain.
const both = " & "

// contains reports whether the message contains a text, or all texts separated by both.
func (m Message) contains(texts string) bool {
	for text := range strings.SplitSeq(texts, both) {
		if !m.Has(text) {
			return false
		}
	}
	return true
}

// swapping matches the Redis call that changes the record with this ID.
func swapping(id string) string { return "evalsha" + both + ":r:" + id }

// Label describes the message: its direction and how it begins.
func (m Message) Label() string {
	direction := "reply from "
	if m.Up {
		direction = "call of "
	}
	words := strings.FieldsFunc(string(m.Data[:min(len(m.Data), 200)]), func(r rune) bool { return r == '\r' || r == '\n' })
	if len(words) == 0 {
		return direction + m.Wire.Name
	}
	about := words[0]
	if strings.HasPrefix(about, "*") && len(words) > 2 {
		about = words[2] // The name of a Redis command.
	}
	return direction + m.Wire.Name + ": " + about[:min(len(about), 60)]
}

// Fate is what happens to a message.
type Fate int

// Fates of a message.
const (
	// Pass forwards it.
	Pass Fate = iota
	// Lose drops it and leaves the connection open. Later messages of that connection in the same direction are
	// lost too: TCP delivers nothing after a gap.
	Lose
	// Cut drops it and closes its connection.
	Cut
)

// Hook decides the fate of a message. It may block, which delays the message, and must be safe for concurrent use.
type Hook func(Message) Fate

// NewWire starts a proxy to an address that may change. It runs until the test ends.
func NewWire(tb testing.TB, name string, to func() string) *Wire {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	w := &Wire{Name: name, Addr: l.Addr().String(), to: to, conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	tb.Cleanup(func() {
		w.mu.Lock()
		w.ended = true
		w.mu.Unlock()
		_ = l.Close()
		w.CutAll()
		all.Wait()
	})
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { w.carry(client) })
		}
	})
	return w
}

// carry forwards data between a client and the server behind the wire.
func (w *Wire) carry(client net.Conn) {
	server, err := net.DialTimeout("tcp", w.to(), 2*time.Second)
	if err != nil {
		_ = client.Close()
		return
	}
	w.mu.Lock()
	if w.ended {
		w.mu.Unlock()
		_, _ = client.Close(), server.Close()
		return
	}
	w.conns[client], w.conns[server] = true, true
	w.mu.Unlock()
	number := w.opened.Add(1)
	var directions sync.WaitGroup
	directions.Go(func() { w.copy(number, server, client, true) })
	directions.Go(func() { w.copy(number, client, server, false) })
	directions.Wait()
	w.mu.Lock()
	delete(w.conns, client)
	delete(w.conns, server)
	w.mu.Unlock()
}

func (w *Wire) copy(number int64, to, from net.Conn, up bool) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	silent := false
	for {
		n, err := from.Read(buf)
		if n > 0 {
			fate := Pass
			if hook := w.hook.Load(); hook != nil {
				fate = (*hook)(Message{Wire: w, Conn: number, Up: up, Data: buf[:n]})
			}
			if fate == Cut {
				return
			}
			silent = silent || fate == Lose
			if !silent {
				if _, err := to.Write(buf[:n]); err != nil {
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// On replaces the hook; nil forwards everything.
func (w *Wire) On(h Hook) {
	if h == nil {
		w.hook.Store(nil)
		return
	}
	w.hook.Store(&h)
}

// CutAll closes all current connections.
func (w *Wire) CutAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_ = c.Close()
	}
}

// Down closes all connections and refuses new ones.
func (w *Wire) Down() {
	w.On(func(Message) Fate { return Cut })
	w.CutAll()
}

// Freeze silently drops everything, as with half-open connections. This includes new connections.
func (w *Wire) Freeze() { w.On(func(Message) Fate { return Lose }) }

// FreezeOpened freezes only the current connections.
func (w *Wire) FreezeOpened() {
	last := w.opened.Load()
	w.On(func(m Message) Fate {
		if m.Conn <= last {
			return Lose
		}
		return Pass
	})
}

// CutOneWay loses everything in one direction.
func (w *Wire) CutOneWay(up bool) {
	w.On(func(m Message) Fate {
		if m.Up == up {
			return Lose
		}
		return Pass
	})
}

// Slow delays each message.
func (w *Wire) Slow(d time.Duration) {
	w.On(func(Message) Fate {
		timer := time.NewTimer(d)
		defer timer.Stop()
		<-timer.C
		return Pass
	})
}

// AtCall lets f decide about the first call that contains the text.
func (w *Wire) AtCall(text string, f func() Fate) {
	var once sync.Once
	w.On(func(m Message) Fate {
		fate := Pass
		if m.Up && m.contains(text) {
			once.Do(func() { fate = f() })
		}
		return fate
	})
}

// AtReply lets f decide about the reply to the first call that contains the text. The call itself is forwarded.
func (w *Wire) AtReply(text string, f func() Fate) {
	var (
		conn atomic.Int64
		once sync.Once
	)
	w.On(func(m Message) Fate {
		fate := Pass
		switch {
		case m.Up && m.contains(text):
			conn.CompareAndSwap(0, m.Conn)
		case !m.Up && m.Conn == conn.Load():
			once.Do(func() { fate = f() })
		}
		return fate
	})
}

// LoseReply cuts the connection when the reply to the first call with the text arrives, and then closes the
// channel.
func (w *Wire) LoseReply(text string) <-chan struct{} {
	lost := make(chan struct{})
	w.AtReply(text, func() Fate {
		close(lost)
		return Cut
	})
	return lost
}

// Heal forwards everything again, except on connections that have lost something.
func (w *Wire) Heal() { w.On(nil) }
