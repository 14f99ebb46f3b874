package discord

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	dgo "github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
)

// The gateway's operations; see
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-opcodes.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

const (
	// readyTime bounds the way from an open websocket to a session.
	readyTime = 15 * time.Second
	// silence is how long Discord may take to answer a heartbeat, of which there
	// is one in about 41 seconds: what is half open is found before the second.
	silence = 15 * time.Second
	// writeTime bounds writing one message.
	writeTime = 10 * time.Second
	// calmTime is how long a session may finish what it is at before the pipe is
	// closed. discordgo closes with its lock held for a second, and two of its
	// goroutines would meet there.
	calmTime = 7 * time.Millisecond
	// byeTime bounds saying goodbye.
	byeTime = time.Second
	// maxFrame bounds what is read at once; see maxBody.
	maxFrame = 4 << 20
)

// Why a connection ended.
var (
	errReconnect = errors.New("discord: asked to reconnect")
	errInvalid   = errors.New("discord: the session is invalid")
	errNotReady  = errors.New("discord: no session in time")
	errSilent    = errors.New("discord: a heartbeat was not answered in time")
	errSession   = errors.New("discord: the session ended")
)

// wire joins a connection to Discord with a discordgo session, through a pipe,
// for one life of both. It passes on what is said, except for what ends the
// connection, and cuts it when Discord falls silent.
type wire struct {
	remote *websocket.Conn
	open   func() // called once, when the session is ready

	end   context.CancelCauseFunc
	ready time.Time // inward's own, while it runs

	mu    sync.Mutex
	limit time.Duration // how long a heartbeat may stay unanswered
	watch *time.Timer   // ends the wire; nil while nothing is awaited
}

func newWire(remote *websocket.Conn, open func()) *wire {
	remote.SetReadLimit(maxFrame)
	return &wire{remote: remote, open: open, limit: silence}
}

// carry opens the session and returns when the connection has ended: how long it
// was ready, and why it ended. The session itself ends a little later; sessions
// tells when.
func (w *wire) carry(parent context.Context, session *dgo.Session, sessions *sync.WaitGroup) (time.Duration, error) {
	ctx, end := context.WithCancelCause(parent)
	defer end(nil)
	w.end = end
	near, far := net.Pipe()
	w.expect(readyTime, errNotReady)

	sessions.Go(func() { end(speak(session, near)) })
	inward := make(chan struct{})
	sessions.Go(func() {
		local, err := accept(far)
		if err != nil {
			close(inward)
			end(fmt.Errorf("discord: pipe: %w", err))
			return
		}
		sessions.Go(func() {
			defer close(inward)
			end(w.inward(local))
		})
		w.outward(ctx, local)
	})
	<-ctx.Done()
	if parent.Err() != nil {
		bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		_ = w.remote.WriteControl(websocket.CloseMessage, bye, time.Now().Add(byeTime)) // A courtesy.
	}
	_ = w.remote.Close()
	sessions.Go(func() {
		connector.Wait(context.Background(), nil, calmTime)
		_ = far.Close()
		_ = near.Close()
	})
	<-inward
	w.expect(0, nil)
	if w.ready.IsZero() {
		return 0, context.Cause(ctx)
	}
	return time.Since(w.ready), context.Cause(ctx)
}

// expect ends the wire after a time unless something else is expected before;
// 0 expects nothing.
func (w *wire) expect(in time.Duration, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watch != nil {
		w.watch.Stop()
		w.watch = nil
	}
	if in > 0 {
		w.watch = time.AfterFunc(in, func() { w.end(why) })
	}
}

// inward passes on what Discord says. Operations after which discordgo would
// reconnect by itself end the wire instead.
func (w *wire) inward(local *websocket.Conn) error {
	for {
		_, raw, err := w.remote.ReadMessage()
		if err != nil {
			return closing(err)
		}
		var m envelope
		if err := readLoosely(raw, &m); err != nil {
			return fmt.Errorf("discord: gateway: %w", errUnreadable)
		}
		switch m.Op {
		case opReconnect:
			return errReconnect
		case opInvalidSession:
			return errInvalid
		case opHello:
			w.hello(m.Data)
		case opHeartbeatAck:
			w.answered()
		}
		begins := m.Op == opDispatch && m.Type == "READY"
		if begins {
			w.ready = time.Now()
			w.answered()
		}
		if err := send(local, raw); err != nil {
			return errSession
		}
		if begins {
			w.open()
		}
	}
}

