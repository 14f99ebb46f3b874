package slacksim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/chatsim"
)

// socket is one Socket Mode connection.
type socket struct {
	conn    *websocket.Conn
	out     chan []byte // outgoing messages
	leave   chan string // reason for a disconnect message
	gone    chan struct{}
	once    sync.Once
	leaving bool // disconnect was sent; no more envelopes. Guarded by Server.mu.
}

// drop closes the connection without a disconnect message.
func (k *socket) drop() {
	k.once.Do(func() {
		close(k.gone)
		_ = k.conn.Close()
	})
}

// connectionsOpen returns the URL of a new Socket Mode connection.
// https://docs.slack.dev/reference/methods/apps.connections.open
func (a *App) connectionsOpen(*call) (object, *apiError) {
	ticket := a.secretFor(a.newID("ticket"))
	a.tickets[ticket] = false
	base := "ws" + strings.TrimPrefix(a.service.URL(), "http")
	return object{"url": base + "/link/?ticket=" + ticket + "&app_id=" + a.opts.AppID}, nil
}

// leaveTime is how long a connection may stay open after a disconnect message.
// https://docs.slack.dev/apis/events-api/using-socket-mode/#disconnect
const leaveTime = 10 * time.Second

func (a *App) serveSocket(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	a.mu.Lock()
	used, known := a.tickets[ticket]
	if known {
		a.tickets[ticket] = true
	}
	a.mu.Unlock()
	if !known || used {
		a.violate(ruleTicket, "Socket Mode", "the address is unknown or was dialled before")
		http.Error(w, "invalid ticket", http.StatusForbidden)
		return
	}
	// Clients send Slack's own origin, so accept every origin.
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }, WriteBufferSize: 32 * 1024}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // The upgrader has written the error response.
	}
	k := &socket{conn: conn, out: make(chan []byte, 64), leave: make(chan string, 4), gone: make(chan struct{})}
	defer k.drop()
	open := a.join(k)
	defer a.part(k)
	a.reject(k, open)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		k.write()
	}()
	a.read(k)
	k.drop()
	<-sent
}

// reject sends a disconnect message with the reason.
func (a *App) reject(k *socket, open int) {
	reason := ""
	switch {
	case open > maxSockets.max:
		reason = "too_many_websockets"
		a.violate(maxSockets, "Socket Mode", "%d connections are open, %d are allowed", open, maxSockets.max)
	case !a.overSocket():
		reason = "link_disabled"
	default:
		return
	}
	a.mu.Lock()
	k.leaving = true
	a.mu.Unlock()
	k.leave <- reason
}

// join registers a connection, queues its hello before any envelope, and returns the number of
// connections.
func (a *App) join(k *socket) int {
	a.mu.Lock()
	a.sockets = append(a.sockets, k)
	open := len(a.sockets)
	k.out <- mustJSON(object{ // Cannot block: no one else has the connection yet.
		"type": "hello", "num_connections": open,
		"connection_info": object{"app_id": a.opts.AppID},
		"debug_info":      object{"host": "applink-1", "build_number": 1, "approximate_connection_time": 18060},
	})
	closed := a.service.Closed()
	a.mu.Unlock()
	if closed {
		k.drop()
	}
	a.record(chatsim.Event{Kind: chatsim.Connected, Where: "Socket Mode", Text: fmt.Sprintf("%d open", open)})
	a.home.notify()
	return open
}

func (a *App) part(k *socket) {
	a.mu.Lock()
	a.sockets = slices.DeleteFunc(a.sockets, func(other *socket) bool { return other == k })
	a.mu.Unlock()
	a.record(chatsim.Event{Kind: chatsim.Disconnected, Where: "Socket Mode"})
	a.home.notify()
}

// write sends queued messages and pings until the connection closes.
func (k *socket) write() {
	defer k.drop()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	var over <-chan time.Time
	for {
		var err error
		select {
		case <-k.gone:
			return
		case <-over:
			return
		case raw := <-k.out:
			err = k.conn.WriteMessage(websocket.TextMessage, raw)
		case reason := <-k.leave:
			timer := time.NewTimer(leaveTime)
			defer timer.Stop()
			over = timer.C
			err = k.conn.WriteMessage(websocket.TextMessage, mustJSON(object{
				"type": "disconnect", "reason": reason, "debug_info": object{"host": "applink-1"},
			}))
		case <-ping.C:
			err = k.conn.WriteControl(websocket.PingMessage, []byte("slacksim"), time.Now().Add(pingEvery))
		}
		if err != nil {
			return
		}
	}
}

