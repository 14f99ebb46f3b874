package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/internal/connector"
	"github.com/askbridge/askbridge/platform"
)

// The gateway's opcodes; see
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-opcodes.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// The events that make a connection ready.
const (
	eventReady   = "READY"
	eventResumed = "RESUMED"
)

const (
	// readyTime limits the time from an open WebSocket to a session.
	readyTime = 15 * time.Second
	// silence is the deadline of a heartbeat acknowledgement. Heartbeats are about 41 seconds
	// apart, so a half-open connection is detected before the next one.
	silence = 15 * time.Second
	// leastBeat is the minimum heartbeat interval.
	leastBeat = time.Second
	// writeTime limits writing one message.
	writeTime = 10 * time.Second
	// byeTime limits sending the close frame.
	byeTime = time.Second
	// maxFrame limits the size of a message; see maxBody.
	maxFrame = 4 << 20
)

// Why a connection ended.
var (
	errReconnect = errors.New("discord: asked to reconnect")
	errInvalid   = errors.New("discord: the session is invalid")
	errNotReady  = errors.New("discord: no session in time")
	errSilent    = errors.New("discord: a heartbeat was not answered in time")
)

// refusals are the close codes that need an operator; see
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes.
var refusals = map[int]string{
	4004: "authentication failed",
	4010: "invalid shard",
	4011: "sharding required: set shard_count",
	4012: "invalid api version",
	4013: "invalid intents",
	4014: "disallowed intents",
}

// codeToken is the code for a token rejected by the gateway.
const codeToken = "4004 authentication failed"

// overCodes are further close codes that end the session: not authenticated, an invalid
// sequence number, and a session timeout.
var overCodes = []int{4003, 4007, 4009}

// frame is a message of the gateway
// (https://docs.discord.com/developers/events/gateway-events#payload-structure).
type frame struct {
	Op   int             `json:"op"`
	Type string          `json:"t"`
	Seq  int64           `json:"s"`
	Data json.RawMessage `json:"d"`
}

// shard is one shard, with the state that outlives its connections.
type shard struct {
	id, count int
	token     string
	intents   int
	log       *slog.Logger
	// open is called when a connection becomes ready, event for each event, sequentially.
	open  func(data json.RawMessage)
	event func(kind string, data json.RawMessage)

	// session is the id of the current session; empty for none. It is resumed at address, from
	// the number of the last received event, so that no event is missed
	// (https://docs.discord.com/developers/events/gateway#resuming).
	session, address string
	seq              atomic.Int64
	lost             time.Time // when the last ready connection ended
	unready          int       // number of connections since then that never became ready
}

// resumable reports whether the session can probably be resumed. If resuming fails an app
// should start a new one (https://docs.discord.com/developers/events/gateway#disconnecting).
func (s *shard) resumable() bool {
	return s.session != "" && s.unready < maxResumes && time.Since(s.lost) < resumeTime
}

// forget discards the session.
func (s *shard) forget() {
	s.session, s.address = "", ""
	s.seq.Store(0)
}

// socket is one connection of a shard.
type socket struct {
	*shard

	conn *websocket.Conn
	// identified is called after IDENTIFY was sent.
	identified func()
	ready      time.Time          // zero until ready
	late       *time.Timer        // closes a connection that is not ready in time
	greeted    chan time.Duration // the heartbeat interval
	asked      chan struct{}      // Discord requested a heartbeat
	acked      chan struct{}      // Discord acknowledged a heartbeat

	writing sync.Mutex
}

// carry runs a connection until it ends, and returns how long it was ready, and why it ended.
func (s *shard) carry(parent context.Context, conn *websocket.Conn, identified func()) (time.Duration, error) {
	ctx, end := context.WithCancelCause(parent)
	defer end(nil)
	k := &socket{
		shard: s, conn: conn, identified: identified,
		late:    time.AfterFunc(readyTime, func() { end(errNotReady) }),
		greeted: make(chan time.Duration, 1), asked: make(chan struct{}, 1), acked: make(chan struct{}, 1),
	}
	defer k.late.Stop()
	conn.SetReadLimit(maxFrame)
	var others sync.WaitGroup
	others.Go(func() { end(k.beat(ctx)) })
	others.Go(func() {
		<-ctx.Done()
		if parent.Err() != nil { // The session is no longer needed.
			bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			_ = conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(byeTime)) // best effort
		}
		_ = conn.Close()
	})
	end(k.receive())
	others.Wait()
	if k.ready.IsZero() {
		s.unready++
		return 0, context.Cause(ctx)
	}
	s.lost, s.unready = time.Now(), 0
	return time.Since(k.ready), context.Cause(ctx)
}

// receive reads messages until the connection ends.
func (k *socket) receive() error {
	for {
		_, raw, err := k.conn.ReadMessage()
		if err != nil {
			return k.closed(err)
		}
		if err := k.take(raw); err != nil {
			return err
		}
	}
}

