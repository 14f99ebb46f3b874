package discordsim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/chatsim"
)

// Opcodes of the gateway.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// Close codes of the gateway.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
const (
	closeUnknownOp     = 4001
	closeDecode        = 4002
	closeNotIdentified = 4003
	closeToken         = 4004
	closeAgain         = 4005
	closeSeq           = 4007
	closeTooMany       = 4008
	closeTimedOut      = 4009
	closeShard         = 4010
	closeNeedsShards   = 4011
	closeVersion       = 4012
	closeIntents       = 4013
	closeNotGranted    = 4014
)

// socket is one gateway connection.
type socket struct {
	conn  *websocket.Conn
	out   chan []byte
	leave chan int // close code to end with
	gone  chan struct{}
	once  sync.Once
	where string      // "gateway" or "resume"
	ended atomic.Bool // a close frame was sent to the client

	// Guarded by Server.mu.
	session *session
	beat    time.Time   // time of the last heartbeat
	sends   []time.Time // times of the client's events in the last minute
	zombie  bool        // heartbeats are not acknowledged
	silent  bool        // sends nothing at all
}

// drop closes the connection without a close frame.
func (k *socket) drop() {
	k.once.Do(func() {
		close(k.gone)
		_ = k.conn.Close()
	})
}

// queue queues an event unless the connection is silent. A client that does not read until the
// queue is full loses its connection. The caller holds the lock.
func (k *socket) queue(v any) {
	if k.silent {
		return
	}
	select {
	case k.out <- mustJSON(v):
	default:
		k.drop()
	}
}

// end closes the connection with a code.
func (k *socket) end(code int) {
	if !k.ended.Swap(true) {
		k.leave <- code // The buffer has room for one.
	}
}

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	fault := s.cues.Take(Connects)
	if fault.Name() != "" {
		s.record(chatsim.Event{Kind: chatsim.Faulted, Where: Connects, Text: fault.Name()})
	}
	if refused := s.applyFault(r, fault, nil, func(int, int) {}); refused != nil {
		writeJSON(w, refused.status, refused.body())
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // The upgrader has written the error response.
	}
	// Do not answer a close frame, as Discord does not: the sender may hold a lock until the
	// connection closes.
	conn.SetCloseHandler(func(int, string) error { return nil })
	k := &socket{
		conn: conn, out: make(chan []byte, 256), leave: make(chan int, 1), gone: make(chan struct{}),
		where: strings.Trim(r.URL.Path, "/"), beat: time.Now(),
	}
	defer k.drop()
	s.join(k)
	defer s.part(k)
	query := r.URL.Query()
	if v := query.Get("v"); v != "9" && v != "10" {
		s.violate(rulePayload, "gateway", "version %q; 9 and 10 are available", v)
		k.end(closeVersion)
	}
	if query.Get("encoding") != "json" {
		s.violate(rulePayload, "gateway", "encoding %q; this double implements json", query.Get("encoding"))
		k.end(closeDecode)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		s.speak(k)
	}()
	s.receive(k)
	k.drop()
	<-sent
}

func (s *Server) join(k *socket) {
	s.mu.Lock()
	s.sockets = append(s.sockets, k)
	open, closed := len(s.sockets), s.service.Closed()
	k.queue(object{"op": opHello, "t": nil, "s": nil, "d": object{"heartbeat_interval": heartbeatEvery.Milliseconds(), "_trace": []any{}}})
	s.mu.Unlock()
	if closed {
		k.drop()
	}
	s.record(chatsim.Event{Kind: chatsim.Connected, Where: "gateway", Text: fmt.Sprintf("%d open", open)})
}

func (s *Server) part(k *socket) {
	s.mu.Lock()
	s.sockets = slices.DeleteFunc(s.sockets, func(other *socket) bool { return other == k })
	if k.session != nil && k.session.socket == k {
		k.session.socket, k.session.lost = nil, time.Now()
	}
	s.mu.Unlock()
	s.record(chatsim.Event{Kind: chatsim.Disconnected, Where: "gateway"})
}

