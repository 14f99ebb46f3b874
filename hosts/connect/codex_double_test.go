package connect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/askbridge/askbridge/chatsim"
)

// codexServer is a double of codex app-server --listen ws://…, from its README at
// https://github.com/openai/codex/tree/001cdd2/codex-rs/app-server. The scenario "beside, chat and the terminal are
// asked at once" of test/hosts shows the same of Codex 0.171.0: the greeting, the list of threads, a client that
// joins, questions for every client, an answer resolved for all of them without its text, and an interrupted turn
// that then resolves its questions.
//
// From documents: a waiting question is sent again to a client that joins
// (https://github.com/openai/codex/pull/12560), a thread without a turn cannot be joined, the bearer token, and the
// check of the Origin.
type codexServer struct {
	testing.TB

	judge *codex
	host  *chatsim.Host

	mu      sync.Mutex
	threads []string
	// fresh threads have had no turn and cannot be joined.
	fresh map[string]bool
	// waiting holds the unanswered requests by ID.
	waiting map[string]string
	lines   []*codexClient
	away    bool
	replies []string
}

type codexClient struct {
	conn   *websocket.Conn
	joined []string
	state  int // greeted, then ready
	out    chan string
}

const codexToken = "canary"

func newCodexServer(t *testing.T) *codexServer {
	t.Helper()
	s := &codexServer{TB: t, threads: []string{"thr_0", "thr_1"}, fresh: map[string]bool{}, waiting: map[string]string{}}
	s.judge = &codex{TB: t, pending: map[string][]string{}, resolved: s.resolve}
	s.host = chatsim.Serve(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.hangUp(true)
		if err := s.host.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *codexServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	away := s.away
	s.mu.Unlock()
	switch {
	case away:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case r.Header.Get("Origin") != "":
		s.Error("the client sends an Origin")
		w.WriteHeader(http.StatusForbidden)
		return
	case r.Header.Get("Sec-WebSocket-Extensions") != "":
		s.Error("the client wants an extension")
	case r.Header.Get("Authorization") != "Bearer "+codexToken:
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var up websocket.Upgrader
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		s.Error(err)
		return
	}
	defer conn.Close()
	c := &codexClient{conn: conn, out: make(chan string, 1000)}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case m := <-c.out:
				_ = conn.WriteMessage(websocket.TextMessage, []byte(m)) // The client may have gone.
			case <-ended:
				return
			}
		}
	}()
	s.mu.Lock()
	s.lines = append(s.lines, c)
	s.mu.Unlock()
	for {
		_, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		s.handle(c, data)
	}
}

func (c *codexClient) send(message string) { c.out <- message }

func (s *codexServer) handle(c *codexClient, data []byte) {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Version != "" {
		s.Errorf("Codex gets %s: %v", data, err)
		return
	}
	if c.state < 2 && m.Method != []string{"initialize", "initialized"}[c.state] {
		s.Errorf("not initialized: %s", data)
		return
	}
	switch m.Method {
	case "initialize":
		var p struct {
			Client struct{ Name, Version string } `json:"clientInfo"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil || p.Client.Name == "" || p.Client.Version == "" {
			s.Errorf("a client without a name: %s, %v", m.Params, err)
		}
		c.state = 1
		c.send(fmt.Sprintf(`{"id":%s,"result":{"userAgent":"codex/0.171.0","platformOs":"linux"}}`, m.ID))
	case "initialized":
		c.state = 2
	case "thread/loaded/list":
		s.list(c, m.ID, m.Params)
	case "thread/resume":
		s.resume(c, m.ID, m.Params)
	case "":
		s.mu.Lock()
		s.replies = append(s.replies, string(data))
		s.mu.Unlock()
		s.judge.judge(string(data))
	default:
		s.Errorf("Codex gets %s", data)
	}
}

// list has pages of one thread.
func (s *codexServer) list(c *codexClient, id, params json.RawMessage) {
	var p struct {
		Cursor int `json:"cursor,string"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		s.Errorf("a cursor of %s", params)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	data, next := "[]", "null"
	if p.Cursor < len(s.threads) {
		data = fmt.Sprintf("[%q]", s.threads[p.Cursor])
	}
	if p.Cursor+1 < len(s.threads) {
		next = fmt.Sprintf("\"%d\"", p.Cursor+1)
	}
	c.send(fmt.Sprintf(`{"id":%s,"result":{"data":%s,"nextCursor":%s}}`, id, data, next))
}

// resume joins a client to a thread and resends its waiting requests.
func (s *codexServer) resume(c *codexClient, id, params json.RawMessage) {
	var p struct {
		Thread       string `json:"threadId"`
		ExcludeTurns bool   `json:"excludeTurns"`
	}
	if err := strictly(params, &p); err != nil {
		s.Errorf("parameters of %s: %v", params, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fresh[p.Thread] || !slices.Contains(s.threads, p.Thread) {
		c.send(fmt.Sprintf(`{"id":%s,"error":{"code":-32600,"message":"no rollout found for thread id %s"}}`, id, p.Thread))
		return
	}
	c.joined = append(c.joined, p.Thread)
	c.send(fmt.Sprintf(`{"id":%s,"result":{"thread":{"id":%q}}}`, id, p.Thread))
	if p.Thread == "thr_1" {
		for _, q := range s.waiting {
			c.send(q)
		}
	}
}

// publish must be called with the lock held.
func (s *codexServer) publish(message string) {
	for _, c := range s.lines {
		if slices.Contains(c.joined, "thr_1") {
			c.send(message)
		}
	}
}

// asks has the agent stop with a question.
func (s *codexServer) asks(id, item string) {
	q := s.judge.asks(id, item)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[id] = q
	s.publish(q)
}

// sends sends a message to all joined clients.
func (s *codexServer) sends(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publish(message)
}

func (s *codexServer) resolve(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
	s.publish(codexResolved(id))
}

// answeredThere answers at another client.
func (s *codexServer) answeredThere(id string) {
	s.judge.mu.Lock()
	delete(s.judge.pending, id)
	s.judge.mu.Unlock()
	s.resolve(id)
}

// hangUp breaks every connection; away refuses new ones.
func (s *codexServer) hangUp(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
	for _, c := range s.lines {
		c.conn.Close()
	}
	s.lines = nil
}

// restarts forgets waiting requests, like a process that ends.
func (s *codexServer) restarts() {
	s.hangUp(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.waiting)
	s.judge.mu.Lock()
	defer s.judge.mu.Unlock()
	clear(s.judge.pending)
}

func (s *codexServer) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.replies)
}
