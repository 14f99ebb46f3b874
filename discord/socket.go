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

	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/internal/connector"
)

// The gateway's operations; see
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

// The events that say that a connection hears what happens.
const (
	eventReady   = "READY"
	eventResumed = "RESUMED"
)

const (
	// readyTime bounds the way from an open websocket to a session.
	readyTime = 15 * time.Second
	// silence is how long Discord may take to answer a heartbeat, of which there
	// is one in about 41 seconds: what is half open is found before the second.
	silence = 15 * time.Second
	// leastBeat bounds how often there is a heartbeat, whatever is asked for.
	leastBeat = time.Second
	// writeTime bounds writing one message.
	writeTime = 10 * time.Second
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
)

// refusals are the close codes for what will not get better by itself; see
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes.
var refusals = map[int]string{
	4004: "authentication failed",
	4010: "invalid shard",
	4011: "sharding required: set shard_count",
	4012: "invalid api version",
	4013: "invalid intents",
	4014: "disallowed intents",
}

// codeToken is the code of a token that the gateway does not take.
const codeToken = "4004 authentication failed"

// overCodes are further close codes that end the session too: not
// authenticated, a sequence number that never was, and a session that timed out.
var overCodes = []int{4003, 4007, 4009}

// frame is a message of the gateway
// (https://docs.discord.com/developers/events/gateway-events#payload-structure).
type frame struct {
	Op   int             `json:"op"`
	Type string          `json:"t"`
	Seq  int64           `json:"s"`
	Data json.RawMessage `json:"d"`
}

// shard is one part of the bot's servers, with what outlives its connections.
type shard struct {
	id, count int
	token     string
	intents   int
	log       *slog.Logger
	// open is called when a connection hears what happens, event for each thing
	// that does, one at a time.
	open  func(data json.RawMessage)
	event func(kind string, data json.RawMessage)

	// session is what Discord keeps for us from one connection to the next, so
	// that nothing is missed in between; empty for none. It is resumed at the
	// address, with the number of the last event that was heard
	// (https://docs.discord.com/developers/events/gateway#resuming).
	session, address string
	seq              atomic.Int64
	lost             time.Time // when the last connection that heard what happens ended
	unready          int       // how many have ended since that never did
}

// resumable reports whether there is a session that is worth resuming. Where that
// fails an app is to begin a new one
// (https://docs.discord.com/developers/events/gateway#disconnecting).
func (s *shard) resumable() bool {
	return s.session != "" && s.unready < maxResumes && time.Since(s.lost) < resumeTime
}

// forget lets go of the session.
func (s *shard) forget() {
	s.session, s.address = "", ""
	s.seq.Store(0)
}

// socket is one connection of a shard.
type socket struct {
	*shard

	conn *websocket.Conn
	// identified is called when a new session was asked for.
	identified func()
	ready      time.Time          // zero until it hears what happens
	late       *time.Timer        // ends what is not ready in time
	greeted    chan time.Duration // how often there is to be a heartbeat
	asked      chan struct{}      // Discord wants a heartbeat now
	acked      chan struct{}      // it has answered one

	writing sync.Mutex
}

// carry speaks over a connection until it ends, and returns how long it heard
// what happens, and why it ended.
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
		if parent.Err() != nil { // The session is not wanted any more.
			bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			_ = conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(byeTime)) // A courtesy.
		}
		_ = conn.Close()
	})
	end(k.hear())
	others.Wait()
	if k.ready.IsZero() {
		s.unready++
		return 0, context.Cause(ctx)
	}
	s.lost, s.unready = time.Now(), 0
	return time.Since(k.ready), context.Cause(ctx)
}

// hear takes what Discord says until the connection ends.
func (k *socket) hear() error {
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

// take deals with one message. Should that panic, nothing else ends: the next
// message is dealt with.
func (k *socket) take(raw []byte) error {
	defer func() {
		if v := recover(); v != nil {
			k.log.Error("gateway message caused a panic", "shard", k.id, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
		}
	}()
	var f frame
	if err := connector.ReadLoosely(raw, &f); err != nil {
		k.forget() // Resumed, the session would begin with the same message.
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

// hello starts the heartbeats and asks for a session: the one that there was, or
// a new one.
func (k *socket) hello(data json.RawMessage) error {
	var d struct {
		Interval int64 `json:"heartbeat_interval"` // in milliseconds
	}
	if err := connector.ReadLoosely(data, &d); err != nil || d.Interval <= 0 {
		return fmt.Errorf("discord: gateway: %w: no heartbeat interval", errUnreadable)
	}
	select {
	case k.greeted <- max(time.Duration(d.Interval)*time.Millisecond, leastBeat):
	default: // It was said before.
		return nil
	}
	if k.session != "" {
		return k.say(opResume, map[string]any{"token": k.token, "session_id": k.session, "seq": k.seq.Load()})
	}
	identity := map[string]any{
		"token": k.token,
		// Interactions need no intent at all
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

// beat sends heartbeats, and ends when one is not answered in time: the
// connection is half open then
// (https://docs.discord.com/developers/events/gateway#sending-heartbeats).
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

// closed says why Discord closed the connection.
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
		return &bridge.PlatformError{Platform: Name, Op: opConnect, Kind: bridge.Misconfigured, Code: code + " " + word, Err: err}
	}
	return err
}

// signal leaves a mark for whoever looks next.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
