package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/strictjson"
	"github.com/askbridge/askbridge/internal/wait"
)

const (
	// codexLook is the interval between listings of the loaded threads.
	codexLook = 5 * time.Second
	// codexSettled is the time after connecting in which the server resends every pending
	// question.
	codexSettled = 30 * time.Second
	// codexPing is the interval of pings, codexSilence the maximum time without a
	// message.
	codexPing    = 20 * time.Second
	codexSilence = time.Minute
	// codexQueue is the number of messages to the server that may wait.
	codexQueue = 1024
)

// CodexOptions are the settings of [Codex].
type CodexOptions struct {
	Options
	// Token is sent as a bearer token, for a server with --ws-auth.
	Token string
	// Dial connects; nil means the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Codex answers the questions of a Codex app-server from chat, as an additional
// client. It joins every loaded thread, asks over the bridge, and sends the
// answer. It leaves other requests of the server, such as approvals, to the
// other clients.
//
// The server resends pending questions to a client that joins, so nothing is
// lost when the connection breaks. Its WebSockets are experimental.
//
// Sources: codex-rs/app-server/README.md at
// https://github.com/openai/codex/tree/001cdd2, and
// https://github.com/openai/codex/pull/12560 for what a joining client gets.
type Codex struct {
	*asker

	address string
	dialer  websocket.Dialer
	header  http.Header

	mu   sync.Mutex
	line *codexLine // nil without a connection
	// asked are the open questions.
	asked map[string]bool
}

// codexLine is one connection.
type codexLine struct {
	conn  *websocket.Conn
	began time.Time
	// last is the ID of our last request. calls maps pending ones to the thread
	// to join, "" for other requests.
	last  int
	calls map[string]codexRequest
	// joined are the threads that we have joined, and seen those of the current
	// listing.
	joined, seen map[string]bool
	// interrupted is the turn that was interrupted last. Codex resolves its questions after that.
	interrupted string
	// live are the pending requests by question.
	live map[string]json.RawMessage

	out chan []byte
}

// codexRequest is one of our requests.
type codexRequest struct{ method, thread string }

// NewCodex returns a client of the server at an address such as
// "ws://127.0.0.1:4500" or "unix:///run/user/1000/codex.sock".
func NewCodex(bridge *client.Client, address string, opts *CodexOptions) (*Codex, error) {
	if opts == nil {
		opts = &CodexOptions{}
	}
	c := &Codex{asker: newAsker(bridge, opts.Options), header: http.Header{}, asked: map[string]bool{}}
	c.dialer = websocket.Dialer{HandshakeTimeout: callTime, NetDialContext: opts.Dial}
	at, err := url.Parse(address)
	if err == nil && at.Scheme == "unix" && at.Host == "" && at.Path != "" {
		if path := at.Path; opts.Dial == nil {
			c.dialer.NetDialContext = overSocket(path).DialContext
		}
		at = &url.URL{Scheme: "ws", Host: "localhost"}
	}
	if err != nil || at.Host == "" || at.User != nil || at.Scheme != "ws" && at.Scheme != "wss" {
		return nil, errors.New("connect: give Codex's address without credentials, such as ws://127.0.0.1:4500")
	}
	c.address = at.String()
	if opts.Token != "" {
		c.header.Set("Authorization", "Bearer "+opts.Token)
	}
	return c, nil
}

// Run answers questions until ctx ends. It survives restarts of the server and of
// the bridge. Open questions remain open, also in chat.
func (c *Codex) Run(ctx context.Context) {
	defer c.all.Wait()
	c.again(ctx, "Codex", c.serve)
}

// serve runs one connection.
func (c *Codex) serve(ctx context.Context) error {
	conn, resp, err := c.dialer.DialContext(ctx, c.address, c.header) //nolint:bodyclose // It is closed already, or is the connection.
	if err != nil {
		if resp != nil {
			return fmt.Errorf("connect: Codex: status %d", resp.StatusCode)
		}
		return fmt.Errorf("connect: Codex: %w", err)
	}
	defer conn.Close()
	conn.SetReadLimit(maxEvent)
	l := &codexLine{conn: conn, began: time.Now(), calls: map[string]codexRequest{}, joined: map[string]bool{}, seen: map[string]bool{}, live: map[string]json.RawMessage{}, out: make(chan []byte, codexQueue)}
	during, cancel := context.WithCancel(ctx)
	var busy sync.WaitGroup
	defer busy.Wait()
	defer cancel()
	stop := context.AfterFunc(during, func() { conn.Close() })
	defer stop()
	heard := func(string) error { return conn.SetReadDeadline(time.Now().Add(codexSilence)) }
	conn.SetPongHandler(heard)
	if err := errors.Join(heard(""), l.request(codexRequest{method: "initialize"}, json.RawMessage(codexGreeting))); err != nil {
		return err
	}
	busy.Go(func() { c.tend(during, l) })
	busy.Go(func() { l.send(during) })
	defer c.lost()
	for {
		_, data, err := conn.ReadMessage()
		if err != nil {
			return fmt.Errorf("connect: Codex: %w", err)
		}
		if err := errors.Join(heard(""), c.hear(ctx, l, data)); err != nil {
			return err
		}
	}
}

// codexGreeting initializes the connection. Questions are part of the experimental
// protocol; message deltas are disabled.
const codexGreeting = `{"clientInfo":{"name":"askbridge","title":"askbridge","version":"1"},"capabilities":{"experimentalApi":true,` +
	`"optOutNotificationMethods":["item/agentMessage/delta","item/plan/delta","item/reasoning/summaryTextDelta",` +
	`"item/reasoning/textDelta","item/commandExecution/outputDelta","item/fileChange/outputDelta"]}}`

// tend lists threads and sends pings.
func (c *Codex) tend(ctx context.Context, l *codexLine) {
	look, ping := time.NewTicker(codexLook), time.NewTicker(codexPing)
	defer look.Stop()
	defer ping.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			err = c.look(l)
		case <-ping.C:
			err = l.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(callTime))
		}
		if err != nil {
			l.conn.Close()
			return
		}
	}
}