// take handles one message. It recovers from panics, so that the next message is handled.
func (k *socket) take(raw []byte) error {
	defer func() {
		if v := recover(); v != nil {
			k.log.Error("gateway message caused a panic", "shard", k.id, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
		}
	}()
	var f frame
	if err := connector.ReadLoosely(raw, &f); err != nil {
		k.forget() // A resumed session would start with the same message.
		return fmt.Errorf("discord: gateway: %w", errUnreadable)
	}
	switch f.Op {
	case opDispatch:
		k.seq.Store(f.Seq)
		k.dispatch(f.Type, f.Data)
	case opHeartbeat:
		signal(k.asked)
	case opHeartbeatAck:
		signal(k.acked)
	case opHello:
		return k.hello(f.Data)
	case opReconnect:
		return errReconnect
	case opInvalidSession:
		if string(f.Data) != "true" {
			k.forget()
		}
		return errInvalid
	}
	return nil
}

func (k *socket) dispatch(kind string, data json.RawMessage) {
	switch kind {
	case eventReady:
		var d struct {
			Session string `json:"session_id"`
			Resume  string `json:"resume_gateway_url"`
		}
		if connector.ReadLoosely(data, &d) == nil && d.Resume != "" {
			k.session, k.address = d.Session, d.Resume
		}
	case eventResumed:
	default:
		k.event(kind, data)
		return
	}
	k.late.Stop()
	k.ready = time.Now()
	k.open(data)
}

// hello starts the heartbeats and resumes the session or starts a new one.
func (k *socket) hello(data json.RawMessage) error {
	var d struct {
		Interval int64 `json:"heartbeat_interval"` // in milliseconds
	}
	if err := connector.ReadLoosely(data, &d); err != nil || d.Interval <= 0 {
		return fmt.Errorf("discord: gateway: %w: no heartbeat interval", errUnreadable)
	}
	select {
	case k.greeted <- max(time.Duration(d.Interval)*time.Millisecond, leastBeat):
	default: // A repeated HELLO.
		return nil
	}
	if k.session != "" {
		return k.say(opResume, map[string]any{"token": k.token, "session_id": k.session, "seq": k.seq.Load()})
	}
	identity := map[string]any{
		"token": k.token,
		// Interactions need no intent
		// (https://docs.discord.com/developers/events/gateway#list-of-intents).
		"intents":    k.intents,
		"properties": map[string]string{"os": runtime.GOOS, "browser": "askbridge", "device": "askbridge"},
	}
	if k.count > 1 {
		identity["shard"] = []int{k.id, k.count}
	}
	defer k.identified()
	return k.say(opIdentify, identity)
}

// beat sends heartbeats, and returns when one is not acknowledged in time: the connection is
// then half-open (https://docs.discord.com/developers/events/gateway#sending-heartbeats).
func (k *socket) beat(ctx context.Context) error {
	var every time.Duration
	select {
	case every = <-k.greeted:
	case <-ctx.Done():
		return nil
	}
	next := time.NewTimer(rand.N(every)) //nolint:gosec // Jitter is no secret.
	defer next.Stop()
	overdue := time.NewTimer(0)
	defer overdue.Stop()
	overdue.Stop()
	for waiting := false; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-overdue.C:
			return errSilent
		case <-k.acked:
			overdue.Stop()
			waiting = false
			continue
		case <-k.asked:
		case <-next.C:
			next.Reset(every)
		}
		var last any
		if seq := k.seq.Load(); seq > 0 {
			last = seq
		}
		if !waiting {
			overdue.Reset(min(silence, every/2))
			waiting = true
		}
		if err := k.say(opHeartbeat, last); err != nil {
			return err
		}
	}
}

// say sends one message.
func (k *socket) say(op int, data any) error {
	raw, err := json.Marshal(map[string]any{"op": op, "d": data})
	if err != nil {
		return fmt.Errorf("discord: gateway: encode: %w", err)
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	if err = k.conn.SetWriteDeadline(time.Now().Add(writeTime)); err == nil {
		err = k.conn.WriteMessage(websocket.TextMessage, raw)
	}
	if err != nil {
		return fmt.Errorf("discord: gateway: %w", plain(err))
	}
	return nil
}

// closed returns why Discord closed the connection.
func (k *socket) closed(err error) error {
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok {
		return fmt.Errorf("discord: gateway: %w", plain(err))
	}
	word, refused := refusals[closed.Code]
	if refused || slices.Contains(overCodes, closed.Code) {
		k.forget()
	}
	code := strconv.Itoa(closed.Code)
	err = fmt.Errorf("discord: gateway: closed with %s", code)
	if refused {
		return &platform.Error{Platform: Name, Op: opConnect, Kind: platform.Misconfigured, Code: code + " " + word, Err: err}
	}
	return err
}

// signal does a non-blocking send.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
