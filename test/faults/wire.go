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

// Wire is a TCP connection with a weak point: whoever dials it reaches somebody
// else, and a hook sees each message that passes and decides what becomes of it.
type Wire struct {
	// Name says in labels what is behind the wire; Addr is where to dial.
	Name, Addr string

	to     func() string
	hook   atomic.Pointer[Hook]
	opened atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]bool
	ended bool
}

// Message is what one side sent at once.
type Message struct {
	Wire *Wire
	// Conn numbers the connections of a wire from 1.
	Conn int64
	// Up tells a request from a reply.
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

// both stands between texts that are all in a message.
const both = " & "

// says reports whether the message contains a text, or all of several with both between.
func (m Message) says(texts string) bool {
	for text := range strings.SplitSeq(texts, both) {
		if !m.Has(text) {
			return false
		}
	}
	return true
}

// swapping is what a call of Redis says that changes the record with the id, and no other.
func swapping(id string) string { return "evalsha" + both + ":r:" + id }

// Label names the message for people: where it goes and how it begins.
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
		about = words[2] // The name of a command to Redis.
	}
	return direction + m.Wire.Name + ": " + about[:min(len(about), 60)]
}

// Fate is what becomes of a message.
type Fate int

// The fates of a message.
const (
	// Pass hands it on.
	Pass Fate = iota
	// Lose drops it and leaves the connection open. What comes after it on that connection in
	// the same direction is lost too: TCP hands nothing on behind a gap.
	Lose
	// Cut drops it together with its connection.
	Cut
)

// Hook decides the fate of a message. It may block, which delays the message,
// and is called from many goroutines.
type Hook func(Message) Fate

// NewWire lays a wire to an address that may change, until the test ends.
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

// carry passes on what a client and the server behind the wire say.
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

// On puts a hook in the place of the one before; nil lets all pass.
func (w *Wire) On(h Hook) {
	if h == nil {
		w.hook.Store(nil)
		return
	}
	w.hook.Store(&h)
}

// CutAll breaks all connections there are.
func (w *Wire) CutAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_ = c.Close()
	}
}

// Down breaks the wire: no connection lives and none comes about.
func (w *Wire) Down() {
	w.On(func(Message) Fate { return Cut })
	w.CutAll()
}

// Freeze makes the wire silent without closing anything: a half-open
// connection. Those to come are silent too.
func (w *Wire) Freeze() { w.On(func(Message) Fate { return Lose }) }

// FreezeOpened freezes the connections there are, and not those to come.
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

// AtCall asks f for the fate of the first call that says the text.
func (w *Wire) AtCall(text string, f func() Fate) {
	var once sync.Once
	w.On(func(m Message) Fate {
		fate := Pass
		if m.Up && m.says(text) {
			once.Do(func() { fate = f() })
		}
		return fate
	})
}

// AtReply asks f for the fate of the reply to the first call that says the
// text; the call itself passes.
func (w *Wire) AtReply(text string, f func() Fate) {
	var (
		conn atomic.Int64
		once sync.Once
	)
	w.On(func(m Message) Fate {
		fate := Pass
		switch {
		case m.Up && m.says(text):
			conn.CompareAndSwap(0, m.Conn)
		case !m.Up && m.Conn == conn.Load():
			once.Do(func() { fate = f() })
		}
		return fate
	})
}

// LoseReply cuts the connection when the reply to the first call comes that
// says the text. The channel is closed then.
func (w *Wire) LoseReply(text string) <-chan struct{} {
	lost := make(chan struct{})
	w.AtReply(text, func() Fate {
		close(lost)
		return Cut
	})
	return lost
}

// Heal lets everything pass again, but for connections that have lost something.
func (w *Wire) Heal() { w.On(nil) }
