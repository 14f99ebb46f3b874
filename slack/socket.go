package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/internal/wait"
	"github.com/askbridge/askbridge/platform"
)

const (
	// pauseMost is the maximum backoff while Slack is unreachable.
	pauseMost = 30 * time.Second
	// steady is how long a connection must last to reset the backoff.
	steady = time.Minute
	// handshakeTime limits opening the WebSocket.
	handshakeTime = 10 * time.Second
	// silence is how long a connection may be silent, without even a ping, before it counts as
	// dead; slack-go uses the same
	// (https://github.com/slack-go/slack/blob/v0.35.0/socketmode/socketmode.go).
	silence = 30 * time.Second
	// leaveTime is how long to read a connection after Slack's disconnect message: Slack closes
	// it about ten seconds later
	// (https://docs.slack.dev/apis/events-api/using-socket-mode/#disconnect).
	leaveTime = 15 * time.Second
	// maxFrame limits the size of a message; see maxBody.
	maxFrame = 2 << 20
	// writeBuffer fits any acknowledgement in one frame: Slack does not reassemble continuation
	// frames (https://github.com/slack-go/slack/blob/v0.35.0/socketmode/socketmode.go).
	writeBuffer = 32 << 10
)

const openSocket = "apps.connections.open"

// The messages of Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode).
const (
	frameHello       = "hello"
	frameDisconnect  = "disconnect"
	frameInteractive = "interactive"
	frameEvents      = "events_api"
	frameCommands    = "slash_commands"
)

// refreshes are the reasons for which Slack replaces a working connection. Any other reason
// needs an operator: the app has ten connections (too_many_websockets), or Socket Mode was
// disabled (link_disabled).
// https://docs.slack.dev/apis/events-api/using-socket-mode/#disconnect
var refreshes = map[string]bool{"warning": true, "refresh_requested": true}

// frame contains the used members of a Socket Mode message.
type frame struct {
	Type        string          `json:"type"`
	EnvelopeID  string          `json:"envelope_id"`
	Payload     json.RawMessage `json:"payload"`
	Reason      string          `json:"reason"`
	Connections int             `json:"num_connections"`
	Info        struct {
		AppID string `json:"app_id"`
	} `json:"connection_info"`
}

// errReplaced ends a connection that Slack asked to replace.
var errReplaced = errors.New("slack: asked to connect again")

// socket keeps a Socket Mode connection open and passes on what arrives.
type socket struct {
	cfg   Config
	log   *slog.Logger
	met   func(app string) // receives the app's id; nil if each installation has it
	apart bool             // payloads may need the store, so each gets a goroutine
	// take, heard and commanded handle interactions, events and slash commands.
	take, heard, commanded func([]byte, arrival, replier) fate

	mu     sync.Mutex
	down   error // why no connection is open; nil over HTTP
	opened int64 // number of connections so far
}

// state returns the number of connections so far, and why none is open, or nil.
func (s *socket) state() (opened int64, down error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened, s.down
}

// run maintains a connection until ctx ends.
func (s *socket) run(ctx context.Context) {
	dialer := &websocket.Dialer{
		HandshakeTimeout: handshakeTime, WriteBufferSize: writeBuffer, NetDialContext: s.cfg.NetDialContext,
	}
	if dialer.NetDialContext == nil {
		dialer.Proxy = http.ProxyFromEnvironment
	}
	api := slackapi.New(s.cfg.BotToken, slackapi.OptionAppLevelToken(s.cfg.AppToken),
		slackapi.OptionAPIURL(s.cfg.APIURL), slackapi.OptionHTTPClient(s.cfg.HTTPClient))
	var (
		pace pacer
		all  sync.WaitGroup // connections that close once everything is acknowledged
	)
	defer all.Wait()
	for {
		_ = wait.For(ctx, pace.pause(time.Now()))
		if ctx.Err() != nil {
			return
		}
		conn, err := open(ctx, api, dialer)
		if err != nil {
			if ctx.Err() == nil {
				s.stumbled(&pace, err)
			}
			continue
		}
		l := &link{s: s, conn: conn, met: func() { pace.met(time.Now()) }}
		err = l.read(ctx)
		s.lost(errNoLink)
		replaced := errors.Is(err, errReplaced)
		all.Go(func() { l.leave(ctx, replaced) })
		if ctx.Err() == nil && !replaced {
			s.log.Info("slack socket lost", "error", err)
		}
	}
}