// speak sends queued events and monitors the heartbeats. After a close frame it sends nothing
// more.
func (s *Server) speak(k *socket) {
	watch := time.NewTicker(heartbeatEvery)
	defer watch.Stop()
	for {
		select {
		case <-k.gone:
			return
		case raw := <-k.out:
			if k.conn.WriteMessage(websocket.TextMessage, raw) != nil {
				k.drop()
				return
			}
		case code := <-k.leave:
			s.sayGoodbye(k, code)
			return
		case <-watch.C:
			s.mu.Lock()
			missing := !k.silent && time.Since(k.beat) > 2*heartbeatEvery
			s.mu.Unlock()
			if missing {
				s.violate(ruleHeartbeat, "gateway", "no heartbeat for %v", 2*heartbeatEvery)
				k.end(closeTimedOut)
			}
		}
	}
}

// sayGoodbye sends the remaining events and a close frame.
func (s *Server) sayGoodbye(k *socket, code int) {
	for {
		select {
		case raw := <-k.out:
			if k.conn.WriteMessage(websocket.TextMessage, raw) != nil {
				k.drop()
				return
			}
			continue
		default:
		}
		break
	}
	s.record(chatsim.Event{Kind: chatsim.Disconnected, Where: "gateway", Text: strconv.Itoa(code)})
	if k.conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(code, "")) != nil {
		k.drop()
	}
}

// receive handles the client's events until the connection closes. After a close frame it discards
// input until the client hangs up.
func (s *Server) receive(k *socket) {
	for {
		_, raw, err := k.conn.ReadMessage()
		if err != nil {
			if closed, ok := asClose(err); ok {
				s.leaves(k, closed)
				_, _ = io.Copy(io.Discard, k.conn.NetConn()) // Discard input until the client hangs up.
			}
			return
		}
		s.take(k, raw)
	}
}

func asClose(err error) (code int, ok bool) {
	closed, ok := err.(*websocket.CloseError) //nolint:errorlint // It comes as it is.
	if !ok || closed.Code == websocket.CloseAbnormalClosure {
		return 0, false
	}
	return closed.Code, true
}

// leaves records that a client closed its connection. Codes 1000 and 1001 also end its session.
// https://docs.discord.com/developers/events/gateway#disconnecting
func (s *Server) leaves(k *socket, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k.silent = true
	if k.session == nil {
		return
	}
	answer := k.ended.Load() // the reply to the server's close frame
	if !answer && (code == websocket.CloseNormalClosure || code == websocket.CloseGoingAway) {
		delete(s.sessions, k.session.id)
	}
	if k.session.socket == k {
		k.session.socket, k.session.lost = nil, time.Now()
	}
}

// take handles one event of a client.
func (s *Server) take(k *socket, raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.silent {
		return
	}
	now := time.Now()
	if k.sends = append(recent(k.sends, now, time.Minute), now); len(k.sends) > sendsPerMinute {
		s.violate(ruleSends, "gateway", "%d events in a minute", len(k.sends))
		k.end(closeTooMany)
		return
	}
	var event struct {
		Op int             `json:"op"`
		D  json.RawMessage `json:"d"`
	}
	const most = 4096 // bytes, https://docs.discord.com/developers/events/gateway#sending-events
	if err := json.Unmarshal(raw, &event); err != nil || len(raw) > most {
		s.violate(rulePayload, "gateway", "%d bytes: %v", len(raw), err)
		k.end(closeDecode)
		return
	}
	switch event.Op {
	case opHeartbeat:
		k.beat = now
		if !k.zombie {
			k.queue(object{"op": opHeartbeatAck, "t": nil, "s": nil, "d": nil})
		}
	case opIdentify, opResume:
		v, err := decode(event.D)
		d, isObject := v.(object)
		switch {
		case err != nil || !isObject:
			s.violate(rulePayload, "gateway", "op %d without an object", event.Op)
			k.end(closeDecode)
		case k.session != nil:
			s.violate(rulePayload, "gateway", "op %d on a connection that has a session", event.Op)
			k.end(closeAgain)
		case event.Op == opIdentify:
			s.identify(k, d)
		default:
			s.resume(k, d)
		}
	case opPresence:
		if k.session == nil {
			k.end(closeNotIdentified)
		}
	default:
		s.violate(rulePayload, "gateway", "op %d", event.Op)
		k.end(closeUnknownOp)
	}
}