// look lists the loaded threads, and closes the questions that the server has not
// resent.
func (c *Codex) look(l *codexLine) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != l {
		return nil // The connection is not initialized yet.
	}
	if time.Since(l.began) >= codexSettled {
		for name := range c.asked {
			if l.live[name] == nil {
				delete(c.asked, name)
				c.drop(name, over{codexGone})
			}
		}
	}
	return l.list("")
}

// lost removes the connection.
func (c *Codex) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line = nil
}

// hear handles a message. Its error ends the connection.
func (c *Codex) hear(life context.Context, l *codexLine, data []byte) error {
	var m struct {
		message

		Error json.RawMessage `json:"error"`
	}
	if strictjson.Decode(data, &m) != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m.Method {
	case "":
		what, ours := l.calls[m.key()]
		if !ours {
			return nil
		}
		delete(l.calls, m.key())
		if len(m.Error) > 0 {
			return c.refused(l, what, m.Error)
		}
		return c.reply(l, what, m.Result)
	case codexAsks:
		c.ask(life, l, &m.message)
	case codexResolved:
		about := codexAbout(m.Params)
		for name, id := range l.live {
			if string(id) != about {
				continue
			}
			delete(l.live, name)
			delete(c.asked, name)
			why := elsewhere("Codex")
			if l.interrupted != "" && strings.Contains(name, "/"+l.interrupted+"/") {
				why = over{codexStopped}
			}
			c.drop(name, why)
		}
	case codexEnded:
		if turn := codexInterrupted(m.Params); turn != "" {
			l.interrupted = turn
		}
	case "thread/started":
		var started struct {
			Thread struct {
				ID string `json:"id"`
			} `json:"thread"`
		}
		if strictjson.Decode(m.Params, &started) == nil && started.Thread.ID != "" {
			return l.join(started.Thread.ID)
		}
	}
	return nil
}