// outward passes on what discordgo says. After the end it still listens, until
// the pipe is closed, so that discordgo finds only its reading broken.
func (w *wire) outward(ctx context.Context, local *websocket.Conn) {
	for {
		_, raw, err := local.ReadMessage()
		if err != nil {
			w.end(errSession)
			return
		}
		if ctx.Err() != nil {
			continue
		}
		var m envelope
		if readLoosely(raw, &m) == nil && m.Op == opHeartbeat {
			w.asked() // First: the answer can be quicker than we are.
		}
		if err := send(w.remote, raw); err != nil {
			w.end(closing(err))
		}
	}
}

func send(to *websocket.Conn, raw []byte) error {
	if err := to.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return fmt.Errorf("discord: gateway: %w", err)
	}
	if err := to.WriteMessage(websocket.TextMessage, raw); err != nil {
		return fmt.Errorf("discord: gateway: %w", err)
	}
	return nil
}

// hello reads how often there is a heartbeat.
func (w *wire) hello(data json.RawMessage) {
	var hello struct {
		Interval int64 `json:"heartbeat_interval"` // in milliseconds
	}
	interval := time.Duration(0)
	if json.Unmarshal(data, &hello) == nil {
		interval = time.Duration(hello.Interval) * time.Millisecond
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if interval > 0 {
		w.limit = min(silence, interval/2)
	}
}

// asked waits for the answer to a heartbeat, unless that is awaited already.
func (w *wire) asked() {
	w.mu.Lock()
	limit, waiting := w.limit, w.watch != nil
	w.mu.Unlock()
	if !waiting {
		w.expect(limit, errSilent)
	}
}

func (w *wire) answered() {
	if !w.ready.IsZero() {
		w.expect(0, nil)
	}
}

// closing says why Discord closed the connection.
func closing(err error) error {
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok {
		return fmt.Errorf("discord: gateway: %w", plain(err))
	}
	code := strconv.Itoa(closed.Code)
	word, refused := refusals[closed.Code]
	if !refused {
		return fmt.Errorf("discord: gateway: closed with %s", code)
	}
	return &bridge.PlatformError{
		Platform: Name, Op: opConnect, Kind: bridge.Setup, Code: strings.TrimSpace(code + " " + word),
		Err: fmt.Errorf("discord: gateway: closed with %s", code),
	}
}

// speak opens the session on its end of the pipe, and returns when it has ended.
func speak(session *dgo.Session, near net.Conn) error {
	const address = "ws://wire"
	gone := make(chan struct{})
	var once sync.Once
	session.AddHandler(func(*dgo.Session, *dgo.Disconnect) { once.Do(func() { close(gone) }) })
	// discordgo asks where the gateway is; we know, and have dialled it.
	session.Client = &http.Client{Transport: here(address)}
	session.Dialer = &websocket.Dialer{
		HandshakeTimeout: handshakeTime,
		NetDialContext:   func(context.Context, string, string) (net.Conn, error) { return near, nil },
	}
	if err := session.Open(); err != nil {
		return fmt.Errorf("discord: session: %w", plain(err))
	}
	<-gone // The pipe's end ends it.
	return errSession
}

// here answers every request with the gateway's address.
type here string

// RoundTrip makes no call.
func (h here) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(strings.NewReader(`{"url":"` + string(h) + `"}`)),
	}, nil
}

// accept takes discordgo's end of the pipe for a websocket.
func accept(far net.Conn) (*websocket.Conn, error) {
	in := bufio.NewReader(far)
	r, err := http.ReadRequest(in)
	if err != nil {
		return nil, err
	}
	upgrader := websocket.Upgrader{}
	return upgrader.Upgrade(&pipeEnd{far, in, http.Header{}}, r, nil)
}

// pipeEnd is the pipe as a websocket upgrade wants it.
type pipeEnd struct {
	net.Conn

	in     *bufio.Reader
	header http.Header
}

// Header is not sent.
func (p *pipeEnd) Header() http.Header { return p.header }

// WriteHeader is for refusals, after which the pipe is closed.
func (p *pipeEnd) WriteHeader(int) {}

// Hijack hands over the pipe.
func (p *pipeEnd) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return p.Conn, bufio.NewReadWriter(p.in, bufio.NewWriter(p.Conn)), nil
}