// read handles acknowledgements until the connection closes.
func (a *App) read(k *socket) {
	for {
		_, raw, err := k.conn.ReadMessage()
		if err != nil {
			return
		}
		if len(raw) > maxSocketAck.max {
			a.violate(maxSocketAck, "Socket Mode", "%d bytes, %d are allowed", len(raw), maxSocketAck.max)
			continue
		}
		var ack struct {
			EnvelopeID string          `json:"envelope_id"`
			Payload    json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(raw, &ack); err != nil {
			a.violate(ruleEnvelope, "Socket Mode", "an acknowledgement that is no JSON: %v", err)
			continue
		}
		a.mu.Lock()
		answered, waiting := a.pending[ack.EnvelopeID]
		delete(a.pending, ack.EnvelopeID)
		known := waiting || strings.HasPrefix(ack.EnvelopeID, envelopePrefix)
		a.mu.Unlock()
		if !known {
			a.violate(ruleEnvelope, "Socket Mode", "unknown envelope_id %q", ack.EnvelopeID)
		}
		if waiting {
			answered <- ack.Payload
		}
	}
}

// envelopePrefix starts the id of every envelope, which distinguishes a late acknowledgement
// from an invented one.
const envelopePrefix = "57ac0000-0000-4000-8000-"

// deliverSocket delivers a payload on one of the open connections.
func (s *Server) deliverSocket(ctx context.Context, kind string, payload []byte) ([]byte, error) {
	envelope := "interactive"
	if kind == Commands {
		envelope = Commands
	}
	return s.deliverEnvelope(ctx, kind, object{
		"type": envelope, "payload": json.RawMessage(payload), "accepts_response_payload": kind == "view_submission" || kind == Commands,
	})
}

// deliverEnvelope assigns an id to an envelope and sends it.
func (s *Server) deliverEnvelope(ctx context.Context, kind string, envelope object) ([]byte, error) {
	answered := make(chan []byte, 1)
	s.mu.Lock()
	staying := slices.DeleteFunc(slices.Clone(s.sockets), func(k *socket) bool { return k.leaving })
	s.serial++
	id := fmt.Sprintf("%s%012x", envelopePrefix, s.serial)
	var k *socket
	if len(staying) > 0 {
		k = staying[s.nextSocket%len(staying)]
		s.nextSocket++
		s.pending[id] = answered
	}
	s.mu.Unlock()
	if k == nil {
		return nil, fmt.Errorf("slacksim: deliver %s: %w: %w", kind, chatsim.ErrUnacknowledged, errNoApp)
	}
	defer func() {
		s.mu.Lock()
		delete(s.pending, id)
		s.mu.Unlock()
	}()
	envelope["envelope_id"] = id
	select {
	case k.out <- mustJSON(envelope):
	case <-k.gone:
	case <-ctx.Done():
	}
	select {
	case answer := <-answered:
		return answer, nil
	case <-k.gone:
		return nil, fmt.Errorf("slacksim: deliver %s: the connection was lost: %w", kind, chatsim.ErrUnacknowledged)
	case <-ctx.Done():
		return nil, s.undelivered(ctx, kind, ctx.Err())
	}
}

// Sockets returns the number of open Socket Mode connections.
func (a *App) Sockets() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.sockets)
}

// DropSockets closes all Socket Mode connections without a disconnect message and sends nothing
// more on them.
func (a *App) DropSockets() {
	a.mu.Lock()
	all := a.sockets
	a.sockets = nil
	a.mu.Unlock()
	for _, k := range all {
		k.drop()
	}
}

// Disconnect sends all connections a disconnect message, with a reason such as "warning",
// "refresh_requested" or "link_disabled". They receive no more envelopes and are closed ten
// seconds later. https://docs.slack.dev/apis/events-api/using-socket-mode/#disconnect
func (a *App) Disconnect(reason string) {
	a.mu.Lock()
	all := slices.Clone(a.sockets)
	for _, k := range all {
		k.leaving = true
	}
	a.mu.Unlock()
	for _, k := range all {
		select {
		case k.leave <- reason:
		case <-k.gone:
		}
	}
}

// mustJSON encodes values built by the double, which always encode.
func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("slacksim: encode: " + err.Error())
	}
	return raw
}