// reply handles the response to one of our requests.
func (c *Codex) reply(l *codexLine, what codexRequest, result json.RawMessage) error {
	switch what.method {
	case "initialize":
		c.line = l
		return errors.Join(l.write([]byte(`{"method":"initialized"}`)), l.list(""))
	case "thread/loaded/list":
		var page struct {
			Threads []string `json:"data"`
			Next    string   `json:"nextCursor"`
		}
		if strictjson.Decode(result, &page) == nil {
			return l.listed(page.Threads, page.Next)
		}
	}
	return nil
}

// refused handles the error of one of our requests.
func (c *Codex) refused(l *codexLine, what codexRequest, why json.RawMessage) error {
	if what.method == "initialize" {
		return fmt.Errorf("connect: Codex: initialize: %s", cut(string(why)))
	}
	// A thread without a turn cannot be joined yet; the next look tries again.
	c.log.Debug("codex has refused a request", "method", what.method, "thread", what.thread, "error", cut(string(why)))
	delete(l.joined, what.thread)
	return nil
}

// ask begins a question.
func (c *Codex) ask(life context.Context, l *codexLine, m *message) {
	call, _ := codexCall(m.Params)
	if call.Key == "" || m.key() == "" {
		c.log.Warn("codex asked something without ids")
		return
	}
	l.live[call.Key] = json.RawMessage(m.key())
	c.asked[call.Key] = true
	c.begin(life, question{
		id: call.Key, call: call,
		tell: func(ctx context.Context, r *client.ToolResult) error { return c.tell(ctx, call.Key, r) },
	})
}

// tell sends the answer when there is a connection with the pending question. If it
// is lost, the server resends the question.
func (c *Codex) tell(ctx context.Context, name string, r *client.ToolResult) error {
	for ; ctx.Err() == nil; _ = wait.For(ctx, time.Second) {
		c.mu.Lock()
		l := c.line
		var id json.RawMessage
		if l != nil {
			id = l.live[name]
		}
		c.mu.Unlock()
		if id != nil {
			return l.write(bytes.TrimSpace(codexReply(id, r)))
		}
	}
	return nil
}

// list requests a page of the loaded threads.
func (l *codexLine) list(cursor string) error {
	params := struct {
		Cursor string `json:"cursor,omitempty"`
	}{cursor}
	return l.request(codexRequest{method: "thread/loaded/list"}, params)
}

// listed joins the threads of a page. Unloaded threads can be joined again later.
func (l *codexLine) listed(threads []string, next string) error {
	for _, id := range threads {
		l.seen[id] = true
		if err := l.join(id); err != nil {
			return err
		}
	}
	if next != "" {
		return l.list(next)
	}
	maps.DeleteFunc(l.joined, func(id string, _ bool) bool { return !l.seen[id] })
	clear(l.seen)
	return nil
}

// join subscribes to a thread unless it is joined.
func (l *codexLine) join(thread string) error {
	if l.joined[thread] {
		return nil
	}
	l.joined[thread] = true
	params := struct {
		Thread string `json:"threadId"`
		// Without its history the reply stays small.
		ExcludeTurns bool `json:"excludeTurns"`
	}{thread, true}
	return l.request(codexRequest{"thread/resume", thread}, params)
}

// request sends a request.
func (l *codexLine) request(what codexRequest, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("connect: Codex: %w", err)
	}
	l.last++
	l.calls[strconv.Itoa(l.last)] = what
	return l.write(fmt.Appendf(nil, `{"method":%q,"id":%d,"params":%s}`, what.method, l.last, data))
}

// write queues a message, since the reader of the connection must not block.
func (l *codexLine) write(message []byte) error {
	select {
	case l.out <- message:
		return nil
	default:
		l.conn.Close()
		return errors.New("connect: Codex does not read")
	}
}

// send writes queued messages.
func (l *codexLine) send(ctx context.Context) {
	defer l.conn.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case message := <-l.out:
			err := l.conn.SetWriteDeadline(time.Now().Add(callTime))
			if err = errors.Join(err, l.conn.WriteMessage(websocket.TextMessage, message)); err != nil {
				return
			}
		}
	}
}