// open fetches the WebSocket URL and connects.
func open(ctx context.Context, api *slackapi.Client, dialer *websocket.Dialer) (*websocket.Conn, error) {
	asking, cancel := context.WithTimeoutCause(ctx, callTimeout, errCallTimeout)
	defer cancel()
	_, address, err := api.StartSocketModeContext(asking)
	if err != nil {
		return nil, err
	}
	conn, resp, err := dialer.DialContext(ctx, address, nil)
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close() // The body is not needed.
	}
	if err != nil {
		return nil, fmt.Errorf("slack: open socket: %w", plain(err))
	}
	return conn, nil
}

// stumbled adjusts the backoff after a failure.
func (s *socket) stumbled(pace *pacer, err error) {
	e := classify(openSocket, false, err, true)
	pace.failed(e, time.Now())
	s.lost(e)
	if e.Kind == platform.Misconfigured {
		s.log.Error("slack refuses socket mode", "code", e.Code, "error", e.Err)
		return
	}
	s.log.Warn("slack socket could not be opened", "code", e.Code, "error", e.Err)
}

// link is one Socket Mode connection.
type link struct {
	s    *socket
	conn *websocket.Conn
	met  func() // called on Slack's hello

	writing sync.Mutex
	owed    sync.WaitGroup // pending acknowledgements
}

// read handles messages until the connection ends, ctx ends or Slack asks for another
// connection.
func (l *link) read(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = l.conn.Close() })()
	l.conn.SetReadLimit(maxFrame)
	alive := func() error { return l.conn.SetReadDeadline(time.Now().Add(silence)) }
	l.conn.SetPingHandler(func(data string) error {
		if err := alive(); err != nil {
			return err
		}
		return l.conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(connector.AckTime))
	})
	for {
		if err := alive(); err != nil {
			return fmt.Errorf("slack: socket: %w", err)
		}
		_, raw, err := l.conn.ReadMessage()
		if err != nil {
			return fmt.Errorf("slack: socket: %w", err)
		}
		if err := l.frame(raw); err != nil {
			return err
		}
	}
}

// leave closes a connection once all acknowledgements are sent. After a disconnect message it
// keeps reading meanwhile, in case an interaction is in flight.
func (l *link) leave(ctx context.Context, told bool) {
	if told {
		ctx, cancel := context.WithTimeout(ctx, leaveTime)
		defer cancel()
		_ = l.read(ctx) // It is ending, and the next connection is open.
	}
	l.owed.Wait()
	_ = l.conn.Close()
}

// frame handles one message. It never waits for the bridge, since nothing else is read
// meanwhile. A message that cannot be decoded is dropped and does not affect others.
func (l *link) frame(raw []byte) error {
	defer l.survive(len(raw))
	var f frame
	if err := connector.ReadLoosely(raw, &f); err != nil {
		l.s.log.Warn("unreadable slack message", "bytes", len(raw))
		return nil
	}
	switch {
	case f.Type == frameHello:
		l.met()
		l.s.up(f)
	case f.Type == frameDisconnect:
		if refreshes[f.Reason] {
			l.s.log.Info("slack requested a reconnect", "reason", f.Reason)
		} else {
			l.s.log.Warn("slack closes the socket", "reason", f.Reason)
		}
		return errReplaced
	case f.EnvelopeID == "":
	case f.Type == frameInteractive:
		l.envelope(f, l.s.take)
	case f.Type == frameEvents:
		l.envelope(f, l.s.heard)
	case f.Type == frameCommands:
		l.envelope(f, l.s.commanded)
	default:
		l.ack(f.EnvelopeID)
	}
	return nil
}

// survive keeps the connection after a panic while a message is decoded.
func (l *link) survive(bytes int) {
	if v := recover(); v != nil {
		l.s.log.Error("slack message decoder panicked", "panic", fmt.Sprint(v), "bytes", bytes, "stack", string(debug.Stack()))
	}
}

func (l *link) envelope(f frame, take func([]byte, arrival, replier) fate) {
	l.owed.Add(1)
	if l.s.apart {
		go l.accept(f, take)
		return
	}
	l.accept(f, take)
}

// accept passes on a payload. Its acknowledgement is already owed.
func (l *link) accept(f frame, take func([]byte, arrival, replier) fate) {
	if l.s.apart {
		defer l.survive(len(f.Payload))
	}
	settle := sync.OnceFunc(l.owed.Done)
	taken := busy
	defer func() {
		if taken != begun {
			settle()
		}
	}()
	reply := func(ctx context.Context, body any) error {
		defer settle()
		return l.send(ctx, f.EnvelopeID, body)
	}
	if taken = take(f.Payload, arrival{at: time.Now()}, reply); taken == dropped {
		l.ack(f.EnvelopeID)
	}
	// An interaction that could not be accepted stays unacknowledged: the person sees a warning
	// and tries again.
}

// ack acknowledges an envelope that needs no response.
func (l *link) ack(envelope string) {
	l.owed.Go(func() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), connector.AckTime, connector.ErrAckTime)
		defer cancel()
		if err := l.send(ctx, envelope, nil); err != nil {
			l.s.log.Warn("slack acknowledgement failed", "error", err)
		}
	})
}

// send acknowledges an envelope and returns when it was written.
func (l *link) send(ctx context.Context, envelope string, body any) error {
	raw, err := json.Marshal(struct {
		EnvelopeID string `json:"envelope_id"`
		Payload    any    `json:"payload,omitempty"`
	}{envelope, body})
	if err != nil {
		return fmt.Errorf("slack: socket: %w", err)
	}
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(connector.AckTime)
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.conn.SetWriteDeadline(until); err != nil {
		return fmt.Errorf("slack: socket: %w", err)
	}
	if err := l.conn.WriteMessage(websocket.TextMessage, raw); err != nil {
		return fmt.Errorf("slack: socket: %w", err)
	}
	return nil
}

func (s *socket) up(hello frame) {
	if hello.Info.AppID != "" && s.met != nil {
		s.met(hello.Info.AppID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = nil
	s.opened++
	s.log.Info("slack socket is open", "connections", hello.Connections)
}

func (s *socket) lost(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down == nil || !errors.Is(why, errNoLink) {
		s.down = why
	}
}

// pacer computes the backoff between connection attempts.
type pacer struct {
	tries   int       // attempts since the last good connection
	hello   time.Time // of the current connection
	earlier time.Time // the previous attempt
	until   time.Time // not before, as requested by Slack
}

// pause counts an attempt and returns the wait before it.
func (p *pacer) pause(now time.Time) time.Duration {
	if !p.hello.IsZero() && now.Sub(p.hello) >= steady {
		p.tries = 0
	}
	p.hello = time.Time{}
	at := now
	if p.tries > 0 {
		at = p.earlier.Add(connector.Backoff(p.tries-1, pauseMost))
	}
	if at.Before(p.until) {
		at = p.until
	}
	if at.Before(now) {
		at = now
	}
	p.tries++
	p.earlier = at
	return at.Sub(now)
}

func (p *pacer) met(now time.Time) { p.hello = now }

func (p *pacer) failed(e *platform.Error, now time.Time) {
	switch e.Kind {
	case platform.Misconfigured:
		// Retry soon: a corrected token must take effect quickly.
		p.tries, p.until = 0, now.Add(connector.PauseRefused)
	case platform.RateLimited:
		p.until = now.Add(e.RetryAfter)
	}
}
